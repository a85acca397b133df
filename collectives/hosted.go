package collectives

import (
	"math"

	"jitterfly/internal/vector"
)

// Rounds whose messages cost their hosts ([Host]), as docs/model.md has them: every
// rank first posts what it sends in a round, one source after the other, and then takes
// what it is sent. When a message leaves depends on what its sender has posted before,
// so that here a pass over all senders comes before one over the receivers:
//
//	next[q]   = when the processor has posted          Detours.Finish
//	leave[q]  = then, but a gap after what left before
//	arrive[r] = leave[peer of r] + wire                Timeline.copies
//	next[r]   = when the processor has taken it        Detours.Finish

// hosted is what a timeline remembers beyond its clocks of such rounds, of each rank.
type hosted struct {
	leave  []float64 // when the message posted last leaves
	left   []float64 // the same, but for what is sent again
	turn   []float64 // before when the last message but redundant copies could not leave
	posted []float64 // until when the processor posts, where it is not in the next clocks
	arrive []float64 // when the rank has what it is sent
	early  []early   // of one block
}

// early is a rank, counted from the first of its block, that is sent a message before it
// has posted the receive, and when its processor is free.
type early struct {
	rank int
	free float64
}

// begin forgets what was played before.
func (h *hosted) begin(ranks int) {
	if ranks > len(h.leave) {
		for _, v := range []*[]float64{&h.leave, &h.left, &h.turn, &h.posted, &h.arrive} {
			*v = make([]float64, ranks)
		}
	}
	for r := range ranks {
		h.left[r], h.turn[r] = math.Inf(-1), math.Inf(-1)
	}
}

// playHosted plays the round after the first n.
func (t *Timeline) playHosted(s *Schedule, n int, clock, next []float64, p *Problem, os Detours, network Delays) {
	copy(next, clock)
	t.postAhead(s, n, next, p, os)
	round := &s.Rounds[n]
	switch {
	case len(round.Sources) == 0:
		each(next, round.Receivers, func(lo int, now []float64) { os.Finish(lo, now, round.Combine) })
	case round.Every:
		t.takeEvery(round, clock, next, p, os, network)
	default:
		t.takeEarliest(s, n, clock, next, p, os, network)
	}
}

// postAhead has all ranks post the messages of rounds that lag, as of now.
func (t *Timeline) postAhead(s *Schedule, n int, next []float64, p *Problem, os Detours) {
	for ahead := n; ahead <= n+s.lag && ahead < len(s.Rounds); ahead++ {
		if lag := s.Rounds[ahead].Lag; lag > 0 && max(0, ahead-lag) == n {
			t.hosted.post(&s.Rounds[ahead], 0, next, p, os)
			copy(t.pipeline.of(s, ahead), t.hosted.leave)
		}
	}
}

// takeEarliest has every receiver go on with the earliest of its copies.
func (t *Timeline) takeEarliest(s *Schedule, n int, clock, next []float64, p *Problem, os Detours, network Delays) {
	h, round := &t.hosted, &s.Rounds[n]
	free, leave, wire := next, h.leave, round.wire(p)
	if round.Wait == Spare { // when it posts is none of its own clock's
		free = h.posted[:s.Ranks]
		copy(free, clock)
	}
	if round.Lag > 0 {
		leave = t.pipeline.of(s, n)
	}
	for m := range round.Sources {
		if round.Lag == 0 {
			h.post(round, m, free, p, os)
		}
		each(h.arrive, round.Receivers, func(lo int, arrive []float64) {
			if m == 0 {
				t.copies(arrive, leave, lo, m, round, p, network)
				add(arrive, wire)
				return
			}
			from := t.copy[:len(arrive)]
			t.copies(from, leave, lo, m, round, p, network)
			vector.Earlier(arrive, arrive, from, wire)
		})
	}
	each(next, round.Receivers, func(lo int, now []float64) {
		h.receive(round, lo, now, clock[lo:], h.arrive[lo:][:len(now)], p, os)
	})
}

// takeEvery has every rank post all of its messages, and then take all copies, in the
// order of their sources.
func (t *Timeline) takeEvery(round *Round, clock, next []float64, p *Problem, os Detours, network Delays) {
	h, wire := &t.hosted, round.wire(p)
	for m := range round.Sources {
		eachSender(round, m, p.Ranks, func(span Span) { h.work(span, next, p.Host.Overhead, os) })
	}
	posted := h.posted[:len(clock)]
	copy(posted, clock)
	take, _ := p.takes(round)
	for m := range round.Sources {
		h.post(round, m, posted, p, os)
		each(next, round.Receivers, func(lo int, now []float64) {
			arrive := t.copy[:len(now)]
			t.copies(arrive, h.leave, lo, m, round, p, network)
			add(arrive, wire)
			h.take(lo, now, clock[lo:], arrive, take, p.recopy(round.Bytes), os)
		})
	}
	each(next, round.Receivers, func(lo int, now []float64) { os.Finish(lo, now, round.Combine) })
}

