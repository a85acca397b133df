package flow_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// both returns an allreduce in rounds, and on flows through a crossbar by each sharing, under the
// same detours.
func both(t *testing.T, a collectives.Algorithm, p collectives.Problem, os noise.OS) []montecarlo.Model {
	t.Helper()
	free := p
	free.Busy = false // flows share links by themselves
	s := tests.Must(a.Schedule(free))(t)
	s.Place = nil // rounds number their detours by the ranks of the schedule
	all := []montecarlo.Model{&rounds.Model{Algorithm: a, Problem: p, OS: os, Network: noise.None{}}}
	for _, sharing := range []flow.Sharing{flow.Equal, flow.MaxMin} {
		all = append(all, &network.Model{
			Network: &flow.Network{
				Scenario: network.On(&p, s, models.Place(t, fmt.Sprintf("crossbar:%d", p.Ranks))), Sharing: sharing,
			},
			Noise: network.Noise{OS: os, Network: noise.None{}},
		})
	}
	return all
}

// trial returns the completions of a model's trial with a key, or without noise if there is none.
func trial(t *testing.T, m montecarlo.Model, key ...rng.Key) []float64 {
	t.Helper()
	points, trial := tests.Must(m.Shape())(t).Checkpoints, models.NoiseFree(t, m)
	if len(key) > 0 {
		trial = models.Run(t, m, key...)[0]
	}
	for i, c := range trial.Completion {
		last := i == len(points)-1 || points[i+1].T > points[i].T
		if last && trial.LowerBound > c*(1+1e-9) {
			t.Errorf("a lower bound of %g s, and %g s", trial.LowerBound, c)
		}
	}
	return trial.Completion
}

// Where messages take links hardly any time, copies delay nobody: all T of every allreduce, from
// any number of sources, with any reception and forwarding, take as long on flows as in rounds
// under the same detours. But a processor that combines does that before it receives a copy.
func TestRedundancyTakesAsLongAsInRounds(t *testing.T) {
	os := noise.Periodic{Period: 50e-6, Duration: 5e-6, Start: noise.Random}
	for _, a := range collectives.Algorithms {
		if a.Operation != collectives.Allreduce {
			continue
		}
		for _, ranks := range []int{2, 16, 64, 12, 33} {
			for _, r := range []collectives.Redundancy{
				{Sources: 1}, {Sources: 2}, {Sources: 3, SendOverhead: 2e-7},
				{Sources: 1, Reception: collectives.CPU}, {Sources: 1, Reception: collectives.NIC},
				{Sources: 1, Forward: true}, {Sources: 1, Forward: true, Reception: collectives.CPU},
				{Sources: 2, Forward: true, Reception: collectives.NIC, SendOverhead: 1e-7},
			} {
				r.Max = collectives.AllExchanges
				p := collectives.Problem{
					Ranks: ranks, Bytes: 64, Latency: 1e-6, Bandwidth: 1e18, MemoryBandwidth: 1e10, Redundancy: r,
				}
				if _, err := a.Schedule(p); err != nil {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%+v", a.Name, ranks, r), func(t *testing.T) {
					all := both(t, a, p, os)
					for seed := range tests.Part(uint64(5), 1) {
						key := rng.NewKey(seed, "detours")
						inRounds := trial(t, all[0], key)
						for name, sharing := range sharings {
							inFlows := trial(t, all[1+sharing], key)
							if len(inRounds) != len(inFlows) {
								t.Fatalf("%d T in rounds, %d on flows", len(inRounds), len(inFlows))
							}
							for T := range inRounds {
								apart := math.Abs(inFlows[T] - inRounds[T])
								if apart > 1e-12 && (r.Reception != collectives.CPU || apart > 5*p.Combine(p.Bytes)) {
									t.Errorf("%s, seed %d, T = %d: %g s on flows, %g s in rounds", name,
										seed, T, inFlows[T], inRounds[T])
								}
							}
						}
					}
				})
			}
		}
	}
}

// Copies of a round share the link of their sender, where rounds send one after the other: without
// noise each round of a butterfly from R sources takes α + R·N/B on flows.
func TestCopiesShareTheLinkOfTheirSender(t *testing.T) {
	butterfly := collectives.Algorithms[0]
	for _, bytes := range []float64{8, 1 << 10, 1 << 13, 1 << 16} {
		for sources := 1; sources <= 3; sources++ {
			p := collectives.Problem{
				Ranks: 16, Bytes: bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e15, Busy: true,
				Redundancy: collectives.Redundancy{Sources: sources, Max: collectives.AllExchanges},
			}
			all := both(t, butterfly, p, noise.None{})
			want := 0.0
			for k := range 4 {
				want += 1e-6 + float64(min(sources, 1<<k))*bytes/1e9
			}
			inRounds, inFlows := trial(t, all[0])[0], trial(t, all[1+flow.Equal])
			for name, sharing := range sharings {
				for T, got := range trial(t, all[1+sharing]) {
					if math.Abs(got/want-1) > 1e-6 {
						t.Errorf("%s, %g bytes, R = %d, T = %d: %g s, want %g s", name, bytes, sources, T,
							got, want)
					}
				}
			}
			switch apart := inFlows[0]/inRounds - 1; {
			case sources == 1 && math.Abs(apart) > 0.01,
				bytes >= 1<<13 && math.Abs(apart) > 0.1, apart < -0.01:
				t.Errorf("%g bytes, R = %d: %g s on flows, %g s in rounds", bytes, sources, inFlows[0], inRounds)
			}
		}
	}
}

