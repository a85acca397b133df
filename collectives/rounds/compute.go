package rounds

import (
	"math"

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
	ranks  int
	trial  rng.Key
	shares []float64       // f_r, if they differ
	follow []int32         // the measured rank that each rank follows, if they are fewer
	place  func(r int) int // the program's rank, which was measured, for one of the schedule; nil if the same
	last   part
}

// A part is the work of a block of ranks in an iteration [s].
type part struct {
	iteration, lo int
	one           []float64 // of each rank, nil if it is the mean of all
	least, most   float64
}

// work returns the work of the given number of ranks.
func (c *Compute) work(ranks int) *work {
	w := &work{Compute: c, ranks: ranks, last: part{one: make([]float64, 0, min(ranks, Block))}}
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

// draw draws the shares of a trial, unless that is drawn.
func (w *work) draw(trial rng.Key) {
	key := trial.Derive(computeChild)
	if w.trial == key {
		return
	}
	w.trial, w.last.one = key, w.last.one[:0]
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

// of returns the work of n ranks of a block from lo on in an iteration.
func (w *work) of(iteration, lo, n int) *part {
	p := &w.last
	if !w.random() {
		*p = part{least: w.Mean, most: w.Mean}
		return p
	}
	if p.iteration == iteration && p.lo == lo && len(p.one) == n {
		return p
	}
	p.iteration, p.lo, p.one = iteration, lo, p.one[:n]
	w.fill(p)
	p.least, p.most = vector.Extremes(p.one)
	return p
}

// fill finds what the ranks of a part work.
func (w *work) fill(p *part) {
	if w.Times != nil {
		w.measured(p)
		return
	}
	one, normals := p.one, w.trial.Derive(uint64(1+p.iteration)).Counter()
	for i := range one {
		if one[i] = w.Mean; w.Random > 0 {
			one[i] *= factor(w.Random, normals, p.lo+i)
		}
	}
	if w.shares != nil {
		for i, share := range w.shares[p.lo:][:len(one)] {
			one[i] *= share
		}
	}
}

// compute has ranks of a block from lo on, free at the times in now, compute in an iteration.
func (w *work) compute(iteration, lo int, now []float64, n *Noise) *part {
	computed, p := piece{Kind: computing, Number: iteration}, w.of(iteration, lo, len(now))
	switch {
	case p.one == nil:
		n.finish(computed, lo, now, w.Mean)
	case n.each != nil:
		n.each.FinishEach(lo, now, p.one)
	default:
		for i, work := range p.one {
			n.finish(computed, lo+i, now[i:][:1], work)
		}
	}
	return p
}

// computeRanks is compute rank by rank: finish returns when a rank that may begin at time t [s] has done its
// work [s].
func (w *work) computeRanks(
	iteration, lo int, now []float64, finish func(rank int, t, work float64) float64,
) *part {
	p := w.of(iteration, lo, len(now))
	for i := range now {
		work := w.Mean
		if p.one != nil {
			work = p.one[i]
		}
		now[i] = finish(lo+i, now[i], work)
	}
	return p
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

// measured is fill from measured times.
func (w *work) measured(p *part) {
	t, iteration := w.Times, p.iteration
	if t.Resampled {
		iteration = int(w.trial.Derive(uint64(1+iteration)).Uniform(0) * float64(t.Iterations))
	}
	all := t.Seconds[iteration*t.Ranks:][:t.Ranks]
	for i := range p.one {
		rank := p.lo + i
		if w.place != nil {
			rank = w.place(rank)
		}
		if w.follow != nil {
			rank = int(w.follow[rank])
		}
		p.one[i] = all[rank]
	}
}
