package montecarlo_test

import (
	"context"
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A setup is a configuration that a test changes before it is run.
type setup struct {
	Algorithm   collectives.Algorithm
	Problem     collectives.Problem
	Flows       *network.Problem // unless nil, simulated instead of the algorithm
	OS          noise.OS
	Network     noise.Network
	Environment string
	Reference   bool
}

// reference is the setup of the published check values: 8 B at 100 ns
// and 1 GB/s, combined at 10 GB/s, under detours and network events of 10 µs
// every 1 ms.
func reference(ranks int) setup {
	return setup{
		Algorithm: collectives.Algorithms[0],
		Problem: collectives.Problem{
			Ranks: ranks, Bytes: 8,
			Latency: 100e-9, Bandwidth: 1e9, MemoryBandwidth: 10e9,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:          noise.Periodic{Period: 1e-3, Duration: 10e-6},
		Network:     noise.Poisson{Interval: 1e-3, Lengths: noise.Constant(10e-6)},
		Environment: fmt.Sprintf("reference ranks=%d", ranks),
	}
}

// config is what montecarlo runs.
func (s setup) config() montecarlo.Config {
	c := montecarlo.Config{Environment: s.Environment, Reference: s.Reference}
	if f := s.Flows; f != nil {
		polling := s.Problem.Host.Polled(f.Topology.Nodes())
		c.Model = &network.Model{Problem: *f, Polling: polling, Noise: network.Noise{OS: s.OS, Network: s.Network}}
	} else {
		c.Model = &rounds.Model{Algorithm: s.Algorithm, Problem: s.Problem, OS: s.OS,
			Network: s.Network}
	}
	return c
}

func (s setup) replay(
	ctx context.Context, trial, T int,
) (*recording.Recording, error) {
	c := s.config()
	return c.Replay(ctx, 1, trial, T)
}

// field is a field of setups.
func field(setups ...setup) montecarlo.Field {
	var f montecarlo.Field
	for _, s := range setups {
		f = append(f, s.config())
	}
	return f
}
