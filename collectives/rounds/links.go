package rounds

import (
	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// links are those by which ranks send, in an application whose links are busy: redundant copies can
// still be leaving when the next call begins.
type links struct {
	free    []float64 // when each rank's link is free of the last call's copies [s]; empty if it is
	pending bool      // some ranks have not sent anything in this call
}

// await delays the ranks that send in a round until their links are free. That matters
// to a rank's first messages of a call; it waits for them itself.
func (l *links) await(plan *Plan, r *round, clock []float64) {
	if !l.pending || !plan.awaited(r) {
		return
	}
	if !r.uneven { // ranks that do not send now have sent before
		span := r.Receivers
		vector.Later(clock[span.Lo:span.Hi], clock[span.Lo:], l.free[span.Lo:], 0)
		l.pending = false
		return
	}
	for m := range r.sources {
		for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
			from := r.sources[m].Peers.From(rank)
			clock[from] = max(clock[from], l.free[from])
		}
	}
}

// begin prepares for a call of the plan.
func (l *links) begin(plan *Plan) { l.pending = len(l.free) > 0 && !plan.hosts }

// leave notes that the links of ranks whose calls return at times [s], the posters of the
// checkpoint, are busy with copies for some seconds more.
func (l *links) leave(returned []float64, posters collectives.Span, drain float64) {
	l.free = append(l.free[:0], returned...)
	free := l.free[posters.Lo:posters.Hi]
	vector.Shift(free, free, drain)
}
