package program

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/noise"
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

// Limits of how long times are put together from pieces.
const (
	pieceDraws = 256 // of a piece, at most
	fewPieces  = 64  // that are drawn one by one
)

// extras returns by how much noise prolongs a time to compute [s] of ranks, in a number of draws, and
// the variance of this extra time. As a call returns outside of detours, the rest of a detour in which
// it ends is not part of the computing after it.
//
// At most this number of seconds of a rank's noise are simulated: a longer time to compute is put together
// from pieces of it, as if what noise adds to one of them said nothing of the next. That is so but for
// a detour at the ends of pieces, and these are long then.
func extras(os noise.OS, compute float64, ranks, draws int, simulated float64, key rng.Key,
) (extra []float64, variance float64) {
	if os == nil {
		return make([]float64, ranks*draws), 0
	}
	if all := compute * float64(ranks*draws); all > simulated {
		base := max(2, min(draws, pieceDraws))
		pieces := math.Ceil(compute * float64(ranks*base) / simulated)
		extra = together(simulate(os, compute/pieces, ranks, base, key), pieces, ranks, draws, key.Derive(0))
	} else {
		extra = simulate(os, compute, ranks, draws, key)
	}
	return extra, stat.Variance(extra, nil)
}

// simulate returns by how much noise prolongs a time to compute [s] of ranks, by draw and rank.
func simulate(os noise.OS, compute float64, ranks, draws int, key rng.Key) []float64 {
	extra := make([]float64, ranks*draws)
	detours := os.Detours(make([]float64, ranks))
	for d := range draws {
		detours.Draw(ranks, key.Derive(uint64(d)))
		times := extra[d*ranks:][:ranks]
		finish := func(p noise.Piece, work float64) {
			for lo := 0; lo < ranks; lo += noise.Block {
				detours.Finish(p, lo, times[lo:min(ranks, lo+noise.Block)], work)
			}
		}
		finish(noise.Piece{}, 0)
		begin := slices.Clone(times)
		finish(noise.Piece{Step: 1}, compute)
		for r := range times {
			times[r] -= begin[r] + compute
		}
	}
	return extra
}

// together returns draws of the sum over a number of pieces, each one of these draws of all ranks. Many
// pieces have a sum that is normal, with the covariances of the ranks that one has. The mean is that of
// all ranks, since what differs between the means of ranks is chance.
func together(of []float64, pieces float64, ranks, draws int, key rng.Key) []float64 {
	sums := make([]float64, ranks*draws)
	n := len(of) / ranks
	means, mean := make([]float64, ranks), stat.Mean(of, nil)
	for i, x := range of {
		means[i%ranks] += x / float64(n)
	}
	for d := range draws {
		sum, random := sums[d*ranks:][:ranks], key.Derive(uint64(d)).Counter()
		add := func(j int, weight float64) {
			for r, x := range of[j*ranks:][:ranks] {
				sum[r] += weight * (x - means[r])
			}
		}
		if pieces <= fewPieces {
			for i := range int(pieces) {
				add(int(rng.Unit(random.Word(i))*float64(n)), 1)
			}
		} else {
			for j := range n {
				add(j, math.Sqrt(pieces/float64(n))*random.Normal(j))
			}
		}
		for r := range sum {
			sum[r] = max(0, sum[r]+pieces*mean)
		}
	}
	return sums
}

// Iteration returns the mean time [s] of a collective of the group and of the computing before it.
func (g *Group) Iteration() float64 {
	computed, n := 0.0, 0
	for _, s := range g.Samples {
		for _, v := range s.Computed {
			computed += v
			n++
		}
	}
	return computed/float64(max(1, n)) + g.Time/float64(g.all)
}

// Times returns how long each rank computes before collectives of the group [s], by collective: before
// at most n of them, one drawn from each n-th of the program. Since os is simulated again, Times
// subtracts the mean of what it adds to a time, and reduces what changes from one collective to the next
// by the variance of os. That is exact on average, and not for each time. Times also returns the share
// of the variance that is left, the mean over collectives.
func (g *Group) Times(n int, os noise.OS) (times [][]float64, left float64) {
	type change struct{ mean, factor float64 }
	changes := map[*Row]change{}
	n = min(n, len(g.Samples))
	draws := rng.NewKey(3, "times").Counter()
	for i := range n {
		// Evenly spaced samples could all come from one place in a loop of the program.
		low, high := i*len(g.Samples)/n, (i+1)*len(g.Samples)/n
		s := &g.Samples[low+int(draws.Word(i)%uint64(high-low))]
		c := s.Row.Computing
		if c == nil {
			times = append(times, s.Computed)
			left += 1 / float64(n)
			continue
		}
		x, ok := changes[s.Row]
		if !ok {
			ranks := len(s.Computed)
			extra, variance := extras(os, c.Mean, ranks, max(2, mostDrawn/ranks), mostSimulated/float64(len(g.rows)),
				rng.NewKey(2, "times"))
			for _, v := range extra {
				x.mean += v / float64(len(extra))
			}
			x.factor, _ = c.quiet(variance)
			changes[s.Row] = x
		}
		row := make([]float64, len(s.Computed))
		for r, v := range s.Computed {
			row[r] = max(0, v-x.mean-(1-x.factor)*c.rest[s.at][r])
		}
		times = append(times, row)
		left += x.factor * x.factor / float64(n)
	}
	return times, left
}
