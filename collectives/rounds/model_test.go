package rounds_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// model is a butterfly of 8 B at 100 ns and 1 GB/s, combined at 10 GB/s, under detours and
// network events of 10 µs every 1 ms.
func model(ranks int) rounds.Model {
	return rounds.Model{
		Algorithm: collectives.Algorithms[0],
		Problem: collectives.Problem{
			Ranks: ranks, Bytes: 8,
			Latency: 100e-9, Bandwidth: 1e9, MemoryBandwidth: 10e9,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:      noise.Periodic{Period: 1e-3, Duration: 10e-6},
		Network: noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(10e-6)},
	}
}

// trials simulates the trials of a model one at a time.
type trials struct {
	t         testing.TB
	compiled  *rounds.Compiled
	simulator *rounds.Simulator
	detours   noise.Detours
	delays    noise.Delays
	trial     rounds.Trial
}

func newTrials(t testing.TB, m *rounds.Model) *trials {
	t.Helper()
	s := models.Schedule(t, m.Algorithm.Name, m.Problem)
	return &trials{
		t: t, compiled: rounds.Compile(&s, m.Problem), simulator: rounds.NewSimulator(s.Ranks),
		detours: m.OS.Detours(make([]float64, s.Ranks)), delays: m.Network.Delays(),
		trial: rounds.Trial{Completion: make([]float64, len(s.Checkpoints))},
	}
}

// asTheyAre leaves detours all their capabilities.
func asTheyAre(d noise.Detours) noise.Detours { return d }

// notListed takes all capabilities from detours.
func notListed(d noise.Detours) noise.Detours { return struct{ noise.Detours }{d} }

// run simulates the trial that the key names, and returns how many messages that takes.
func (t *trials) run(key rng.Key, as func(noise.Detours) noise.Detours) (messages float64) {
	t.t.Helper()
	t.detours.Draw(t.compiled.Ranks, key)
	t.delays.Draw(t.compiled.Ranks, key)
	given := rounds.NewNoise(as(t.detours), t.delays)
	if err := t.simulator.Run(context.Background(), t.compiled, given, &t.trial); err != nil {
		t.t.Fatal(err)
	}
	for _, r := range t.compiled.Rounds[:t.trial.Rounds] {
		messages += float64(r.Receivers.Hi - r.Receivers.Lo)
	}
	return messages
}

// A runner skips trials that noise does not touch, and takes several of few ranks at a
// time. Their times are those of each alone, from the same random numbers.
func TestRunnerIsTheTrialsAlone(t *testing.T) {
	n := tests.Part(75, 25)
	var old montecarlo.Runner // of other sizes and noises
	for _, ranks := range tests.Part([]int{2, 16, 128, 512, 1024}, []int{2, 128, 1024}) {
		// few events, some, and all windows of phases
		for _, wire := range []float64{100e-9, 30e-6, 400e-6} {
			for _, variant := range []struct {
				name      string
				reception collectives.Reception
				os        noise.OS
				network   noise.Network
			}{
				{"synchronized start", collectives.Offload, noise.Periodic{Period: 1e-3, Duration: 10e-6},
					constantEvents},
				{"random start", collectives.CPU, noise.Periodic{Period: 1e-3, Duration: 10e-6,
					Start: noise.Random}, exponentialEvents},
				{"nodes", collectives.Offload, noise.Periodic{Period: 1e-3, Duration: 10e-6, Shared: 48},
					constantEvents},
				{"sources", collectives.Offload, manySources, constantEvents},
				{"sources, random start", collectives.CPU, randomStart(manySources), latencies},
				{"sources on nodes", collectives.Offload, onNodes(manySources), constantEvents},
				{"trace", collectives.Offload, noise.Superposition{Components: noise.Components(3, replay)},
					constantEvents},
				{"trace and sources", collectives.Offload, noise.Superposition{Start: noise.Random,
					Components: append(noise.Components(0, replay), manySources.Components...)}, latencies},
				{"a detour a piece of work", collectives.Offload, bernoulli, constantEvents},
				{"pieces of receiving", collectives.CPU, bernoulli, constantEvents},
				{"classes of nodes", collectives.CPU, fleet, latencies},
			} {
				t.Run(fmt.Sprintf("P=%d/%g/%s", ranks, wire, variant.name), func(t *testing.T) {
					m := model(ranks)
					m.Problem.Latency, m.Problem.Redundancy.Reception = wire, variant.reception
					m.OS, m.Network = variant.os, variant.network
					runner := tests.Must(m.NewRunner(old))(t)
					keys, got := make([]rng.Key, n), make([]montecarlo.Trial, n)
					alone := newTrials(t, &m)
					for i := range keys {
						keys[i] = rng.NewKey(1, "runner").Derive(uint64(i))
						got[i].Completion = make([]float64, len(alone.trial.Completion))
					}
					tests.NoError(t, runner.Run(t.Context(), keys, got))
					old = runner
					for i, key := range keys {
						alone.run(key, notListed)
						if !slices.Equal(got[i].Completion, alone.trial.Completion) {
							t.Fatalf("trial %d completes at %v, alone at %v", i, got[i].Completion,
								alone.trial.Completion)
						}
					}
				})
			}
		}
	}
}

