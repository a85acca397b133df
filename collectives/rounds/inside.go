package rounds

import (
	"reflect"
	"sync"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// An inside is which messages of a mixed source stay inside nodes, by sender and by receiver. It is found
// when it is asked for.
type inside struct {
	once        sync.Once
	sent, comes vector.Bitmask
}

// mostInside is how many of them a schedule keeps, each of two bits a rank. Recursive patterns have one for
// each distance inside a node.
const mostInside = 64

// keepInside has mixed sources keep which of their messages stay inside nodes. Rounds with the same peers one
// after the other, as those of a ring, share it.
func (compiled *Compiled) keepInside() {
	kept := 0
	for i := range compiled.rounds {
		for m := range compiled.rounds[i].sources {
			s := &compiled.rounds[i].sources[m]
			if !s.mixed {
				continue
			}
			if s.kept = compiled.keptBefore(i, m); s.kept == nil && kept < mostInside {
				s.kept = new(inside)
				kept++
			}
		}
	}
}

// keptBefore returns what the m-th source of the round before keeps, if it has the same messages.
func (compiled *Compiled) keptBefore(round, m int) *inside {
	if round == 0 || m >= len(compiled.rounds[round-1].sources) {
		return nil
	}
	r, last := &compiled.rounds[round], &compiled.rounds[round-1]
	a, b := r.sources[m].Peers, last.sources[m].Peers
	if known := reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable(); !known || a != b ||
		r.Receivers != last.Receivers || r.sources[m].senders != last.sources[m].senders {
		return nil
	}
	return last.sources[m].kept
}

// find finds out what a round's source keeps.
func (compiled *Compiled) find(r *round, s *source) *inside {
	s.kept.once.Do(func() {
		s.kept.sent, s.kept.comes = vector.NewBitmask(compiled.Ranks), vector.NewBitmask(compiled.Ranks)
		for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
			if compiled.sameNode(s.Peers.From(rank), rank) {
				s.kept.comes.Add(rank)
			}
		}
		for rank := s.senders.Lo; rank < s.senders.Hi; rank++ {
			if compiled.sameNode(rank, s.Peers.To(rank)) {
				s.kept.sent.Add(rank)
			}
		}
	})
	return s.kept
}

// comes calls do for the spans of receivers, of those in a span, whose messages of a source stay inside
// nodes.
func (compiled *Compiled) comes(r *round, s *source, span collectives.Span, do func(collectives.Span)) {
	switch {
	case s.inside:
		do(span)
	case s.mixed:
		inside := func(rank int) bool { return compiled.sameNode(s.Peers.From(rank), rank) }
		var kept vector.Bitmask
		if s.kept != nil {
			kept = compiled.find(r, s).comes
		}
		alike(kept, inside, span, func(part collectives.Span, inside bool) {
			if inside {
				do(part)
			}
		})
	}
}

// sent calls do for spans of senders whose messages of a source all stay inside nodes, or all do not.
func (compiled *Compiled) sent(
	r *round, s *source, span collectives.Span, do func(part collectives.Span, inside bool),
) {
	if !s.mixed {
		do(span, s.inside)
		return
	}
	var kept vector.Bitmask
	if s.kept != nil {
		kept = compiled.find(r, s).sent
	}
	alike(kept, func(rank int) bool { return compiled.sameNode(rank, s.Peers.To(rank)) }, span, do)
}

// alike calls do for the parts of a span with the same answer, which is kept, or asked for if that is nil.
func alike(
	kept vector.Bitmask, ask func(rank int) bool, span collectives.Span,
	do func(part collectives.Span, answer bool),
) {
	for lo, hi := span.Lo, 0; lo < span.Hi; lo = hi {
		if kept != nil {
			hi = kept.Alike(lo, span.Hi)
			do(collectives.Span{Lo: lo, Hi: hi}, kept.Has(lo))
			continue
		}
		answer := ask(lo)
		for hi = lo + 1; hi < span.Hi && ask(hi) == answer; {
			hi++
		}
		do(collectives.Span{Lo: lo, Hi: hi}, answer)
	}
}
