package montecarlo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/recording"
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A setup is a configuration that a test changes before it is run.
type setup struct {
	Algorithm   collectives.Algorithm
	Problem     collectives.Problem
	Flows       *flow.Network // unless nil, simulated instead of the algorithm
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
			Sides: []int{1, ranks}, Messages: 3,
			Targets:    collectives.RandomRing(ranks, rand.New(rand.NewPCG(1, 1)).Shuffle),
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:          noise.Periodic{Period: 1e-3, Duration: 10e-6},
		Network:     noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(10e-6)},
		Environment: fmt.Sprintf("reference ranks=%d", ranks),
	}
}

// config is what montecarlo runs.
func (s setup) config() montecarlo.Config {
	c := montecarlo.Config{Environment: s.Environment, Reference: s.Reference}
	if f := s.Flows; f != nil {
		f.Polling = s.Problem.Host.Polled(f.Topology.Nodes())
		c.Model = &network.Model{Network: f, Noise: network.Noise{OS: s.OS, Network: s.Network}}
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
	runner, err := c.Model.NewRunner(nil)
	if err != nil {
		return nil, err
	}
	return runner.(recording.Recorder).Record(ctx, c.Key(1, trial), T)
}

// shares are those of the quantiles of summaries.
var shares = []float64{0, 0.5, 0.9, 0.95, 0.99, 1}

// quantile returns a quantile of a summary.
func quantile(s montecarlo.Summary, share float64) float64 {
	return s.Quantiles[slices.Index(shares, share)]
}

// A plan is a study with its fields, which [simulate] runs.
type plan struct {
	Fields    []montecarlo.Field
	Seed      uint64
	Trials    montecarlo.Trials
	Objective montecarlo.Objective
	Tolerance float64
}

// equally returns a study whose configurations all have n trials.
func equally(n int, fields ...montecarlo.Field) *plan {
	return &plan{Fields: fields, Seed: 1, Tolerance: 0.01,
		Trials: montecarlo.Trials{Min: n, Max: n, Confidence: 0.95}}
}

func (p *plan) Len() int                              { return len(p.Fields) }
func (p *plan) Field(i int) (montecarlo.Field, error) { return p.Fields[i], nil }

func simulate(ctx context.Context, p *plan, o montecarlo.Options) error {
	return montecarlo.Run(ctx, &montecarlo.Settings{
		Seed: p.Seed, Trials: p.Trials, Objective: p.Objective, Tolerance: p.Tolerance,
		Quantiles: shares,
	}, p, o)
}

// field is a field of setups.
func field(setups ...setup) montecarlo.Field {
	var f montecarlo.Field
	for _, s := range setups {
		f = append(f, s.config())
	}
	return f
}
