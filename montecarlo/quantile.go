package montecarlo

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// quantileEvidence is a test, free of any distribution, that the p-quantile of A is larger than the
// p-quantile of B, from pairs (A, B) of the same trials.
//
// Were it false, there would be a number x, the quantile of A, with
//
//	P(A ≤ x) ≥ p ≥ P(B < x).
//
// All x that it can be are between two order statistics of A, except with probability outside. At
// each of them two tests speak against it. The sign test counts pairs that x separates: more with B
// < x < A than with A ≤ x ≤ B say that B is below x more often. The binomial test of B alone says
// that B is below x more often than p, for an x that many share. The risk is the largest over x of
// the smaller of the two risks, doubled for there being two, and outside.
type quantileEvidence struct {
	p, outside float64
	n          int
	a          []float64 // sorted
	// From each of a on, how many pairs have B < x, and how many both that and A ≤ x.
	below, both []float64
}

func testQuantile(c comparison, p float64) evidence {
	n := len(c.worse)
	e := quantileEvidence{
		p: p, outside: c.outside, n: n,
		a: make([]float64, n), below: make([]float64, n), both: make([]float64, n),
	}
	above, both := make([]float64, n), make([]float64, n) // the least x for which a pair counts
	for i := range c.worse {
		e.a[i] = float64(c.a*c.worse[i]) - c.slack
		above[i] = math.Nextafter(c.b*c.better[i], math.Inf(1))
		both[i] = max(e.a[i], above[i])
	}
	slices.Sort(e.a)
	slices.Sort(above)
	slices.Sort(both)
	i, j := 0, 0
	for k, x := range e.a {
		for i < n && above[i] <= x {
			i++
		}
		for j < n && both[j] <= x {
			j++
		}
		e.below[k], e.both[k] = float64(i), float64(j)
	}
	return e
}

func (e quantileEvidence) risk(times float64) float64 {
	l, u, ok := orderStatistics(int(float64(e.n)*times), e.p, e.outside)
	if !ok {
		return 1
	}
	worst := 0.0
	first, last := int(float64(l-1)/times), int(math.Ceil(float64(u-1)/times))
	for k := first; k <= min(last, e.n-1); {
		// All that are equal to x are at most x.
		upto := k + 1
		for upto < e.n && e.a[upto] == e.a[k] {
			upto++
		}
		worst = max(worst, e.riskAt(k, float64(upto), times))
		k = upto
	}
	return min(1, 2*worst+e.outside)
}

// riskAt is the smaller of the two tests' risks at x = a[k], the upto-th of A in order.
func (e quantileEvidence) riskAt(k int, upto, times float64) float64 {
	below, both := e.below[k]*times, e.both[k]*times
	speaking, against := below-both, upto*times-both
	return min(atLeast(speaking, speaking+against, 0.5), atLeast(below, float64(e.n)*times, e.p))
}

// atLeast is the probability that k or more of n trials succeed, each with
// probability p: I_p(k, n−k+1), which reads on between whole numbers.
func atLeast(k, n, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(k, n-k+1, p)
}

// orderStatistics are the ranks l ≤ u of a sorted sample of n between which its
// p-quantile lies, but with probability outside; not ok if there are too few.
func orderStatistics(n int, p, outside float64) (l, u int, ok bool) {
	reached := func(k int) float64 { return atLeast(float64(k), float64(n), p) }
	l = sort.Search(n, func(k int) bool { return 1-reached(k+1) > outside/2 })
	u = 1 + sort.Search(n, func(k int) bool { return reached(k+1) <= outside/2 })
	return l, u, l >= 1 && u <= n
}
