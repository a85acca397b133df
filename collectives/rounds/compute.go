package rounds

import (
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Compute is what the ranks of an application compute in an iteration: rank r works for
//
//	Mean · f_r · g_{r,i}
//
// with f_r drawn once a trial and g_{r,i} in every iteration i, both normal with mean 1, cut at
// 0, of the standard deviations Persistent and Random. With Times it is what was measured.
type Compute struct {
	Mean               float64 // w [s]
	Random, Persistent float64 // relative standard deviations
	Times              *Times  // nil if none were measured; Mean is theirs
}

// random reports whether the work of ranks differs.
func (c *Compute) random() bool {
	return c.Mean > 0 && (c.Random > 0 || c.Persistent > 0 || c.Times != nil)
}

// drawn reports whether the mean work differs from trial to trial.
func (c *Compute) drawn() bool { return c.Mean > 0 && (c.Persistent > 0 || c.Times != nil) }

// least returns a lower bound of a rank's work [s] in an iteration, for all draws.
func (c *Compute) least() float64 {
	if c.random() {
		return 0
	}
	return c.Mean
}

// CutMean returns the mean of a normal number with mean 1 and a standard deviation, cut at 0.
func CutMean(deviation float64) float64 {
	if deviation == 0 {
		return 1
	}
	z := 1 / deviation
	below := math.Erfc(z/math.Sqrt2) / 2
	return 1 - below + deviation*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)
}

// work is what the ranks of one trial compute.
type work struct {
	*Compute
	trial  rng.Key
	shares []float64 // f_r, if they differ
	follow []int32   // the measured rank that each rank follows, if they are fewer
	one    []float64 // of a block of ranks in an iteration [s]
	// The least and the most that a rank works for in the iteration computed last [s].
	least, most float64
}

// work returns the work of the given number of ranks.
func (c *Compute) work(ranks int) *work {
	w := &work{Compute: c, one: make([]float64, min(ranks, Block))}
	if c.Mean > 0 && c.Persistent > 0 {
		w.shares = make([]float64, ranks)
	}
	if c.Times != nil && c.Times.Ranks < ranks {
		w.follow = make([]int32, ranks)
	}
	return w
}

// computeChild is the child of a trial's key whose children name the work: the first the shares,
// and the one after it the work of iteration 0.
const computeChild = callChild + 1

// draw draws the shares of a trial.
func (w *work) draw(trial rng.Key) {
	w.trial = trial.Derive(computeChild)
	normals := w.trial.Derive(0).Counter()
	for r := range w.shares {
		w.shares[r] = factor(w.Persistent, normals, r)
	}
	for r := range w.follow {
		w.follow[r] = int32(w.trial.Derive(0).Uniform(r) * float64(w.Times.Ranks))
	}
}

// factor returns the number of a rank with mean 1, cut at 0.
func factor(deviation float64, normals rng.Counter, rank int) float64 {
	if f := 1 + float64(deviation*normals.Normal(rank)); f > 0 {
		return f
	}
	return 0
}

// of returns the work [s] of n ranks of a block from lo on in an iteration, if it differs.
func (w *work) of(iteration, lo, n int) []float64 {
	if w.Times != nil {
		return w.measured(iteration, lo, n)
	}
	one, normals := w.one[:n], w.trial.Derive(uint64(1+iteration)).Counter()
	for i := range one {
		if one[i] = w.Mean; w.Random > 0 {
			one[i] *= factor(w.Random, normals, lo+i)
		}
	}
	if w.shares != nil {
		for i, share := range w.shares[lo:][:n] {
			one[i] *= share
		}
	}
	return one
}

// compute has all ranks, free at the times in clock, compute in an iteration.
func (w *work) compute(iteration int, clock []float64, n *Noise) {
	w.blocks(iteration, clock, func(lo int, now, one []float64) {
		computed := piece{Kind: computing, Number: iteration}
		switch {
		case one == nil:
			n.finish(computed, lo, now, w.Mean)
		case n.each != nil:
			n.each.FinishEach(lo, now, one)
		default:
			for i, work := range one {
				n.finish(computed, lo+i, now[i:][:1], work)
			}
		}
	})
}

// computeRanks is compute rank by rank: finish returns when a rank that may begin at time t [s] has
// done its work [s].
func (w *work) computeRanks(iteration int, clock []float64, finish func(rank int, t, work float64) float64) {
	w.blocks(iteration, clock, func(lo int, now, one []float64) {
		for i := range now {
			work := w.Mean
			if one != nil {
				work = one[i]
			}
			now[i] = finish(lo+i, now[i], work)
		}
	})
}

// blocks calls f for each block of ranks, free at the times in clock, with the work [s] of each in
// an iteration, nil if it is the mean of all.
func (w *work) blocks(iteration int, clock []float64, f func(lo int, now, one []float64)) {
	w.least, w.most = w.Mean, w.Mean
	if w.random() {
		w.least, w.most = math.Inf(1), 0
	}
	each(clock, collectives.Span{Lo: 0, Hi: len(clock)}, func(lo int, now []float64) {
		if !w.random() {
			f(lo, now, nil)
			return
		}
		one := w.of(iteration, lo, len(now))
		least, most := vector.Extremes(one)
		w.least, w.most = min(w.least, least), max(w.most, most)
		f(lo, now, one)
	})
}

// Times are measured times to compute. Where there are as many ranks and iterations as are
// simulated, each has its own. Of fewer ranks each simulated one follows one that is drawn once a
// trial; of fewer iterations one is drawn for each that is simulated, the same of all ranks, so
// that ranks which are slow together stay so.
type Times struct {
	Ranks, Iterations int
	Seconds           []float64 // of all ranks in the first iteration, and then in the next
	Resampled         bool      // iterations are drawn at random, not the first ones
}

// measured returns what n ranks from lo on compute in an iteration [s].
func (w *work) measured(iteration, lo, n int) []float64 {
	t, one := w.Times, w.one[:n]
	if t.Resampled {
		iteration = int(w.trial.Derive(uint64(1+iteration)).Uniform(0) * float64(t.Iterations))
	}
	all := t.Seconds[iteration*t.Ranks:][:t.Ranks]
	if w.follow == nil {
		copy(one, all[lo:])
		return one
	}
	for i, rank := range w.follow[lo:][:n] {
		one[i] = all[rank]
	}
	return one
}
