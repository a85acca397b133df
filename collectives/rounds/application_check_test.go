package rounds_test

import (
	"math"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// application is iterations of a butterfly of 8 B at 1 GB/s on 2^10 ranks, with detours of 10 µs
// every 1 ms and a network without noise.
func application(latency, compute, imbalance float64) rounds.Application {
	m := model(1 << 10)
	m.Problem.Latency = latency
	m.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}
	m.Network = noise.None{}
	return rounds.Application{
		Collective: m, Iterations: 300, Warmup: 20, Calls: 1,
		Compute: rounds.Compute{Mean: compute, Random: imbalance},
	}
}

// timesOf returns the mean of an iteration at the largest T of an application over trials, its
// standard error, and that without noise [s].
func timesOf(t testing.TB, a rounds.Application, trials int) (mean, se, noiseFree float64) {
	t.Helper()
	free := models.NoiseFree(t, &a).Completion
	last := len(free) - 1
	mean, se = models.Mean(models.Run(t, &a, models.Keys(t.Name(), trials)...), last)
	return mean, se, free[last]
}

// The times of iterations are those that a simulation of its own gave, whose standard error is
// at most 0.13 µs.
func TestApplicationCheckValues(t *testing.T) {
	const µs = 1e-6
	type scheme struct{ sources, redundancy int }
	schemes := []scheme{{1, 0}, {1, 4}, {2, 2}, {3, 3}}
	for _, c := range []struct {
		latency, compute, imbalance float64
		noiseFree                   float64
		times                       []float64
	}{
		{1, 0, 0, 10.09, []float64{19.40, 15.74, 14.64, 14.21}},
		{1, 10, 0, 20.09, []float64{31.26, 28.14, 27.30, 26.65}},
		{1, 100, 0, 110.09, []float64{125.00, 120.03, 118.62, 118.06}},
		{1, 1000, 0, 1010.09, []float64{1031.26, 1028.14, 1027.30, 1026.65}},
		{1, 5000, 0, 5010.09, []float64{5074.06, 5069.46, 5068.26, 5067.63}},
		{1, 100, 0.02, 0, []float64{126.13, 122.45, 121.35}},
		{1, 100, 0.2, 0, []float64{174.32, 173.86, 173.33}},
		{0.1, 0, 0, 1.09, []float64{13.26, 9.60, 9.55}},
		{0.1, 100, 0, 101.09, []float64{119.48, 111.18, 110.93}},
	} {
		for i, want := range c.times {
			a := application(c.latency*µs, c.compute*µs, c.imbalance)
			a.Collective.Problem.Redundancy.Max = schemes[i].redundancy
			a.Collective.Problem.Redundancy.Sources = schemes[i].sources
			checkTime(t, a, want, c.noiseFree)
		}
	}
	for i, want := range []float64{31.25, 28.40, 27.41} {
		a := application(1*µs, 10*µs, 0)
		a.Collective.Problem.Redundancy = collectives.Redundancy{
			Max: schemes[i].redundancy, Sources: schemes[i].sources,
			SendOverhead: 50e-9, Reception: collectives.CPU,
		}
		checkTime(t, a, want, 0)
	}
}

// checkTime fails if the time of an iteration [µs] differs by more than three standard errors;
// without noise it is given to 10 ns, unless it is 0.
func checkTime(t *testing.T, a rounds.Application, want, noiseFree float64) {
	t.Helper()
	mean, se, free := timesOf(t, a, tests.Part(4, 2))
	mean, se, free = 1e6*mean, 1e6*se, 1e6*free
	if math.Abs(mean-want) > 3*math.Hypot(se, 0.13) {
		t.Errorf("%v, %+v: %.2f ± %.2f µs, want %.2f",
			a.Compute, a.Collective.Problem.Redundancy, mean, se, want)
	}
	if noiseFree > 0 && a.Collective.Problem.Redundancy.SendOverhead == 0 &&
		math.Abs(free-noiseFree) > 0.01 {
		t.Errorf("%v without noise: %.3f µs, want %.2f", a.Compute, free, noiseFree)
	}
}

// The lower bound of iterations is close to what they take where the wait for the slowest rank,
// or messages alone, make up an iteration, and it is never above.
func TestLowerBoundOfIterations(t *testing.T) {
	for _, c := range []struct{ compute, imbalance, persistent, share float64 }{
		{0, 0, 0, 0.99},
		{50e-6, 0, 0, 0.99},
		{100e-6, 0.2, 0, 0.9},
		{100e-6, 0, 0.2, 0.9},
		{100e-6, 0.01, 0, 0.9},
	} {
		a := application(1e-6, c.compute, c.imbalance)
		a.Compute.Persistent = c.persistent
		for _, os := range []noise.OS{noise.None{}, a.Collective.OS} {
			a.Collective.OS = os
			trial := models.Run(t, &a, rng.NewKey(1, "bound"))[0]
			times, bound := iterationsOf(&a, trial.Completion), trial.LowerBound
			if least := slices.Min(times); bound > least || bound < a.LowerBound() {
				t.Errorf("%+v: a bound of %g, between %g and %g", c, bound, a.LowerBound(), least)
			}
			if _, silent := os.(noise.None); silent && bound < c.share*times[0] {
				t.Errorf("%+v: a bound of %g, but an iteration takes %g", c, bound, times[0])
			}
		}
	}
}