var (
	constantEvents    = noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(10e-6)}
	exponentialEvents = noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Exponential{Average: 10e-6}}
	latencies         = noise.Latencies{Lengths: noise.Exponential{Average: 1e-7}}
	bernoulli         = noise.Superposition{Components: manySources.Components,
		Pieces: []noise.Bernoulli{{Probability: 0.01, Lengths: noise.Constant(1e-6)}}}
	replay = noise.Replay{Trace: noise.Trace{Cores: []noise.Core{{Span: 900e-6,
		Detours: []noise.Detour{
			{Start: 100e-6, Length: 5e-6}, {Start: 300e-6, Length: 20e-6}, {Start: 330.5e-6, Length: 2e-6},
		}}}}}
	manySources = noise.Superposition{Components: noise.Components(0,
		noise.Ticks{Period: 1e-3, Lengths: noise.Constant(10e-6)},
		noise.PoissonDetours{Interval: 5e-3, Lengths: noise.Exponential{Average: 20e-6}})}
)

// fleet has nodes of five ranks that are slower, and some that have more detours.
var fleet = noise.Fleet{Node: 5, Classes: []noise.Class{
	{OS: noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}, Share: 0.9},
	{OS: randomStart(manySources), Share: 0.06},
	{OS: noise.None{}, Share: 0.04, Speed: 0.5},
}}

func randomStart(s noise.Superposition) noise.OS {
	s.Start = noise.Random
	return s
}

func onNodes(s noise.Superposition) noise.OS {
	s.Components = slices.Clone(s.Components)
	for i := range s.Components {
		s.Components[i].Shared = 48
	}
	return s
}

// A detour that ranks have at the same time counts once: those that begin and those under way.
func TestTailOfSharedDetours(t *testing.T) {
	m := model(64)
	m.Network = noise.None{}
	tail := func(shared int, launch noise.Start) float64 {
		m.OS = noise.Superposition{Start: launch, Components: noise.Components(shared,
			noise.PoissonDetours{Interval: 1e-3, Lengths: noise.Exponential{Average: 10e-6}})}
		shape := tests.Must(m.Shape())(t)
		return shape.Tail(50e-6)
	}
	for _, launch := range []noise.Start{noise.Synchronized, noise.Random} {
		for shared, groups := range map[int]float64{1: 64, 48: 2, 64: 1} {
			if got, want := tail(shared, launch)/tail(64, launch), groups; math.Abs(got-want) > 1e-9 {
				t.Errorf("launch %d: %d ranks share detours, that exceed 50 µs by %g times those of one, want %g",
					launch, shared, got, want)
			}
		}
	}
	if begun, all := tail(1, noise.Synchronized), tail(1, noise.Random); all < 5*begun {
		t.Errorf("at a random start detours exceed 50 µs by %g s, and %g s in a trial", all, begun)
	}
}

// shortGaps has gaps end right after the time up to which they are asked for, where more
// is not known: who works longer than that meets detours that do not exist.
type shortGaps struct {
	noise.Detours
	first, end []float64
}

func (s *shortGaps) Gaps(lo int, upto float64) vector.Gaps {
	g := s.Detours.(noise.GapDetours).Gaps(lo, upto)
	for r := lo; r < min(lo+noise.Block, len(s.first)); r++ {
		s.first[r], s.end[r] = g.First[r], g.End[r]
		if math.IsInf(g.End[r], 1) {
			s.end[r] = math.Nextafter(upto, math.Inf(1))
			s.first[r] = s.end[r]
		}
	}
	g.First, g.End = s.first, s.end
	return g
}

// No trial has a bound below the bounds of all, however early its ranks begin.
func TestTrialsHaveTheBoundOfAll(t *testing.T) {
	m := model(64)
	for _, trial := range models.Run(t, &m, models.Keys("bound", 20)...) {
		if least := m.LowerBound(); trial.LowerBound < least || trial.LowerBound > trial.Completion[0] {
			t.Errorf("a bound of %g, between %g and %g", trial.LowerBound, least, trial.Completion[0])
		}
	}
}

// Rounds of pairs ask for gaps as far as anybody works in them.
func TestGapsAreKnownFarEnough(t *testing.T) {
	for _, wire := range []float64{10e-9, 1e-6, 40e-6} {
		m := model(4096)
		m.Problem.Latency = wire
		m.OS = noise.Periodic{Period: 10e-3, Duration: 5e-3}
		m.Network = noise.PoissonDelays{Interval: 1e-2, Lengths: noise.Exponential{Average: 100e-6}}
		without, short := newTrials(t, &m), newTrials(t, &m)
		for i := range uint64(50) {
			key := rng.NewKey(i, "gaps")
			without.run(key, notListed)
			short.run(key, func(d noise.Detours) noise.Detours {
				return &shortGaps{d, make([]float64, 4096), make([]float64, 4096)}
			})
			if diff := tests.Diff(without.trial, short.trial); diff != "" {
				t.Fatalf("%g s, trial %d (-without gaps +with gaps as short as may be):\n%s", wire, i, diff)
			}
		}
	}
}

