package rounds_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// Under detours and delays the ring is the recurrence of docs/model/core.md, for any number of
// segments: whoever has been sent the next piece in a detour sends two, one after the other.
func TestRingIsItsRecurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		P, S := rapid.IntRange(2, 9).Draw(t, "P"), rapid.IntRange(1, 3).Draw(t, "S")
		p := collectives.Problem{
			Ranks: P, Segments: S, Bytes: float64(8 * P * S), Latency: 1, Bandwidth: 1,
			MemoryBandwidth: 8, Redundancy: collectives.Redundancy{Sources: 1},
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "noise"), 0))
		os, network := make(preempted, P), noDelays(2*(P-1)*S, P)
		for r := range os {
			begin := float64(random.IntN(60))
			os[r] = append(os[r], detour{begin, begin + float64(1+random.IntN(60))})
		}
		for i := range network {
			network[i][random.IntN(P)] = float64(random.IntN(40))
		}
		free, now, before := make([]float64, P), make([]float64, P), make([][]float64, S)
		for r := range now {
			now[r] = preempt(os[r], 0, 0)
		}
		for s := range before {
			before[s] = slices.Clone(now)
		}
		for i := range 2 * (P - 1) {
			for s := range S {
				for r := range now {
					begin := max(before[s][(r+P-1)%P], free[r])
					free[r] = begin + 8
					if now[r] = max(now[r], free[r]+1+network[i*S+s][r]); i < P-1 {
						now[r] = preempt(os[r], now[r], 1)
					}
				}
				before[s] = slices.Clone(now)
			}
		}
		got := simulateSchedule(t, models.Schedule(t, "ring", p), p, os, network).Completion[0]
		if want := slices.Max(now); got != want {
			t.Errorf("complete at %g, want %g", got, want)
		}
	})
}

// The shape and the bound of a ring, and its trials, are those of the schedule with all of its rounds, to the
// last bit.
func TestRingIsItsOutline(t *testing.T) {
	lengths := noise.Exponential{Average: 7e-6}
	os := noise.Fleet{Classes: []noise.Class{{Share: 1, Speed: 0.7, OS: noise.Superposition{
		Start:      noise.Random,
		Components: noise.Components(1, noise.PoissonDetours{Interval: 1e-3, Lengths: lengths}),
		Pieces:     []noise.Bernoulli{{Probability: 1e-3, Lengths: lengths}},
	}}}}
	ring := tests.Must(collectives.Find("ring"))(t)
	expanded := ring
	expanded.Outline = ring.Schedule
	for _, change := range []func(*collectives.Problem){
		func(*collectives.Problem) {},
		func(p *collectives.Problem) { p.Node.Ranks = 3 },
		func(p *collectives.Problem) { p.Busy, p.Host.Overhead, p.Host.Gap = true, 0.3e-6, 0.7e-6 },
		func(p *collectives.Problem) {
			p.Host.Progress, p.Host.Poll, p.Host.Polls = collectives.Polling, 1e-7, 2
		},
	} {
		for _, shape := range [][2]int{{1, 1}, {2, 1}, {7, 3}, {61, 1}, {30, 4}} {
			p := collectives.Problem{
				Ranks: shape[0], Segments: shape[1], Bytes: 1e4,
				Latency: 1.3e-6, Bandwidth: 3e9, MemoryBandwidth: 7e9,
				Node:       collectives.Node{Ranks: 1, Latency: 0.3e-6, Bandwidth: 9e9},
				Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.CPU},
			}
			change(&p)
			got := rounds.Model{
				Algorithm: ring, Problem: p, OS: os,
				Network: noise.PoissonDelays{Interval: 1e-3, Lengths: lengths},
			}
			want := got
			want.Algorithm = expanded
			checkSame(t, &want, &got)
			app := rounds.Application{
				Iterations: 5, Warmup: 1, Calls: 3, Compute: rounds.Compute{Mean: 1.1e-4, Random: 0.1},
			}
			apps := [2]rounds.Application{app, app}
			apps[0].Collective, apps[1].Collective = want, got
			checkSame(t, &apps[0], &apps[1])
		}
	}
}

// checkSame fails if two models differ in shapes, bounds or a trial.
func checkSame(t *testing.T, want, got montecarlo.Model) {
	t.Helper()
	a, b := tests.Must(want.Shape())(t), tests.Must(got.Shape())(t)
	for _, length := range []float64{0, 1e-7, 3.3e-6, 1e-4} {
		if a, b := a.Tail(length), b.Tail(length); a != b || a == 0 {
			t.Errorf("%+v: a tail of %v beyond %g s, want %v", got, b, length, a)
		}
	}
	a.Tail, b.Tail = nil, nil
	if diff := tests.Diff(a, b); diff != "" {
		t.Errorf("%+v: shape (-want +got):\n%s", got, diff)
	}
	if a, b := want.LowerBound(), got.LowerBound(); a != b {
		t.Errorf("%+v: a bound of %v, want %v", got, b, a)
	}
	keys := models.Keys("outline", 2)
	if diff := tests.Diff(models.Run(t, want, keys...), models.Run(t, got, keys...)); diff != "" {
		t.Errorf("%+v: trials (-want +got):\n%s", got, diff)
	}
}
