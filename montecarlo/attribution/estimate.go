package attribution

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// resamples is the number of bootstrap samples: the standard error is then known to about 5%.
const resamples = 200

// Estimates returns the numbers that a function makes of the objectives of samples, with bootstrap
// intervals (Efron, 1979). samples[k][j] is the time [s] of trial j in the k-th sample; a resample
// draws whole trials, so that it keeps what the samples have in common. The function is called with
// the objectives of the samples first, and then with the objectives of resamples.
func Estimates(samples [][]float64, objective Statistic, f func(objectives []float64) []float64) []Estimate {
	trials := len(samples[0])
	sorted := make([][]int, len(samples)) // trials by time
	if objective.P > 0 {
		for k, sample := range samples {
			sorted[k] = vector.Order(trials, func(j int) float64 { return sample[j] })
		}
	}
	times := make([]float64, trials) // how often each trial is in the resample
	objectives := make([]float64, len(samples))
	evaluate := func() []float64 {
		for k, sample := range samples {
			objectives[k] = objective.of(sample, sorted[k], times)
		}
		return slices.Clone(f(objectives))
	}
	for j := range times {
		times[j] = 1
	}
	point := evaluate()
	spread := make([][]float64, len(point))
	random := rng.New(rng.NewKey(uint64(trials), "bootstrap"))
	for range resamples {
		clear(times)
		for range trials {
			times[random.Intn(trials)]++
		}
		for i, number := range evaluate() {
			spread[i] = append(spread[i], number)
		}
	}
	estimates := make([]Estimate, len(point))
	for i := range point {
		estimates[i] = Estimate{Value: point[i], Half: 1.96 * stat.StdDev(spread[i], nil)}
		if trials < 2 {
			estimates[i].Half = math.Inf(1)
		}
	}
	return estimates
}

// of returns the objective of a sample in which trial j counts times[j] times. The order has the
// trials by time, for quantiles.
func (o Statistic) of(sample []float64, order []int, times []float64) float64 {
	if o.P == 0 {
		return stat.Mean(sample, times)
	}
	n, seen := stat.Mean(times, nil)*float64(len(times)), 0.0
	for _, j := range order {
		if seen += times[j]; seen >= o.P*n {
			return sample[j]
		}
	}
	return sample[order[len(order)-1]]
}