// A schedule is simulated by the fastest executor of all its rounds.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		change func(*rounds.Model)
		want   string
	}{
		{func(*rounds.Model) {}, "tile by tile, in passes over pairs"},
		{func(m *rounds.Model) { m.Problem.Redundancy.Sources = 2 }, "tile by tile"},
		{func(m *rounds.Model) { m.Problem.Ranks = 100 }, "round by round"},
		{func(m *rounds.Model) { m.Problem.Host.Gap = 1e-7 }, "round by round"},
		{func(m *rounds.Model) { m.Problem.Host.Gap, m.Problem.Ranks = 1e-7, 1<<15 }, "tile by tile"},
	} {
		m := model(128)
		c.change(&m)
		if got := m.Explain(); got != c.want {
			t.Errorf("%+v: %q, want %q", m.Problem, got, c.want)
		}
	}
}

// Where a model says so, completions fall with T in every trial, or stay, or none is earlier than
// without noise.
func TestMonotoneModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rounds.Model{
			Algorithm: rapid.SampledFrom(collectives.Algorithms).Draw(t, "algorithm"),
			Problem: collectives.Problem{
				Ranks: rapid.IntRange(2, 40).Draw(t, "ranks"), Bytes: 8,
				Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
				Node: collectives.Node{Ranks: rapid.IntRange(1, 3).Draw(t, "ranks of a node"),
					Latency: 0.3e-6, Bandwidth: 2e9},
				Segments: 1,
				Redundancy: collectives.Redundancy{
					Max: collectives.AllExchanges, Sources: rapid.IntRange(1, 3).Draw(t, "sources"),
					Reception:    rapid.SampledFrom(receptions).Draw(t, "reception"),
					Forward:      rapid.Bool().Draw(t, "forward"),
					SendOverhead: rapid.SampledFrom([]float64{0, 0, 1e-7}).Draw(t, "send overhead"),
				},
			},
			OS: noise.Periodic{Period: 50e-6, Duration: 10e-6,
				Start: rapid.SampledFrom([]noise.Start{noise.Synchronized, noise.Random}).Draw(t, "start")},
			Network: noise.PoissonDelays{Interval: 30e-6, Lengths: noise.Constant(5e-6)},
		}
		shape, err := m.Shape()
		if err != nil || !shape.Monotone {
			t.Skip("not monotone")
		}
		quiet, keys := models.NoiseFree(t, &m), make([]rng.Key, 20)
		for i := range keys {
			keys[i] = rng.NewKey(rapid.Uint64().Draw(t, "seed"), "monotone").Derive(uint64(i))
		}
		for i, trial := range models.Run(t, &m, keys...) {
			for k, x := range trial.Completion {
				// Where a detour ends follows from when work began, to a last digit.
				if shape.NoiseOnlyDelays && x < quiet.Completion[k] || k > 0 && x > trial.Completion[k-1]*(1+1e-14) {
					t.Fatalf("trial %d: %v, without noise %v", i, trial.Completion, quiet.Completion)
				}
			}
		}
	})
}

// The history of forwarding is of all ranks in all rounds.
func TestForwardingTakesMemory(t *testing.T) {
	m := model(1 << 12)
	memory := func(forward bool) float64 {
		m.Problem.Redundancy.Forward = forward
		shape := tests.Must(m.Shape())(t)
		return shape.Memory
	}
	if more, history := memory(true)-memory(false), 8.*12*(1<<12); more < history || more > 2*history {
		t.Errorf("%v bytes more, for a history of %v", more, history)
	}
}

// Drawing listed detours takes work in proportion to their number, and drawing periodic ones next to none.
func TestNoiseTakesWork(t *testing.T) {
	noiseOf := func(os noise.OS, iterations int) float64 {
		m := model(1024)
		m.OS = os
		a := &rounds.Application{
			Collective: m, Iterations: iterations, Calls: 1, Compute: rounds.Compute{Mean: 10e-3},
		}
		shape, err := a.Shape()
		if err != nil {
			t.Fatal(err)
		}
		return shape.Noise
	}
	detours := func(interval float64) noise.OS {
		source := noise.PoissonDetours{Interval: interval, Lengths: noise.Constant(1e-6)}
		return noise.Superposition{Components: noise.Components(1, source)}
	}
	one := noiseOf(detours(1e-3), 1)
	if drawn := 1024 * 10e-3 / 1e-3; one < drawn || one > 20*drawn {
		t.Errorf("drawing about %g detours takes as much work as %g messages", drawn, one)
	}
	for _, x := range []struct {
		what       string
		noise      noise.OS
		iterations int
		want       float64
	}{
		{"half of the detours", detours(2e-3), 1, one / 2}, {"five iterations", detours(1e-3), 5, 5 * one},
		{"periodic detours", model(1024).OS, 1, 0},
	} {
		if got := noiseOf(x.noise, x.iterations); math.Abs(got-x.want) > 1e-9*one {
			t.Errorf("%s: %g messages, not %g", x.what, got, x.want)
		}
	}
}
