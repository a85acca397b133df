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
