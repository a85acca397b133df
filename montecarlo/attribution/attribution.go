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
	order := func(v []float64) []float64 {
		numbers := []float64{v[All(n)], v[0], v[All(n)] - v[0]}
		for i := range n {
			only, rest := Set(0).With(i), All(n).Without(i)
			numbers = append(numbers, v[only]-v[0], v[All(n)]-v[rest], Shapley(n, i, v))
		}
		return numbers
	}
	return costs(n, times, objective, order)
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

// costs makes costs of numbers, which are functions of the objectives of the samples.
func costs(n int, samples [][]float64, objective Statistic, numbers func([]float64) []float64) Costs {
	lead, second := -1, -1 // of the shares in numbers, the places of the largest two
	withLead := func(v []float64) []float64 {
		all := numbers(v)
		if n < 2 {
			return append(all, 0)
		}
		if lead < 0 { // the first call is for the sample itself
			places := make([]int, n)
			for i := range places {
				places[i] = 5 + 3*i
			}
			slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(all[b], all[a]) })
			lead, second = places[0], places[1]
		}
		return append(all, all[lead]-all[second])
	}
	e := Estimates(samples, objective, withLead)
	c := Costs{Full: e[0], Quiet: e[1], Total: e[2], Lead: e[len(e)-1]}
	for i := range n {
		c.Each = append(c.Each, Cost{Alone: e[3+3*i], Removed: e[4+3*i], Share: e[5+3*i]})
	}
	return c
}
