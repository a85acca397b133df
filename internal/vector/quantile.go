package vector

import (
	"cmp"
	"slices"
)

// Quantile interpolates between order statistics as NumPy does by default (type 7 of Hyndman and Fan,
// "Sample quantiles in statistical packages", 1996), so that notebooks find the same number: gonum's
// interpolation is type 4. The sample is in ascending order, and not empty. As everywhere, a conversion
// around a product that is added keeps compilers from fusing the two on some processors and not on
// others.
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + float64((at-float64(below))*(sorted[above]-sorted[below]))
}

// Order returns the numbers from 0 to n−1 in ascending order of the keys that a function returns for
// them, those with the same key in ascending order.
func Order[K cmp.Ordered](n int, key func(i int) K) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(key(i), key(j)) })
	return order
}

// Groups returns the numbers from 0 to n−1 in groups for which a function returns the same key, in the
// order of the first of each.
func Groups[K comparable](n int, key func(i int) K) (groups [][]int) {
	places := map[K]int{}
	for i := range n {
		k := key(i)
		place, ok := places[k]
		if !ok {
			place = len(groups)
			places[k], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], i)
	}
	return groups
}
