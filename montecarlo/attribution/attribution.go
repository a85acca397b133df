// Package attribution computes what each source of noise costs a collective, by simulating the
// same trials under subsets of the sources.
//
// Let v(S) be the objective, the mean or a quantile of completion times, when only the sources
// in the set S act. For each source i of the set N of all sources [Costs] estimates
//
//	alone    v({i}) − v(∅)
//	removed  v(N) − v(N∖{i})
//	share    the Shapley value Σ_{S∌i} |S|!(n−1−|S|)!/n! · (v(S∪{i}) − v(S))
//
// The shares of all sources sum to v(N) − v(∅) (Shapley, "A value for n-person games", 1953). Every
// trial meets the same random numbers in all subsets, so that the differences are paired.
package attribution

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// MostExact is the largest number of sources for which all subsets are simulated.
const MostExact = 8

// A Set is a set of sources: source i is in it if bit i is set.
type Set uint32

// All returns the set of the sources 0 … n−1.
func All(n int) Set { return 1<<n - 1 }

// Has reports whether source i is in the set.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// With returns the set with source i added.
func (s Set) With(i int) Set { return s | 1<<i }

// Without returns the set with source i taken out.
func (s Set) Without(i int) Set { return s &^ (1 << i) }

// A Statistic is the objective: the mean of a sample if P is 0, else its P-quantile.
type Statistic struct{ P float64 }

// An Estimate is a number and half the length of its 95% confidence interval.
type Estimate struct{ Value, Half float64 }

// Certain reports whether the confidence interval excludes 0.
func (e Estimate) Certain() bool { return math.Abs(e.Value) > e.Half }

// A Cost is what one source costs [s].
type Cost struct{ Alone, Removed, Share Estimate }

// Costs are what all sources cost [s] in one collective.
type Costs struct {
	Full  Estimate // v(N)
	Quiet Estimate // v(∅)
	Total Estimate // v(N) − v(∅)
	Each  []Cost   // by source
	// Lead is by how much the largest share exceeds the second largest; it is zero with one source.
	Lead Estimate
}

// Exact returns the costs of n sources, at most [MostExact], from the completion times [s] of the
// same trials under every subset: times[s] belongs to Set(s).
func Exact(n int, times [][]float64, objective Statistic) Costs {
	return costs(n, times, objective, func(v []float64) []float64 {
		return numbers(n, func(s Set) float64 { return v[s] }, func(i int) float64 { return Shapley(n, i, v) })
	})
}

// numbers returns v(N), v(∅), and of each source what it costs alone, what its removal brings, and its
// share.
func numbers(n int, v func(Set) float64, share func(source int) float64) []float64 {
	all, none := v(All(n)), v(0)
	numbers := []float64{all, none}
	for i := range n {
		numbers = append(numbers, v(Set(0).With(i))-none, all-v(All(n).Without(i)), share(i))
	}
	return numbers
}

// Shapley returns the Shapley value of source i of n in the game v, where v[s] is the value of Set(s).
func Shapley(n, i int, v []float64) float64 {
	share := 0.0
	for s := range All(n) + 1 {
		if !s.Has(i) {
			share += weight(n, bits.OnesCount32(uint32(s))) * (v[s.With(i)] - v[s])
		}
	}
	return share
}

// weight returns k!(n−1−k)!/n!, the probability that k given sources and no other precede one in a
// random order of n.
func weight(n, k int) float64 {
	w := 1 / float64(n)
	for j := 1; j <= k; j++ {
		w *= float64(j) / float64(n-j)
	}
	return w
}

// costs makes costs of what of returns of the objectives of the samples, as [numbers] has it.
func costs(n int, samples [][]float64, objective Statistic, of func([]float64) []float64) Costs {
	lead, second := -1, -1 // of the shares in numbers, the places of the largest two
	withMore := func(v []float64) []float64 {
		all := of(v)
		all = append(all, all[0]-all[1])
		if n < 2 {
			return append(all, 0)
		}
		if lead < 0 { // the first call is for the sample itself
			places := make([]int, n)
			for i := range places {
				places[i] = 4 + 3*i
			}
			slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(all[b], all[a]) })
			lead, second = places[0], places[1]
		}
		return append(all, all[lead]-all[second])
	}
	e := Estimates(samples, objective, withMore)
	c := Costs{Full: e[0], Quiet: e[1], Total: e[2+3*n], Lead: e[3+3*n]}
	for i := range n {
		c.Each = append(c.Each, Cost{Alone: e[2+3*i], Removed: e[3+3*i], Share: e[4+3*i]})
	}
	return c
}

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
