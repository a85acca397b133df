package flow_test

import (
	"fmt"
	"math"
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
