package montecarlo_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// on returns a collective on a topology, of messages that take 1 s for each byte.
func on(t testing.TB, name, place string, bytes float64) *flow.Network {
	t.Helper()
	nodes := tests.Must(network.ParseTopology(place))(t)
	a := tests.Must(collectives.Find(name))(t)
	p := collectives.Problem{
		Ranks: nodes.Nodes(), Bytes: bytes, Bandwidth: 1, Redundancy: collectives.Redundancy{Sources: 1},
	}
	if grid, ok := nodes.(*network.Grid); ok {
		p.Sides = grid.Sides()
	}
	s := tests.Must(a.Schedule(p))(t)
	return &flow.Network{Scenario: network.Scenario{Topology: nodes, Schedule: s, Bandwidth: 1}}
}

// flowsOn are those of A2AT, of messages that take 1 s each.
func flowsOn(t *testing.T, place string, controllers int) setup {
	t.Helper()
	f := on(t, "a2at", place, 1)
	f.Controllers = controllers
	return setup{
		Algorithm: collectives.Algorithm{Name: "a2at"},
		Problem:   collectives.Problem{Ranks: f.Topology.Nodes()},
		Flows:     f,
		OS:        noise.None{}, Network: noise.None{}, Environment: place,
	}
}

// In the flow engine no noise is none, a detour at a stationary launch delays
// the start, and events delay messages; all of it the same for any workers.
func TestFlowsUnderNoise(t *testing.T) {
	without, late, delayed := flowsOn(t, "torus:5x5", 2), flowsOn(t, "torus:5x5", 2), flowsOn(t,
		"torus:5x5", 2)
	late.OS = noise.Periodic{Period: 1000, Duration: 500, Start: noise.Random}
	delayed.Network = noise.PoissonDelays{Interval: 10, Lengths: noise.Constant(5)}
	s := &plan{
		Fields: []montecarlo.Field{field(without), field(late), field(delayed)}, Seed: 1, Tolerance: 0.01,
		Trials: montecarlo.Trials{Min: 40, Max: 40, Confidence: 0.95},
	}
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	for i, want := range []struct{ least, mean, most float64 }{
		{20, 20, 20}, // N(N+1)(N−1)/6
		// Half of the 25 nodes are inside a detour at the start, of which the
		// last ends at about 460; nearly all others have one before that, and
		// the last of those ends at about 920.
		{500, 920, 1100},
		{20, 60, 120},
	} {
		summary := results[i].Results[0].Summaries[0]
		if quantile(summary, 0) < want.least-1e-9 || quantile(summary, 1) > want.most+1e-9 ||
			math.Abs(summary.Mean-want.mean) > 0.5*want.mean {
			t.Errorf("field %d: %g to %g, mean %g; want %g to %g, about %g", i, quantile(summary, 0), quantile(summary, 1),
				summary.Mean, want.least, want.most, want.mean)
		}
		if math.Abs(summary.NoiseFree-20) > 1e-9 || summary.LowerBound > summary.Mean*(1+1e-12) ||
			results[i].Results[0].Checkpoints[0].Messages != 25*24 {
			t.Errorf("field %d: without noise %g, lower bound %g, mean %g, %g messages", i,
				summary.NoiseFree, summary.LowerBound, summary.Mean,
				results[i].Results[0].Checkpoints[0].Messages)
		}
	}
	five := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 5}))(t)
	for i := range s.Fields {
		for trial, c := range results[i].Results[0].Completion {
			if five[i].Results[0].Completion[trial] != c {
				t.Fatalf("field %d, trial %d: %g by one worker, %g by five", i, trial, c,
					five[i].Results[0].Completion[trial])
			}
		}
	}
}

// On a mesh whose messages fall out of step a delay can make others faster, so
// that a trial can be faster than without noise; but none is below its bound.
func TestLowerBoundOfFlowsHoldsWhereNoiseHelps(t *testing.T) {
	config := flowsOn(t, "mesh:7x7", 1)
	config.Flows.HopLatency = 0.01
	config.Network = noise.PoissonDelays{Interval: 1000, Lengths: noise.Constant(0.001)}
	s := &plan{
		Fields: []montecarlo.Field{field(config)}, Tolerance: 0.01,
		Trials: montecarlo.Trials{Min: 200, Max: 200, Confidence: 0.95},
	}
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)
	summary := results[0].Results[0].Summaries[0]
	if quantile(summary, 0) >= summary.NoiseFree {
		t.Errorf("%g s at least, %g s without noise: nothing is shown here", quantile(summary, 0),
			summary.NoiseFree)
	}
	if summary.LowerBound > quantile(summary, 0) {
		t.Errorf("a lower bound of %g s, and a trial of %g s", summary.LowerBound, quantile(summary, 0))
	}
}
