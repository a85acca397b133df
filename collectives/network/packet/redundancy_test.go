package packet_test

import (
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// An allreduce of 64 ranks from several sources on a torus, without noise, takes packets about as
// long as flows, but for copies of some packets, where the first of several arrives before the
// last. From one controller copies leave one after the other, latency included.
func TestCopiesAgainstFlows(t *testing.T) {
	torus := tests.Must(network.ParseTopology("torus:8x8"))(t)
	times := func(sources, controllers int, bytes float64) (packets, flows float64) {
		p := collectives.Problem{
			Ranks: 64, Bytes: bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e15,
			Redundancy: collectives.Redundancy{Sources: sources},
		}
		s := tests.Must(collectives.Butterfly(p))(t)
		on := network.On(&p, s, torus)
		on.Controllers = controllers
		return noiseFree(t, &packet.Network{
			Scenario: on, Flit: 8, Flits: 8, Channels: 2, Buffer: 8, Hop: 1, Credit: 1,
		}), noiseFree(t, &flow.Network{Scenario: on})
	}
	for _, bytes := range []float64{8, 1 << 10, 1 << 13} {
		for sources := 1; sources <= 3; sources++ {
			packets, flows := times(sources, 3, bytes)
			if apart := packets / flows; apart < 0.8 || apart > 1.15 || bytes == 1<<10 && sources == 3 && apart > 0.9 {
				t.Errorf("%g bytes, R = %d: %g s with packets, %g s on flows", bytes, sources, packets, flows)
			}
		}
	}
	one, _ := times(1, 1, 8)
	two, _ := times(2, 1, 8)
	if two < 1.4*one {
		t.Errorf("from one controller %g s for R = 2, %g s for R = 1", two, one)
	}
}

// noiseFree returns the time of a collective on a network [s].
func noiseFree(t *testing.T, n network.Network) float64 {
	t.Helper()
	m := &network.Model{Network: n, Noise: network.Noise{OS: noise.None{}, Network: noise.None{}}}
	return models.NoiseFree(t, m).Completion[0]
}
