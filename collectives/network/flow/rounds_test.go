package flow_test

import (
	"fmt"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

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
