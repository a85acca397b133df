package program

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Computing is how long ranks compute before the collectives of a row [s]. A rank's time in one of them
// is the mean, and what the rank, the iteration, and both together add: the components of variance of a
// layout of ranks by iterations (S. Searle, G. Casella, C. McCulloch, Variance Components, 1992, chapter
// 4). The component of the ranks is imbalance that stays, the component of the iterations is what all
// ranks have in common, for which no rank waits, and the rest is imbalance that changes.
type Computing struct {
	Samples int // iterations
	Mean    float64
	// Quantiles are the 5%, 50% and 95% quantiles of all times. RankLow and RankHigh are the means of
	// the fastest and the slowest rank; IterationLow and IterationHigh the 5% and 95% quantiles of the
	// iterations' means.
	Quantiles                   [3]float64
	RankLow, RankHigh           float64
	IterationLow, IterationHigh float64
	// Standard deviations.
	Persistent, Common, Random float64
	// Correlation is the correlation of the rest from one iteration to the next, from −1 to 1: near 1 a rank
	// that is slow stays so for a while. It is NaN if nothing changes.
	Correlation float64

	ranks []float64   // what each rank adds, without what is chance
	rest  [][]float64 // what is left, by iteration and rank
}

// leastSamples is how many iterations components of variance are estimated from at least.
const leastSamples = 4

// computing returns how ranks compute before the collectives with these samples, of a row; nil if they
// are too few.
func computing(samples []*Sample) *Computing {
	if len(samples) < leastSamples {
		return nil
	}
	c := &Computing{Samples: len(samples)}
	n, m := len(samples), len(samples[0].Computed)
	c.ranks = make([]float64, m)
	iterations := make([]float64, n)
	var all []float64
	for k, s := range samples {
		all = append(all, s.Computed...)
		for r, v := range s.Computed {
			c.ranks[r] += v / float64(n)
			iterations[k] += v / float64(m)
		}
	}
	c.Mean = stat.Mean(all, nil)
	slices.Sort(all)
	for i, p := range []float64{0.05, 0.5, 0.95} {
		c.Quantiles[i] = stat.Quantile(p, stat.Empirical, all, nil)
	}
	c.RankLow, c.RankHigh = slices.Min(c.ranks), slices.Max(c.ranks)
	byTime := slices.Sorted(slices.Values(iterations))
	c.IterationLow = stat.Quantile(0.05, stat.Empirical, byTime, nil)
	c.IterationHigh = stat.Quantile(0.95, stat.Empirical, byTime, nil)
	c.components(samples, iterations)
	return c
}

func (c *Computing) components(samples []*Sample, iterations []float64) {
	n, m := float64(len(samples)), float64(len(c.ranks))
	rest := 0.0
	for k, s := range samples {
		row := make([]float64, len(c.ranks))
		for r, v := range s.Computed {
			row[r] = v - c.ranks[r] - iterations[k] + c.Mean
			rest += row[r] * row[r]
		}
		s.at = k
		c.rest = append(c.rest, row)
	}
	rest /= (n - 1) * (m - 1)
	square := func(means []float64, each float64) float64 { // variance beyond what the rest explains
		return max(0, stat.Variance(means, nil)-rest/each)
	}
	c.Random = math.Sqrt(rest)
	c.Persistent, c.Common = math.Sqrt(square(c.ranks, n)), math.Sqrt(square(iterations, m))
	c.Correlation = c.correlation(samples)
	own := 0.0 // how much of the differences between the ranks' means is not chance
	if c.Persistent > 0 {
		own = c.Persistent / stat.StdDev(c.ranks, nil)
	}
	for r := range c.ranks {
		c.ranks[r] = own * (c.ranks[r] - c.Mean)
	}
}

// correlation returns the correlation of the rest between iterations that follow one another. Since the
// rest of a rank sums to 0, the correlation of independent times is −1/n on average, which is added.
func (c *Computing) correlation(samples []*Sample) float64 {
	product, square, pairs, all := 0.0, 0.0, 0, 0
	for k, row := range c.rest {
		follows := k > 0 && samples[k].kept <= samples[k-1].kept+1
		for r, v := range row {
			square += v * v
			all++
			if follows {
				product += v * c.rest[k-1][r]
				pairs++
			}
		}
	}
	if !(square > 1e-18*c.Mean*c.Mean*float64(all)) || pairs == 0 {
		return math.NaN()
	}
	return min(1, product/float64(pairs)/(square/float64(all))+1/float64(len(c.rest)))
}
