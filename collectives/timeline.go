package collectives

import (
	"context"
)

// Detours delay the processors of one trial; noise.Detours documents them.
type Detours interface {
	Finish(lo int, t []float64, work float64)
}

// Delays hold the messages of one trial; noise.Delays documents them.
type Delays interface {
	Delay(exchange, lo int, arrive []float64, transit float64)
}

// A Timeline plays schedules. It is the state of one simulation, 16 bytes a
// rank, and is reused from trial to trial.
//
// A round is played from one vector of clocks into another, block by block,
// each step of the model a pass over a block of at most [Block] ranks that is
// in the first-level cache:
//
//	arrive[i] = clock[peer of lo+i]              Peers.Gather
//	arrive[i] += delay in the network            Delays.Delay
//	next[i]   = max or min of clock[i] and arrive[i] + wire
//	next[i]   = when the work is done            Detours.Finish
//
// So neither the algorithm nor the noise knows of the other, and each pass is
// a plain loop over numbers.
type Timeline struct {
	clock, next  []float64 // when each rank has what the rounds so far give it
	arrive, copy []float64 // scratch, one block each
}

// NewTimeline returns a timeline for schedules of up to ranks ranks.
func NewTimeline(ranks int) *Timeline {
	block := min(ranks, Block)
	return &Timeline{
		clock:  make([]float64, ranks),
		next:   make([]float64, ranks),
		arrive: make([]float64, block),
		copy:   make([]float64, block),
	}
}

// A Trial is what playing a schedule once gives, in seconds from the launch.
type Trial struct {
	// Completion is when the last rank is done, for each of the schedule's
	// results.
	Completion []float64
	// LatestStart is when the last rank begins.
	LatestStart float64
}

// Play runs the schedule under the noise and writes into trial, whose
// Completion must be as long as the schedule's Results. A schedule of more
// ranks than the timeline was made for panics. When the context is cancelled
// Play returns its error at the end of a round.
func (t *Timeline) Play(ctx context.Context, s *Schedule, p Problem, os Detours, network Delays, trial *Trial) error {
	clock, next := t.clock[:s.Ranks], t.next[:s.Ranks]
	clear(clock)
	each(clock, func(lo int, now []float64) {
		os.Finish(lo, now, 0)
	})
	trial.LatestStart = maximum(clock)
	exchange, results := 0, s.Results
	for n := 0; ; n++ {
		if results[0].Rounds == n {
			trial.Completion[len(s.Results)-len(results)] = maximum(clock) + results[0].Post
			if results = results[1:]; len(results) == 0 {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		round := &s.Rounds[n]
		wire := p.Wire(round.Bytes)
		each(next, func(lo int, then []float64) {
			arrive := t.arrivals(round, exchange, lo, clock, wire, os, network)
			switch now := clock[lo:][:len(then)]; round.Wait {
			case Needed:
				later(then, now, arrive)
				os.Finish(lo, then, round.Combine)
			case Spare:
				earlier(then, now, arrive)
			}
		})
		exchange += len(round.Sources)
		clock, next = next, clock
	}
}

// each applies step to the blocks of a vector.
func each(v []float64, step func(lo int, block []float64)) {
	for lo := 0; lo < len(v); lo += Block {
		step(lo, v[lo:min(lo+Block, len(v))])
	}
}

// arrivals returns when each rank of the block at lo has the earliest copy of
// what the round sends it.
func (t *Timeline) arrivals(round *Round, exchange, lo int, clock []float64, wire float64, os Detours, network Delays) []float64 {
	n := min(Block, len(clock)-lo)
	arrive := t.arrive[:n]
	for m, source := range round.Sources {
		from := arrive
		if m > 0 {
			from = t.copy[:n]
		}
		source.Peers.Gather(from, clock, lo)
		shift(from, source.Post+wire)
		network.Delay(exchange+m, lo, from, wire)
		if m > 0 {
			earlier(arrive, arrive, from)
		}
	}
	if round.Wait == Spare && round.Reception == CPU {
		os.Finish(lo, arrive, 0)
	}
	return arrive
}

// The passes over a block. Slices are cut to one length first, so that the
// compiler drops the bounds checks from the loops.

func shift(v []float64, by float64) {
	for i := range v {
		v[i] += by
	}
}

// Comparisons rather than the built-in max and min, whose care for NaN and
// signed zeros costs more than the rest of the loop; branches are well
// predicted, since noise is rare.

func later(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		if b[i] > x {
			x = b[i]
		}
		dst[i] = x
	}
}

func earlier(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		if b[i] < x {
			x = b[i]
		}
		dst[i] = x
	}
}

func maximum(v []float64) float64 {
	m := v[0]
	for _, x := range v {
		if x > m {
			m = x
		}
	}
	return m
}
