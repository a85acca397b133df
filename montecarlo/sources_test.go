package montecarlo_test

import (
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// sources are jitters of every kind, far denser than real ones.
func sources(shared int, launch noise.Start) map[string]noise.OS {
	const µs = 1e-6
	ticks := noise.Ticks{Period: 400 * µs, Lengths: noise.Lognormal{Median: 3 * µs, Sigma: 0.5}}
	arrivals := noise.PoissonDetours{Interval: 2000 * µs, Lengths: noise.Pareto{Least: 10 * µs, Shape: 2.5}}
	replay := noise.Replay{Trace: noise.Trace{Cores: []noise.Core{{Span: 900 * µs,
		Detours: []noise.Detour{
			{Start: 100 * µs, Length: 5 * µs}, {Start: 300 * µs, Length: 20 * µs},
			{Start: 330.5 * µs, Length: 2 * µs},
		}}}}}
	of := func(s ...noise.Generator) noise.OS {
		return noise.Superposition{Start: launch, Components: noise.Components(shared, s...)}
	}
	return map[string]noise.OS{
		"periodic": noise.Periodic{Period: 1000 * µs, Duration: 10 * µs, Start: launch, Shared: shared},
		"ticks":    of(ticks), "arrivals": of(arrivals), "replay": of(replay),
		"all": of(ticks, arrivals, replay),
	}
}

// Ranks whose detours are the same are delayed together, so that many of them lose
// as little as two; each on its own they lose much more.
func TestCoScheduling(t *testing.T) {
	slowdown := func(ranks int, os noise.OS) float64 {
		config := reference(ranks)
		config.OS, config.Network = os, noise.None{}
		r, _ := run(t, 4000, config)
		return r.Summaries[0].Mean / r.Summaries[0].NoiseFree
	}
	const most = 1 << 14
	for name := range sources(1, noise.Synchronized) {
		two := slowdown(2, sources(2, noise.Synchronized)[name])
		shared := slowdown(most, sources(most, noise.Synchronized)[name])
		if shared > 1.3*two {
			t.Errorf("%s: at %d ranks that are delayed together a slow-down of %.3f, and at 2 one of %.3f",
				name, most, shared, two)
		}
	}
	if alone := slowdown(1<<10, sources(1, noise.Synchronized)["periodic"]); alone < 5 {
		t.Errorf("ranks that are delayed alone have a slow-down of %.3f", alone)
	}
}

// hidden hides the capabilities of detours from the executors.
type hidden struct{ noise.OS }

func (h hidden) Detours(room []float64) noise.Detours {
	return struct{ noise.Detours }{h.OS.Detours(room)}
}

// Detours with and without capabilities give the same trials, to the last bit.
func TestSourcesWithoutCapabilities(t *testing.T) {
	for _, launch := range []noise.Start{noise.Synchronized, noise.Random} {
		all := sources(1, launch)
		all["fleet"] = noise.Fleet{Classes: []noise.Class{
			{OS: all["all"], Share: 0.999}, {OS: noise.None{}, Share: 0.001, Speed: 0.9}}}
		for name, os := range all {
			config := reference(1 << 12)
			config.Problem.Redundancy.Sources = 2
			config.OS = os
			sparse, _ := run(t, 20, config)
			config.OS = hidden{os}
			dense, _ := run(t, 20, config)
			if !slices.Equal(sparse.Completion, dense.Completion) {
				t.Errorf("%s, launch %d: other times if all is simulated", name, launch)
			}
		}
	}
}

// Every source delays every collective, and none gets below its bound.
func TestSourcesWithCollectives(t *testing.T) {
	jitters := sources(1, noise.Random)
	jitters["Bernoulli"] = noise.Superposition{Pieces: []noise.Bernoulli{
		{Probability: 0.05, Lengths: noise.Exponential{Average: 1e-6}}}}
	both := jitters["all"].(noise.Superposition)
	both.Pieces = []noise.Bernoulli{{Probability: 0.05, Lengths: noise.Constant(1e-6)}}
	jitters["Bernoulli and all"] = both
	jitters["fleet"] = noise.Fleet{Classes: []noise.Class{
		{OS: noise.None{}, Share: 0.95}, {OS: jitters["all"], Share: 0.05, Speed: 0.8}}}
	jitters["none"] = noise.None{}
	var configs []setup
	for _, a := range collectives.Algorithms {
		c := reference(64)
		c.Algorithm = a
		configs = append(configs, c)
	}
	flows := flowsOn(t, "torus:5x5", 2)
	flows.Flows.Schedule, flows.Flows.Bandwidth = on(t, "a2at", "torus:5x5", 1e4).Schedule, 1e9
	configs = append(configs, flows)
	for name, os := range jitters {
		for _, network := range []noise.Network{noise.None{},
			noise.Latencies{Lengths: noise.Exponential{Average: 1e-7}}} {
			for _, config := range configs {
				config.OS, config.Network = os, network
				r, _ := run(t, tests.Part(60, 15), config)
				_, quiet := network.(noise.None)
				quiet = quiet && name == "none"
				for _, s := range r.Summaries {
					if s.LowerBound > s.Mean*(1+1e-12) || quiet != (s.Mean <= s.NoiseFree*(1+1e-9)) {
						t.Errorf("%s, %T, %s: mean %g, without noise %g, lower bound %g", name, network,
							config.Algorithm.Name, s.Mean, s.NoiseFree, s.LowerBound)
					}
				}
			}
		}
	}
}
