package rounds

import (
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// Rounds whose messages cost their hosts ([collectives.Host]), as docs/model/hosts.md has them:
// every rank first posts what it sends in a round, one source after the other, and then
// takes what it is sent. When a message leaves depends on what its sender has posted before,
// so that here a pass over all senders comes before one over the receivers:
//
//	next[q]   = when the processor has posted          Detours.Finish
//	leave[q]  = then, but a gap after what left before; on busy links, after its last byte
//	arrive[r] = leave[peer of r] + wire                Simulator.copies
//	next[r]   = when the processor has taken it        Detours.Finish

// hosts is what a simulator remembers beyond its clocks of such rounds, one time [s] for
// each rank.
type hosts struct {
	leave  []float64 // when the message posted last leaves
	left   []float64 // the same, without what is sent again
	turn   []float64 // before when the last message but redundant copies could not leave
	posted []float64 // until when the processor posts, where it is not in the next clocks
	arrive []float64 // when the rank has what it is sent
	sent   []float64 // when the rank's link is free for its next message, where links are busy
	wait   []float64 // when the bytes that it sends in this round have left
	early  []early   // of one block

	// Where ranks read from sockets.
	reader reader
	since  []float64 // when the rank entered the collective
	waits  []float64 // when it began to wait for what it needs
	came   []float64 // when that would arrive if its window did not delay it
	ready  []float64 // when it has read what it has of a round of all sources
	link   []float64 // for how long what it waits for in such a round takes its link
	chosen []int     // the source whose message comes first
}

// early is a rank, counted from the first of its block, that is sent a message before it
// has posted the receive, and when its processor is free [s].
type early struct {
	rank int
	free float64
}

// begin prepares for a trial of a schedule whose ranks begin at the times in clock. Their links are
// free at those in links, or always.
func (h *hosts) begin(compiled *Compiled, clock, links []float64) {
	ranks := compiled.Ranks
	if ranks > len(h.leave) {
		for _, v := range []*[]float64{
			&h.leave, &h.left, &h.turn, &h.posted, &h.arrive, &h.sent, &h.wait,
		} {
			*v = make([]float64, ranks)
		}
	}
	for _, v := range [][]float64{h.left, h.turn, h.sent} {
		vector.Fill(v[:ranks], math.Inf(-1))
	}
	copy(h.sent, links)
	if compiled.problem.Host.Sockets() {
		h.reader = newReader(&compiled.problem, h.reader.bursts)
		for _, v := range []*[]float64{&h.since, &h.waits, &h.came, &h.ready, &h.link} {
			*v = append((*v)[:0], clock...)
		}
		h.chosen = append(h.chosen[:0], make([]int, ranks)...)
	}
}

// hostsRound simulates one round on ranks of some spans, that receive from nobody else, from one vector
// of clocks into the next.
func (s *Simulator) hostsRound(
	compiled *Compiled, at int, spans []collectives.Span, clock, next []float64, n *Noise,
) {
	r := &compiled.rounds[at]
	for _, span := range spans {
		carry(next, clock, s.changed.Meet(span))
	}
	if s.changed = r.touched; r.Every && s.overlap != nil {
		s.changed = compiled.everyone()
	}
	s.postAhead(compiled, at, next, n)
	switch {
	case len(r.sources) == 0:
		n.finishAll(piece{Kind: working, Number: at}, next, r.Receivers, r.Combine)
	case r.Every:
		s.takeEvery(compiled, r, clock, next, n)
	default:
		s.takeEarliest(compiled, at, spans, clock, next, n)
	}
}

// postAhead posts the messages of pipelined rounds that leave in round at.
func (s *Simulator) postAhead(compiled *Compiled, at int, next []float64, n *Noise) {
	for ahead := at; ahead <= at+compiled.Lag && ahead < len(compiled.rounds); ahead++ {
		if lag := compiled.rounds[ahead].Lag; lag > 0 && max(0, ahead-lag) == at {
			s.hosts.post(compiled, &compiled.rounds[ahead], 0, compiled.everyone(), next, n)
			copy(s.pipeline.of(compiled, ahead), s.hosts.leave)
		}
	}
}

// takeEarliest has every receiver of the spans continue with the earliest of its copies.
func (s *Simulator) takeEarliest(
	compiled *Compiled, at int, spans []collectives.Span, clock, next []float64, n *Noise,
) {
	h, r := &s.hosts, &compiled.rounds[at]
	free, leave := next, h.leave
	if r.Wait == collectives.Spare { // posting a spare copy does not delay the sender
		free = h.posted[:compiled.Ranks]
	}
	if r.Lag > 0 {
		leave = s.pipeline.of(compiled, at)
	}
	sockets, last := compiled.problem.Host.Sockets(), len(r.sources)-1
	for _, span := range spans {
		touched := r.touched.Meet(span)
		if r.Wait == collectives.Spare {
			carry(free, clock, touched)
		}
		h.clearWaits(compiled, r, touched)
	}
	for m := range r.sources {
		for _, span := range spans {
			if r.Lag == 0 {
				h.post(compiled, r, m, span, free, n)
			}
		}
		for _, span := range spans {
			if m == last && !sockets { // below, while it is in the cache
				continue
			}
			each(h.arrive, r.Receivers.Meet(span), func(lo int, arrive []float64) {
				s.arriveEarliest(compiled, r, m, lo, arrive, leave, n)
			})
		}
	}
	if sockets {
		s.readEarliest(compiled, r, clock, next, n)
		return
	}
	for _, span := range spans {
		each(next, r.touched.Meet(span), func(lo int, now []float64) {
			h.untilSent(compiled, r, lo, now)
			from, to := max(lo, r.Receivers.Lo), min(lo+len(now), r.Receivers.Hi)
			if from < to {
				s.arriveEarliest(compiled, r, last, from, h.arrive[from:to], leave, n)
				h.receive(r, from, next[from:to], clock[from:], h.arrive[from:to], n)
			}
		})
	}
}

// untilSent has ranks from lo on, whose clocks are now, wait until the messages that they send in the round
// have left.
func (h *hosts) untilSent(compiled *Compiled, r *round, lo int, now []float64) {
	switch {
	case !compiled.awaited(r):
	case compiled.uniform(r):
		vector.Later(now, now, h.leave[lo:], r.sent)
	default:
		vector.Later(now, now, h.wait[lo:], 0)
	}
}

// clearWaits has no rank of a span, which may be empty, wait until its messages have left, which those do
// that send some. Nobody is asked how long it waits where none does, except by sockets.
func (h *hosts) clearWaits(compiled *Compiled, r *round, span collectives.Span) {
	if span.Lo >= span.Hi || !compiled.problem.Host.Sockets() && (r.all || !compiled.awaited(r)) {
		return
	}
	vector.Fill(h.wait[span.Lo:span.Hi], math.Inf(-1))
}

// arriveEarliest has the copies of the m-th source, which leave at the times in leave, arrive at the ranks
// from lo, if they do so before those of earlier sources.
func (s *Simulator) arriveEarliest(
	compiled *Compiled, r *round, m, lo int, arrive, leave []float64, n *Noise,
) {
	h, sockets := &s.hosts, compiled.problem.Host.Sockets()
	if m == 0 {
		s.copies(compiled, r, m, arrive, leave, lo, n)
		vector.Shift(arrive, arrive, r.transit)
		if sockets {
			clear(h.chosen[lo:][:len(arrive)])
		}
		return
	}
	from := s.copy[:len(arrive)]
	s.copies(compiled, r, m, from, leave, lo, n)
	if sockets {
		h.choose(m, lo, arrive, from, r.transit)
		return
	}
	vector.Earlier(arrive, arrive, from, r.transit)
}

// choose notes which of the ranks from lo have their first copy from the m-th source, and when it
// arrives: arrive has the arrival from an earlier source, and from has this source's arrival less
// transit [s]. If copies arrive at the same time, up to rounding, the first source's counts.
func (h *hosts) choose(m, lo int, arrive, from []float64, transit float64) {
	for i := range arrive {
		if there := from[i] + transit; there+h.reader.same < arrive[i] {
			h.chosen[lo+i], arrive[i] = m, there
		}
	}
}

// takeEvery has every rank post all of its messages, and then take all copies, in the
// order of their sources.
func (s *Simulator) takeEvery(compiled *Compiled, r *round, clock, next []float64, n *Noise) {
	h := &s.hosts
	for m := range r.sources {
		if s.cancelled() != nil { // there may be as many sources as ranks
			return
		}
		eachSender(r, m, compiled.everyone(), func(span collectives.Span) {
			h.work(r.postingOf(m), span, next, compiled.problem.Host.Overhead, n)
		})
	}
	if s.overlap != nil {
		s.overlap(next)
	}
	posted, sockets := h.posted[:len(clock)], compiled.problem.Host.Sockets()
	copy(posted, clock)
	if sockets {
		copy(h.ready, next)
		clear(h.link)
	}
	for m := range r.sources {
		if s.cancelled() != nil {
			return
		}
		h.post(compiled, r, m, compiled.everyone(), posted, n)
		each(next, r.Receivers, func(lo int, now []float64) {
			arrive := s.copy[:len(now)]
			s.copies(compiled, r, m, arrive, h.leave, lo, n)
			vector.Shift(arrive, arrive, r.transit)
			if sockets {
				h.readNext(compiled, r, m, lo, h.ready[lo:], now, arrive, n)
				return
			}
			h.take(r.piece(receiving, m), lo, now, clock[lo:], arrive, r.take, r.recopy, n)
		})
	}
	work := r.Combine
	if sockets {
		work += float64(len(r.sources)) * r.take
		copy(next[r.Receivers.Lo:r.Receivers.Hi], h.ready[r.Receivers.Lo:])
	}
	n.finishAll(r.piece(combining, 0), next, r.Receivers, work)
}

// eachSender calls do with spans of the ranks among some that send to the round's receivers as its m-th
// source. What is done for a span is in the cache until its end.
func eachSender(r *round, m int, among collectives.Span, do func(collectives.Span)) {
	s := &r.sources[m]
	if !s.scattered {
		for block := range blocks(s.senders.Meet(among)) {
			do(block)
		}
		return
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		from := s.Peers.From(rank)
		do(collectives.Span{Lo: from, Hi: from + 1})
	}
}

// work makes the processors of a span, free at the times in free, work [s]. Work of 0 does not need
// them.
func (h *hosts) work(p piece, span collectives.Span, free []float64, work float64, n *Noise) {
	if work > 0 {
		n.finishAll(p, free, span, work)
	}
}

// post posts the messages of the round's m-th sources among some ranks, on processors that are free at the
// times in free.
func (h *hosts) post(
	compiled *Compiled, r *round, m int, among collectives.Span, free []float64, n *Noise,
) {
	host, s := &compiled.problem.Host, &r.sources[m]
	work, after, apart := host.Overhead, s.Post, host.Gap
	if r.Copies > 0 {
		work *= float64(r.Copies)
	}
	if r.Every { // they take turns on the link
		apart, after = max(apart, s.apart), 0
	}
	eachSender(r, m, among, func(span collectives.Span) {
		h.work(r.postingOf(m), span, free, work, n)
		if compiled.awaited(r) {
			h.send(compiled, r, m, span, free)
			return
		}
		leave, posted := h.leave[span.Lo:span.Hi], free[span.Lo:span.Hi]
		if compiled.behind(r) {
			vector.Later(leave, posted, h.sent[span.Lo:], 0)
			posted = leave
		}
		vector.Shift(leave, posted, after)
		for q := span.Lo; q < span.Hi && s.Inside != 0; q++ {
			if compiled.stays(s, q, s.Peers.To(q)) {
				h.leave[q] += s.Inside
			}
		}
		if host.Gap > 0 || r.Every {
			h.queue(compiled, r, span, apart)
		}
	})
}

// send sends messages, posted at the times in free, on their links, one after the other. A message
// keeps its link busy for its bytes and for the gap behind them.
func (h *hosts) send(compiled *Compiled, r *round, m int, span collectives.Span, free []float64) {
	s := &r.sources[m]
	uniform := compiled.uniform(r)
	compiled.sent(r, s, span, func(part collectives.Span, inside bool) {
		h.sendFor(compiled, s.link.of(inside), m, part, free, uniform)
	})
}

// sendFor is send of messages that keep their links busy for the same time [s]. Where those of all ranks are
// the same, when their bytes have left is not written, which takes longer than to find it again.
func (h *hosts) sendFor(
	compiled *Compiled, link float64, m int, span collectives.Span, free []float64, uniform bool,
) {
	gap, after := compiled.problem.Host.Gap, compiled.problem.Redundancy.SendOverhead
	leave, wait, sent := h.leave[span.Lo:span.Hi], h.wait[span.Lo:], h.sent[span.Lo:span.Hi]
	wait = wait[:len(sent)]
	if m == 0 {
		if gap > 0 && compiled.again {
			copy(h.turn[span.Lo:], sent)
		}
		if vector.Later(leave, free[span.Lo:], sent, 0); uniform {
			wait = sent
		}
		vector.Shift(wait, leave, link)
	} else {
		vector.Later(wait, free[span.Lo:], sent, 0)
		vector.Later(leave, wait, leave, after)
		vector.Shift(wait, wait, link)
	}
	vector.Shift(sent, wait, gap)
}

// queue makes messages leave at least apart [s] after the messages that left before, where links are
// free. A message that is sent again has its place among them.
func (h *hosts) queue(compiled *Compiled, r *round, span collectives.Span, apart float64) {
	switch {
	case r.Wait == collectives.Spare && r.Copies == 0:
		vector.Later(h.leave[span.Lo:span.Hi], h.leave[span.Lo:], h.turn[span.Lo:], 0)
		return
	case compiled.Busy:
		return
	}
	for q := span.Lo; q < span.Hi; q++ {
		turn := math.Inf(-1)
		if apart > 0 {
			turn = h.left[q] + apart
		}
		if r.Wait != collectives.Spare {
			h.turn[q] = turn
		}
		h.leave[q] = max(h.leave[q], turn)
		h.left[q] = h.leave[q]
	}
}

// receive has the ranks from lo, whose processors are free at the times in now, continue
// with what has arrived for them as the round says. They came to it at the times in before.
func (h *hosts) receive(r *round, lo int, now, before, arrive []float64, n *Noise) {
	switch {
	case r.Wait == collectives.Combined:
		h.take(r.taking(), lo, now, before, arrive, r.take+r.Combine, r.recopy, n)
	case r.Wait == collectives.Delivered && r.cpu:
		h.take(r.taking(), lo, now, before, arrive, r.take, r.recopy, n)
	case r.Wait == collectives.Delivered:
		vector.Later(now, now, arrive, 0)
	case r.cpu:
		n.finish(r.taking(), lo, arrive, r.take)
		vector.Earlier(now, now, arrive, 0)
	default:
		vector.Earlier(now, now, arrive, 0)
	}
}

// take makes the processors of the ranks from lo on work on what arrives, for work [s]; and for
// recopy longer if it has arrived before they came to the round.
func (h *hosts) take(
	p piece, lo int, now, before, arrive []float64, work, recopy float64, n *Noise,
) {
	h.early = h.early[:0]
	if recopy > 0 {
		for i, x := range arrive {
			if x < before[i] {
				h.early = append(h.early, early{i, now[i]})
			}
		}
	}
	vector.Later(now, now, arrive, 0)
	n.finish(p, lo, now, work)
	for _, e := range h.early {
		now[e.rank] = e.free
		n.finish(p, lo+e.rank, now[e.rank:][:1], work+recopy)
	}
}

// postCopies has the ranks that post redundant copies do so, from their clocks on.
func (s *Simulator) postCopies(
	r collectives.Checkpoint, clock []float64, compiled *Compiled, n *Noise,
) {
	if compiled.forward {
		s.forwarding.postForwarded(clock)
	}
	work := float64(r.Copies) * compiled.problem.Host.Overhead
	s.hosts.work(piece{Kind: copying}, r.Posters, clock, work, n)
}