// The copies of a trial occupy links until they arrive: on an oversubscribed tree those of a
// binomial broadcast delay messages that others wait for. A trial with T = 0 is the same whichever
// T there are.
func TestCopiesDelayOthers(t *testing.T) {
	tree := tests.Must(network.ParseTopology("fat-tree:4x4x8:4"))(t)
	times := func(sharing flow.Sharing, most int) []float64 {
		p := collectives.Problem{
			Ranks: 128, Bytes: 1 << 16, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
			Redundancy: collectives.Redundancy{Sources: 1, Max: most},
		}
		s := tests.Must(collectives.Binomial(p))(t)
		m := &network.Model{
			Network: &flow.Network{Scenario: network.On(&p, s, tree), Sharing: sharing},
			Noise: network.Noise{
				OS:      noise.None{},
				Network: noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(1e-6)},
			},
		}
		sums := make([]float64, most+1)
		for seed := range uint64(20) {
			key := rng.NewKey(seed, "copies")
			for T, c := range trial(t, m, key) {
				sums[T] += c
			}
		}
		return sums
	}
	for name, sharing := range sharings {
		none, some := times(sharing, 0), times(sharing, 3)
		if none[0] != some[0] {
			t.Errorf("%s: T = 0 takes %g s, and %g s beside larger T", name, none[0], some[0])
		}
		if some[3] < 1.03*some[0] {
			t.Errorf("%s: T = 3 takes %g s, T = 0 %g s: copies delay nobody", name, some[3], some[0])
		}
	}
}

// Without noise and through a crossbar, an allreduce in whose rounds all ranks receive takes as
// long on flows as in rounds whose links are busy. In others messages can also meet on the links to
// their receivers, which rounds do not have.
func TestAllreducesTakeAsLongAsInRounds(t *testing.T) {
	for _, a := range collectives.Algorithms {
		if a.Operation != collectives.Allreduce {
			continue
		}
		for _, ranks := range []int{2, 16, 64, 12, 33} {
			for _, bytes := range []float64{8, 1 << 13, 1 << 16} {
				p := collectives.Problem{
					Ranks: ranks, Bytes: bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
					Busy: true, Redundancy: collectives.Redundancy{Sources: 1},
				}
				inRounds := trial(t, &rounds.Model{
					Algorithm: a, Problem: p, OS: noise.None{}, Network: noise.None{},
				})[0]
				s := tests.Must(a.Schedule(p))(t)
				inFlows := trial(t, &network.Model{
					Network: &flow.Network{Scenario: network.On(&p, s, models.Place(t, fmt.Sprintf("crossbar:%d", ranks)))},
					Noise:   network.Noise{OS: noise.None{}, Network: noise.None{}},
				})[0]
				alone := !slices.ContainsFunc(s.Rounds, func(r collectives.Round) bool {
					return len(r.Sources) > 0 && r.Receivers != collectives.Span{Lo: 0, Hi: ranks}
				})
				if apart := inFlows/inRounds - 1; alone && apart > 0.01 || apart < -0.01 {
					t.Errorf("%s of %d ranks and %g bytes: %g s on flows, %g s in rounds", a.Name, ranks, bytes,
						inFlows, inRounds)
				}
			}
		}
	}
}