// add adds so many seconds to times.
func add(times []float64, seconds float64) {
	for i := range times {
		times[i] += seconds
	}
}

// eachSender calls do for all of so many ranks who send to the round's receivers as its
// m-th source.
func eachSender(round *Round, m, ranks int, do func(Span)) {
	peers, to := round.Sources[m].Peers, round.Receivers
	if to == (Span{0, ranks}) {
		do(to)
		return
	}
	first, last := math.MaxInt, 0
	for r := to.Lo; r < to.Hi; r++ {
		from := peers.From(r)
		first, last = min(first, from), max(last, from)
	}
	if last-first < to.Hi-to.Lo { // all in between, since no two receive from one
		do(Span{first, last + 1})
		return
	}
	for r := to.Lo; r < to.Hi; r++ {
		from := peers.From(r)
		do(Span{from, from + 1})
	}
}

// work has the processors of a span, free at the times in free, work for so long. To
// do nothing they are not needed.
func (h *hosted) work(span Span, free []float64, work float64, os Detours) {
	if work > 0 {
		each(free, span, func(lo int, now []float64) { os.Finish(lo, now, work) })
	}
}

// post has all who send to the round's receivers as its m-th source post their
// messages, with processors that are free at the times in free.
func (h *hosted) post(round *Round, m int, free []float64, p *Problem, os Detours) {
	work, after, apart := p.Host.Overhead, round.Sources[m].Post, p.Host.Gap
	if round.Copies > 0 {
		work *= float64(round.Copies)
	}
	if round.Every { // they take turns on the link
		if m > 0 {
			apart = max(apart, after-round.Sources[m-1].Post)
		}
		after = 0
	}
	eachSender(round, m, p.Ranks, func(span Span) {
		h.work(span, free, work, os)
		leave := h.leave[span.Lo:span.Hi]
		for i, x := range free[span.Lo:span.Hi] {
			leave[i] = x + after
		}
		if p.Host.Gap > 0 || round.Every {
			h.queue(round, span, apart)
		}
	})
}

// queue has messages leave no less than so long after those that left before. A
// message that is sent again has its place among them.
func (h *hosted) queue(round *Round, span Span, apart float64) {
	if round.Wait == Spare && round.Copies == 0 {
		vector.Later(h.leave[span.Lo:span.Hi], h.leave[span.Lo:], h.turn[span.Lo:], 0)
		return
	}
	for q := span.Lo; q < span.Hi; q++ {
		turn := math.Inf(-1)
		if apart > 0 {
			turn = h.left[q] + apart
		}
		if round.Wait != Spare {
			h.turn[q] = turn
		}
		h.leave[q] = max(h.leave[q], turn)
		h.left[q] = h.leave[q]
	}
}

// receive has the ranks from lo, whose processors are free at the times in now, go on
// with what has arrived for them as the round says. They came to it at the times in
// before.
func (h *hosted) receive(round *Round, lo int, now, before, arrive []float64, p *Problem, os Detours) {
	take, cpu := p.takes(round)
	switch {
	case round.Wait == Combined:
		h.take(lo, now, before, arrive, take+round.Combine, p.recopy(round.Bytes), os)
	case round.Wait == Delivered && cpu:
		h.take(lo, now, before, arrive, take, p.recopy(round.Bytes), os)
	case round.Wait == Delivered:
		vector.Later(now, now, arrive, 0)
	case cpu:
		os.Finish(lo, arrive, take)
		vector.Earlier(now, now, arrive, 0)
	default:
		vector.Earlier(now, now, arrive, 0)
	}
}

// take has the processors of the ranks from lo work on what arrives, for so long; and
// for recopy longer if it has arrived before they came to the round.
func (h *hosted) take(lo int, now, before, arrive []float64, work, recopy float64, os Detours) {
	h.early = h.early[:0]
	if recopy > 0 {
		for i, x := range arrive {
			if x < before[i] {
				h.early = append(h.early, early{i, now[i]})
			}
		}
	}
	vector.Later(now, now, arrive, 0)
	os.Finish(lo, now, work)
	for _, e := range h.early {
		now[e.rank] = e.free
		os.Finish(lo+e.rank, now[e.rank:][:1], work+recopy)
	}
}

// completion is when the call of the last rank returns.
func (t *Timeline) completion(r Result, clock []float64, p *Problem, os Detours) float64 {
	if r.Copies == 0 || p.Host.Overhead == 0 {
		return r.completion(clock)
	}
	posted := t.hosted.posted[:len(clock)]
	copy(posted, clock)
	t.hosted.work(r.Posters, posted, float64(r.Copies)*p.Host.Overhead, os)
	return r.completion(posted)
}
