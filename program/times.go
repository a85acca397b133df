package program

import (
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

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
