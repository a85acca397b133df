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

// Times returns how long each rank computes before collectives of the group [s], by collective: at most
// so many, from all parts of the program. What noise adds to the times is taken off, as it is simulated
// again: its mean, and of what changes from one collective to the next as much as noise varies. That is
// exact on average, and not for each time. It also returns the share of what changes that is left, the
// mean over collectives.
func (g *Group) Times(most int, os noise.OS) (times [][]float64, left float64) {
	type change struct{ mean, factor float64 }
	changes := map[*Row]change{}
	n := min(most, len(g.Samples))
	for i := range n {
		s := &g.Samples[i*len(g.Samples)/n]
		c := s.Row.Computing
		if c == nil {
			times = append(times, s.Computed)
			left += 1 / float64(n)
			continue
		}
		x, ok := changes[s.Row]
		if !ok {
			ranks := len(s.Computed)
			extra, variance := extras(os, c.Mean, ranks, max(2, mostDrawn/ranks), rng.NewKey(2, "times"))
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
