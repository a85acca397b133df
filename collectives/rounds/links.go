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
