package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"jitterfly/cli/study"
	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/noise"
	"jitterfly/noise/measured/formats"
)

// A predictor simulates the operations of a benchmark under its noise.
type predictor struct {
	*formats.Bench
	os      noise.OS
	network noise.Network
	trials  int
	seed    uint64
}

// costs are what an operation takes besides computing [s].
type costs struct {
	message  float64 // of a message, from a node to another if the scheme has leaders
	memory   float64 // of reading what another rank of the node has written
	overhead float64 // of posting a copy
}

// model returns the operations of a scheme: the butterfly of the library, which forwards results, or
// its leaders, and ranks receive with their processors. The fitted time of a message includes
// combining.
func (p *predictor) model(s formats.Scheme, c costs, os noise.OS) montecarlo.Model {
	network := p.network
	if _, silent := os.(noise.None); silent {
		network = noise.None{}
	}
	m := rounds.Model{
		Algorithm: collectives.Algorithms[0], OS: os, Network: network,
		Problem: collectives.Problem{
			Ranks: p.Ranks, Bytes: s.Bytes,
			Latency: c.message, Bandwidth: math.Inf(1), MemoryBandwidth: math.Inf(1),
			Redundancy: collectives.Redundancy{
				Max: s.Copies, Sources: s.Sources, SendOverhead: c.overhead,
				Reception: collectives.CPU, Forward: s.Leaders == 0,
			},
		},
	}
	if s.Leaders > 0 {
		m.Algorithm, _ = collectives.Find("leaders")
		m.Problem.Leaders, m.Problem.Share = s.Leaders, s.Share
		m.Problem.Node = collectives.Node{
			Ranks: p.RanksPerNode, Latency: c.memory, Bandwidth: math.Inf(1),
		}
	}
	if s.Iterations == 0 {
		return &m
	}
	return &rounds.Application{
		Collective: m, Iterations: s.Iterations, Calls: 1,
		Compute: rounds.Compute{Mean: s.Compute},
	}
}

// noiseFree returns what an operation takes without noise [s].
func (p *predictor) noiseFree(
	ctx context.Context, s formats.Scheme, c costs,
) (float64, error) {
	times, err := p.simulate(ctx, p.model(s, c, noise.None{}), 1, s)
	if err != nil {
		return 0, err
	}
	return times[0], nil
}

// delays returns what noise adds to operations that take a time without it [s].
func (p *predictor) delays(
	ctx context.Context, s formats.Scheme, quiet float64,
) ([]float64, error) {
	c := costs{memory: p.NodeLatency, overhead: p.SendOverhead}
	least, err := p.noiseFree(ctx, s, c)
	if err != nil {
		return nil, err
	}
	if least >= quiet {
		return nil, fmt.Errorf("without noise an operation takes %.3g s, and computing, the memory of "+
			"nodes and posting copies alone %.3g s", quiet, least)
	}
	messages, err := p.noiseFree(ctx, s, costs{message: 1})
	if err != nil {
		return nil, err
	}
	messages -= s.Compute
	c.message = (quiet - least) / messages
	if p.Ranks < 2 || messages <= 0 {
		return nil, fmt.Errorf("%d ranks send no messages", p.Ranks)
	}
	trials := p.trials
	if s.Iterations > 0 {
		trials = max(1000, trials/s.Iterations)
	}
	times, err := p.simulate(ctx, p.model(s, c, p.os), trials, s)
	for i := range times {
		times[i] = max(0, times[i]-quiet)
	}
	return times, err
}

// simulate returns the times of the given number of operations, at the redundancy of the scheme.
func (p *predictor) simulate(
	ctx context.Context, m montecarlo.Model, trials int, s formats.Scheme,
) ([]float64, error) {
	shape, err := m.Shape()
	if err != nil {
		return nil, err
	}
	last := len(shape.Checkpoints) - 1
	if most := shape.Checkpoints[last].T; most < s.Copies {
		return nil, fmt.Errorf("%d ranks use at most T = %d, and the file has T = %d", p.Ranks, most,
			s.Copies)
	}
	runner, err := m.NewRunner(nil)
	if err != nil {
		return nil, err
	}
	key := rng.NewKey(p.seed, fmt.Sprintf("validate %v", workOf(s))) // schemes meet the same noise
	keys, all := make([]rng.Key, trials), make([]montecarlo.Trial, trials)
	for i := range keys {
		keys[i] = key.Derive(uint64(i))
		all[i].Completion = make([]float64, len(shape.Checkpoints))
	}
	if err := runner.Run(ctx, keys, all); err != nil {
		return nil, err
	}
	return study.Each(all, func(t montecarlo.Trial) float64 { return t.Completion[last] }), nil
}

type group struct {
	formats.Scheme
	operations []formats.Operation // in the order of the run
}

// groups returns the operations by their schemes, in the order of the first of each.
func groups(operations []formats.Operation) []group {
	schemes := vector.Groups(len(operations), func(i int) formats.Scheme { return operations[i].Scheme })
	return study.Each(schemes, func(of []int) group {
		in := study.Each(of, func(i int) formats.Operation { return operations[i] })
		slices.SortStableFunc(in, func(a, b formats.Operation) int { return int(a.Number - b.Number) })
		return group{in[0].Scheme, in}
	})
}

func timesOf(operations []formats.Operation) (noisy, quiet []float64) {
	for _, op := range operations {
		if op.Noisy {
			noisy = append(noisy, op.Seconds)
		} else {
			quiet = append(quiet, op.Seconds)
		}
	}
	slices.Sort(noisy)
	slices.Sort(quiet)
	return noisy, quiet
}

// baseline returns the times of operations without noise, sorted: times of quiet operations, or the
// fastest tenth of the noisy ones.
func baseline(noisy, quiet []float64) []float64 {
	if len(quiet) > 0 {
		return quiet
	}
	return noisy[:(len(noisy)+9)/10]
}
