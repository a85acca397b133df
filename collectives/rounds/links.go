package rounds

import (
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// links are those by which ranks send, where links are busy. In an application redundant copies can
// still be leaving when the next call begins. And a leader that continues with another leader's result
// can do so while its own messages leave.
type links struct {
	free    []float64 // when each rank's link is free of the last call's copies [s]; empty if it is
	pending bool      // some ranks have not sent anything in this call
	sent    []float64 // when it is free of this call's messages, where leaders share [s]
}

// await delays the ranks that send in a round until their links are free. Unless leaders share, that
// matters to a rank's first messages of a call; it waits for them itself. It reports whether it may have
// delayed any.
func (l *links) await(compiled *Compiled, r *round, clock []float64) bool {
	if !compiled.awaited(r) || !l.pending && !compiled.shares {
		return false
	}
	if l.pending {
		r.later(clock, l.free)
		l.pending = r.uneven // else ranks that do not send now have sent before
	}
	if compiled.shares {
		if r.later(clock, l.sent); r.uneven {
			l.sent = compiled.afterSending(l.sent, r, clock)
		} else {
			vector.Shift(l.sent[r.Receivers.Lo:r.Receivers.Hi], clock[r.Receivers.Lo:], r.sent)
		}
	}
	return true
}

// later delays the clocks of the ranks that send in the round until the given times [s].
func (r *round) later(clock, until []float64) {
	if span := r.Receivers; !r.uneven {
		vector.Later(clock[span.Lo:span.Hi], clock[span.Lo:], until[span.Lo:], 0)
		return
	}
	for m := range r.sources {
		for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
			from := r.sources[m].Peers.From(rank)
			clock[from] = max(clock[from], until[from])
		}
	}
}

// begin prepares for a call of the schedule.
func (l *links) begin(compiled *Compiled) {
	l.pending = len(l.free) > 0 && !compiled.hosts
	if l.sent = l.sent[:0]; compiled.shares {
		for range compiled.Ranks {
			l.sent = append(l.sent, math.Inf(-1))
		}
	}
}

// leave notes that the links of ranks whose calls return at times [s], the posters of the
// checkpoint, are busy with copies for some seconds more.
func (l *links) leave(returned []float64, posters collectives.Span, drain float64) {
	l.free = append(l.free[:0], returned...)
	free := l.free[posters.Lo:posters.Hi]
	vector.Shift(free, free, drain)
}

// A pipeline is what a simulator remembers beyond its clocks for rounds whose messages wait for
// their links, and for pipelined rounds: their messages leave when their senders have done all
// rounds except the last few before it.
type pipeline struct {
	clocks []float64 // of all ranks after each of the last rounds, in turn
	free   []float64 // when the link to each rank is free [s]
}

// begin prepares the pipeline for a trial of the schedule.
func (p *pipeline) begin(compiled *Compiled) {
	if n := (compiled.Lag + 1) * compiled.Ranks; n > len(p.clocks) {
		p.clocks = make([]float64, n)
	}
	p.free = append(p.free[:0], make([]float64, compiled.Ranks)...)
}

// sent remembers the clocks before a round, and returns those at which its messages
// leave.
func (p *pipeline) sent(compiled *Compiled, at int, clock []float64) []float64 {
	copy(p.of(compiled, at), clock)
	return p.of(compiled, max(0, at-compiled.rounds[at].Lag))
}

// of returns what is remembered of a round.
func (p *pipeline) of(compiled *Compiled, at int) []float64 {
	return p.clocks[at%(compiled.Lag+1)*compiled.Ranks:][:compiled.Ranks]
}

// queue delays the messages to the ranks from lo, whose data is there at the times in
// leave, until their links are free. A link is busy for as long as a message's bytes
// take [s]; those inside nodes, listed in inside, take busyInside.
func (p *pipeline) queue(lo int, leave []float64, inside []int, busy, busyInside float64) {
	free := p.free[lo:][:len(leave)]
	vector.Later(leave, leave, free, 0)
	vector.Shift(free, leave, busy)
	for _, i := range inside {
		free[i] = leave[i] + busyInside
	}
}
