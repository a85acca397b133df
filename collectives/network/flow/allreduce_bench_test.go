package flow_test

import (
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

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
