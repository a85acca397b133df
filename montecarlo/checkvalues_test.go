package montecarlo_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// run plays a configuration with a fixed number of trials.
func run(t testing.TB, trials int, config setup) (r montecarlo.Result, c montecarlo.Choice) {
	t.Helper()
	err := simulate(context.Background(), equally(trials, field(config)), montecarlo.Options{
		Done: func(_ int, d montecarlo.Decision) error { r, c = d.Results[0], d.Choice; return nil },
	})
	tests.NoError(t, err)
	return r, c
}

// near checks a mean against one of an independent prototype, both known up to
// a standard error: 4.5 of the difference's (1 false alarm in 10^5).
func near(t *testing.T, what string, s montecarlo.Summary, trials int, want, wantErr float64) {
	t.Helper()
	own := s.StdDev / math.Sqrt(float64(trials))
	sigma := math.Hypot(own, wantErr)
	t.Logf("%s: %.4f ± %.4f µs, check value %.4f ± %.4f", what, s.Mean*1e6, own*1e6, want*1e6,
		wantErr*1e6)
	if math.Abs(s.Mean-want) > 4.5*sigma+0.0005e-6 {
		t.Errorf("%s: mean %.4f µs, want %.4f ± %.4f µs", what, s.Mean*1e6, want*1e6, sigma*1e6)
	}
}

func TestCheckValues(t *testing.T) {
	const µs = 1e-6
	for _, want := range []struct {
		log2, trials         int
		quiet, base, baseErr float64
		star                 int
		best, bestErr        float64
	}{
		{7, 4000, 0.762, 2.70, 0.07, 2, 0.781, 0.001},
		{10, 2000, 1.088, 14.04, 0.14, 3, 1.325, 0.025},
		{12, 1000, 1.306, 22.05, 0.10, 5, 2.96, 0.11},
		{14, 300, 1.523, 28.88, 0.13, 6, 9.49, 0.21},
		{16, 100, 1.741, 34.93, 0.28, 5, 11.79, 0.09},
	} {
		t.Run(fmt.Sprintf("2^%d", want.log2), func(t *testing.T) {
			r, choice := run(t, want.trials, reference(1<<want.log2))
			if got := r.Summaries[0].NoiseFree; math.Abs(got-want.quiet*µs) > 0.0005*µs {
				t.Errorf("quiet %.4f µs, want %.3f", got/µs, want.quiet)
			}
			near(t, "T = 0", r.Summaries[0], r.Trials, want.base*µs, want.baseErr*µs)
			near(t, "best", r.Summaries[choice.Argmin.T], r.Trials, want.best*µs, want.bestErr*µs)
			star := slices.IndexFunc(r.Summaries, func(s montecarlo.Summary) bool {
				return s.Mean <= 1.01*r.Summaries[choice.Argmin.T].Mean
			})
			if d := star - want.star; d < -1 || d > 1 || star < choice.Low.T || star > choice.Star.T {
				t.Errorf("T* = %d by the means, between %d and %d with confidence; want about %d",
					star, choice.Low.T, choice.Star.T, want.star)
			}
		})
	}
}

func TestCheckValuesByT(t *testing.T) {
	r, _ := run(t, 2000, reference(1<<10))
	for T, want := range []float64{14.04, 3.66, 1.449, 1.325, 1.320, 1.320} {
		s := r.Summaries[T]
		near(t, fmt.Sprint("T = ", T), s, r.Trials, want*1e-6, s.StdDev/math.Sqrt(2000))
	}
}

func TestCheckValuesOfVariations(t *testing.T) {
	const µs = 1e-6
	type mean struct {
		T         int // −1: the best
		want, err float64
	}
	for _, c := range []struct {
		name         string
		log2, trials int
		change       func(*setup)
		means        []mean
	}{
		{"two sources", 12, 40000, func(c *setup) {
			c.Problem.Redundancy.Sources = 2
			// The check value, 1.412, is the mean of the trials in which no
			// rank and its partner r XOR 1 are both struck. With T = 1 such a
			// pair stays late, by about 10 µs less what has passed: 2048 pairs,
			// each with probability (1.306 µs / 1 ms)², add 0.034 µs.
		}, []mean{{1, 1.413 + 0.034, 0.005}, {2, 1.412, 0.003}}},
		{"reception by the CPU", 12, 1000, func(c *setup) {
			c.Problem.Redundancy.Reception = collectives.CPU
		}, []mean{{0, 22.0, 0.1}, {-1, 12.5, 0.2}}},
		{"two sources, reception by the CPU", 12, 1000, func(c *setup) {
			c.Problem.Redundancy.Reception = collectives.CPU
			c.Problem.Redundancy.Sources = 2
		}, []mean{{0, 10.99, 0.05}}},
		{"stationary", 10, 1000, stationary, []mean{{0, 20.97, 0.07}, {3, 10.11, 0.02}}},
		{"stationary, two sources", 10, 1000, func(c *setup) {
			stationary(c)
			c.Problem.Redundancy.Sources = 2
		}, []mean{{0, 18.55, 0.03}, {-1, 9.97, 0.02}}},
		{"stationary, 32 ranks", 5, 4000, stationary, []mean{{0, 2.54, 0.06}, {-1, 1.99, 0.04}}},
		{"stationary, Poisson detours half of the time", 6, 20_000, func(c *setup) {
			c.OS = noise.Superposition{Start: noise.Random, Components: noise.Components(0,
				noise.PoissonDetours{Interval: 1e-3, Lengths: noise.Constant(500e-6)})}
			c.Network = noise.None{}
		}, []mean{{0, 13441, 18}, {2, 6901, 12}}},
		{"no message noise, no combining", 10, 1000, func(c *setup) {
			stationary(c)
			c.Network = noise.None{}
			c.Problem.Latency = 999e-9
			c.Problem.Bandwidth, c.Problem.MemoryBandwidth = 8e9, math.Inf(1) // wire 1 µs
		}, []mean{{0, 27.99, 0.06}}},
	} {
		if c.trials >= 20_000 && !tests.Whole() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			config := reference(1 << c.log2)
			c.change(&config)
			r, choice := run(t, c.trials, config)
			for _, m := range c.means {
				T := m.T
				if T < 0 {
					T = choice.Argmin.T
				}
				near(t, fmt.Sprint("T = ", T), r.Summaries[T], r.Trials, m.want*µs, m.err*µs)
			}
		})
	}
}

func stationary(c *setup) {
	c.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}
}
