package montecarlo_test

import (
	"testing"

	"jitterfly/collectives"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// Intervals at 95% contain the mean for at least 93% of seeds, where noise is rare and where its
// lengths have a heavy tail, and begin no earlier than the time without noise, as lower bounds do; where a
// random start leaves little to redundancy, too. The mean is that of all seeds together.
func TestIntervalsCover(t *testing.T) {
	seeds := tests.Part(400, 100)
	heavy := reference(64)
	heavy.OS = noise.Superposition{Components: noise.Components(0,
		noise.PoissonDetours{Interval: 1e-3, Lengths: noise.Pareto{Least: 5e-6, Shape: 2}})}
	rare := reference(16)
	rare.OS = noise.Periodic{Period: 1e-3, Duration: 100e-6}
	rare.Network = noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(100e-6)}
	random := reference(128)
	stationary(&random)
	long := reference(4)
	long.OS = noise.Periodic{Period: 100e-3, Duration: 2.5e-3, Start: noise.Random}
	long.Network = noise.None{}
	tailed := func(length noise.Length) setup {
		c := reference(64)
		c.OS = noise.Superposition{Start: noise.Random, Components: noise.Components(0,
			noise.PoissonDetours{Interval: 1e-3, Lengths: length})}
		return c
	}
	lognormal, pareto := noise.Lognormal{Median: 10e-6, Sigma: 1.5}, noise.Pareto{Least: 5e-6, Shape: 2.5}
	for _, c := range []struct {
		name   string
		config setup
		trials int
	}{
		{"64 ranks", reference(64), 300},
		{"16 ranks, 100 µs", rare, 1000},
		{"128 ranks, random start", random, 1000},
		{"64 ranks, heavy tail", heavy, 1000},
		{"4 ranks, long detours, random start", long, 1000},
		{"64 ranks, lognormal, random start, 100 trials", tailed(lognormal), 100},
		{"64 ranks, lognormal, random start", tailed(lognormal), 1000},
		{"64 ranks, Pareto, random start, 100 trials", tailed(pareto), 100},
		{"64 ranks, Pareto, random start", tailed(pareto), 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := equally(c.trials)
			for seed := range seeds {
				s.Fields = append(s.Fields, field(c.config))
				s.Fields[seed][0].Environment = string(rune('a' + seed))
			}
			decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2}))(t)
			for T := range decisions[0].Results[0].Summaries {
				mean, covered := 0.0, 0
				for _, d := range decisions {
					mean += d.Results[0].Summaries[T].Mean / float64(seeds)
				}
				for _, d := range decisions {
					s := d.Results[0].Summaries[T]
					if s.Low <= mean && mean <= s.High {
						covered++
					}
					if s.Low < s.NoiseFree || s.Low > s.Mean || s.LowerBound > s.Mean*(1+1e-12) ||
						s.LowerBound < s.NoiseFree*(1-1e-12) {
						t.Fatalf("T = %d: [%g, %g] s about %g s, without noise %g s, lower bound %g s",
							T, s.Low, s.High, s.Mean, s.NoiseFree, s.LowerBound)
					}
				}
				if covered < seeds*tests.Part(93, 90)/100 {
					t.Errorf("T = %d: %d of %d intervals cover", T, covered, seeds)
				}
			}
		})
	}
}

// Choices under measured latencies, few of which are long, are within the tolerance of the best
// for at least 95% of the seeds in which they are claimed.
func TestChoicesUnderMeasuredLatencies(t *testing.T) {
	config := measuredSetup(t, "azure-hc44", 64)[0]
	long, _ := run(t, tests.Part(100_000, 30_000), config)
	best := long.Summaries[0].Mean
	for _, s := range long.Summaries {
		best = min(best, s.Mean)
	}
	seeds := tests.Part(50, 8)
	s := choosing(30, 20_000)
	for seed := range seeds {
		s.Fields = append(s.Fields, field(config))
		s.Fields[seed][0].Environment = string(rune('a' + seed))
	}
	decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)
	claimed, bad := 0, 0
	for _, d := range decisions {
		if d.Choice.Confidence >= 0.95 {
			claimed++
			if long.Summaries[d.Choice.Star.T].Mean > 1.01*best {
				bad++
			}
		}
	}
	if claimed < seeds/2 || bad > claimed*5/100 {
		t.Errorf("%d of %d choices are claimed, %d of them bad", claimed, seeds, bad)
	}
}

// measuredSetup is a butterfly on the network of a preset, under its noise.
func measuredSetup(t *testing.T, name string, ranks int) []setup {
	t.Helper()
	machine := tests.Must(profile.Read(datasets.Presets().Find(name), name))(t)
	config := reference(ranks)
	if n := machine.Network; n.Latency != nil {
		config.Problem.Latency, config.Problem.Bandwidth = *n.Latency, *n.Bandwidth
		config.Problem.Host = collectives.Host{Overhead: *n.Overhead, Gap: *n.Gap}
	}
	config.OS, config.Network = noise.None{}, noise.None{}
	if len(machine.OS) > 0 {
		config.OS = tests.Must(machine.Jitter(noise.Random, profile.Groups{}, nil))(t)
	}
	if machine.Network.Noisy() {
		config.Network = machine.Network.Model()
	}
	return []setup{config}
}
