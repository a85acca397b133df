package program

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

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
		for lo := 0; lo < ranks; lo += noise.Block {
			detours.Finish(noise.Piece{}, lo, times[lo:min(ranks, lo+noise.Block)], 0)
		}
		begin := slices.Clone(times)
		for lo := 0; lo < ranks; lo += noise.Block {
			detours.Finish(noise.Piece{Step: 1}, lo, times[lo:min(ranks, lo+noise.Block)], compute)
		}
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