// In a pause from 2 to 100 s rank 1 gets the message of the first round, from rank 0, and then that of the
// second, from rank 3. After the pause it takes the first, combines it and posts its own of the second round,
// each in 1 s, before it takes the other. Its message leaves at 103 s, and rank 3 has combined it at 107 s.
func TestWhatAMessageLetsARankDoComesFirst(t *testing.T) {
	p := collectives.Problem{
		Ranks: 4, Bytes: 1, Latency: 1, Bandwidth: 1, MemoryBandwidth: 1, Host: collectives.Host{Overhead: 1},
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	s := tests.Must(collectives.Butterfly(p))(t)
	on := flow.Network{Scenario: network.On(&p, s, models.Place(t, "crossbar:4"))}
	host := detours{nil, {{2, 100}}, nil, nil}
	if got := run(t, on, host, network.NoiseFree{}).CompletionTime; got != 107 {
		t.Errorf("%g s, want 107 s", got)
	}
}

// A rank that starts late delays all others by as much, and detours during the work on what was
// received delay an allreduce, as in rounds.
func TestAllreducesMeetDetours(t *testing.T) {
	butterfly := collectives.Algorithms[0]
	p := collectives.Problem{
		Ranks: 8, Bytes: 1000, Latency: 1, Bandwidth: 1000, MemoryBandwidth: 1000, Busy: true,
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	s := tests.Must(butterfly.Schedule(p))(t)
	on := flow.Network{Scenario: network.On(&p, s, models.Place(t, "crossbar:8"))}
	host := make(detours, 8)
	if got := run(t, on, host, network.NoiseFree{}).CompletionTime; got != 3*(1+1+1) {
		t.Errorf("%g s without detours, want 9 s", got)
	}
	host[5] = []struct{ begin, end float64 }{{-1, 4}}
	if got := run(t, on, host, network.NoiseFree{}).CompletionTime; got != 4+9 {
		t.Errorf("%g s after a start at 4 s, want 13 s", got)
	}
	host[5] = []struct{ begin, end float64 }{{2.5, 7.5}}
	if got := run(t, on, host, network.NoiseFree{}).CompletionTime; got != 9+5 {
		t.Errorf("%g s with a detour of 5 s during the first work, want 14 s", got)
	}
}

// applications returns iterations of an allreduce in rounds, and on flows through a crossbar, under
// the same detours.
func applications(t *testing.T, p collectives.Problem, os noise.OS,
	app rounds.Application,
) [2]*rounds.Application {
	t.Helper()
	butterfly := collectives.Algorithms[0]
	app.Collective = rounds.Model{Algorithm: butterfly, Problem: p, OS: os, Network: noise.None{}}
	on := app
	on.Network = both(t, butterfly, p, os)[1+flow.Equal].(*network.Model)
	return [2]*rounds.Application{&app, &on}
}

// Without noise ten calls take ten times as long as one, and the copies of each but the last, which
// occupy the links of their senders before the next call's messages.
func TestCallsWaitForCopies(t *testing.T) {
	const bytes = 1 << 16
	p := collectives.Problem{
		Ranks: 16, Bytes: bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e15, Busy: true,
		Redundancy: collectives.Redundancy{Sources: 1, Max: collectives.AllExchanges},
	}
	for i, app := range applications(t, p, noise.None{}, rounds.Application{Iterations: 1, Calls: 10}) {
		times := trial(t, app)
		per := len(times) / 5
		for T := range 5 {
			want := 10*4*(1e-6+bytes/1e9) + 9*float64(T)*bytes/1e9
			if got := times[(T+1)*per-1]; math.Abs(got/want-1) > 1e-6 {
				t.Errorf("model %d, T = %d: %g s, want %g s", i, T, got, want)
			}
		}
	}
}

// Where messages take links hardly any time, iterations take as long on flows as in rounds under
// the same detours, whatever R, T, reception and compute times.
func TestIterationsTakeAsLongAsInRounds(t *testing.T) {
	os := noise.Periodic{Period: 50e-6, Duration: 5e-6, Start: noise.Random}
	for _, r := range []collectives.Redundancy{
		{Sources: 1}, {Sources: 2}, {Sources: 1, Reception: collectives.CPU},
		{Sources: 2, Reception: collectives.NIC, Forward: true},
	} {
		for _, compute := range []rounds.Compute{{}, {Mean: 5e-6}, {Mean: 5e-6, Random: 0.2, Persistent: 0.1}} {
			r.Max = collectives.AllExchanges
			p := collectives.Problem{
				Ranks: 32, Bytes: 8, Latency: 1e-6, Bandwidth: 1e18, MemoryBandwidth: 1e15, Redundancy: r,
			}
			t.Run(fmt.Sprintf("%+v/%+v", r, compute), func(t *testing.T) {
				pair := applications(t, p, os, rounds.Application{
					Iterations: 40, Warmup: 4, Calls: 2, Compute: compute,
				})
				for seed := range tests.Part(uint64(3), 1) {
					key := rng.NewKey(seed, "iterations")
					inRounds, onFlows := trial(t, pair[0], key), trial(t, pair[1], key)
					for i := range inRounds {
						if math.Abs(onFlows[i]/inRounds[i]-1) > 1e-6 {
							t.Errorf("seed %d, checkpoint %d: %g s on flows, %g s in rounds", seed, i, onFlows[i],
								inRounds[i])
						}
					}
				}
			})
		}
	}
}

// A butterfly of 1024 ranks with T = 3 under noise, on a fat tree.
func BenchmarkAllreduce(b *testing.B) {
	p := collectives.Problem{
		Ranks: 1024, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
		Redundancy: collectives.Redundancy{Sources: 1, Max: 3, Reception: collectives.CPU, SendOverhead: 150e-9},
	}
	s := tests.Must(collectives.Butterfly(p))(b)
	m := &network.Model{
		Network: &flow.Network{Scenario: network.On(&p, s, models.Place(b, "fat-tree:8x8x16"))},
		Noise: network.Noise{
			OS:      noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random},
			Network: noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(10e-6)},
		},
	}
	r := tests.Must(m.NewRunner(nil))(b)
	trials := []montecarlo.Trial{{Completion: make([]float64, 4)}}
	for i := range b.N {
		tests.NoError(b, r.Run(b.Context(), []rng.Key{rng.NewKey(uint64(i), "")}, trials))
	}
}
