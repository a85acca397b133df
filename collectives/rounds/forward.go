package rounds

import (
	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// Forwarding.
//
// With [collectives.Redundancy.Forward] a rank that has the result sends it at once on all
// channels on which it has not sent a partial result, and then posts its redundant copies.
// So f[r], when rank r has the result, is the least solution of
//
//	f[r] = min(b[r,N],
//	           f[q] + post + wire    over redundant copies from q,
//	           f[q] + wire           over messages of rounds i from q with f[q] < b[q,i])
//
// where b[r,i] is when rank r comes to round i without any of it, of N rounds. The rounds
// are simulated as ever by the sparse or the dense executor, which also write down the
// history b. Then come shortest paths, but only over ranks that are late: those that a copy
// from the first rank of all can help. The others have b[r,N], and only late ranks have
// anything to forward. Across a hypercube, copies are received by all ranks in passes as in
// tiles.go, and those that they help forward the result, in one round after the other.
//
// Where posting costs a processor nothing, the solution for T − 1 is a bound of that for T,
// from which only what the new copies improve spreads. On busy links messages wait for those before
// them; one that gets the result earlier sends each no later, if the result is as long as what it
// replaces, so that the same holds. With overheads or gaps, or shorter partial results, a rank that
// gets the result earlier may post its copies later, behind more messages that it forwards;
// then each T begins anew, and the order of time makes the result unique all the same.

// forwarding is the state of the pass over late ranks.
type forwarding struct {
	plan    *Plan
	noise   *Noise
	history history
	delays  delayCache

	links []float64 // when links are free at the beginning [s]; empty if they are
	// Of the trial: the dense executor's clocks, or the sparse executor. They have f.
	clock  []float64
	sparse *sparse
	span   collectives.Span // of the trial's ranks, in a batch of trials

	limit   float64 // up to when ranks are not late [s]
	late    []int
	own     []float64 // b[r,N] of the late ranks
	queue   queue
	pair    *pair       // the dense executor's; nil where improvements are noted
	sent    []departure // scratch
	senders []entry     // scratch
	before  []float64   // scratch

	// note, if there is one, is told of every improvement.
	note func(edge)
}

// An edge is a message that brings a rank the result.
type edge struct {
	departure
	from, to int
	arrival  float64 // [s]
	delay    float64 // in the network [s]
}

// A departure is when a message of a round leaves [s], of which its sender is a source.
// Where messages cost their hosts nothing, it is when its sender has the result, and what
// posting takes comes on top.
type departure struct {
	round, source int
	leave         float64
}

// begin prepares for a trial, or a batch of trials, of so many ranks.
func (f *forwarding) begin(plan *Plan, n *Noise, ranks int) {
	f.plan, f.noise, f.late = plan, n, f.late[:0]
	f.links = f.links[:0]
	rounds := 0
	if plan.forward {
		rounds = plan.Checkpoints[0].Rounds
		f.delays.begin(plan, n, ranks)
	}
	f.history.begin(rounds, ranks)
}

// remember writes down the clocks of a block of ranks from lo, of so many, before a round.
func (f *forwarding) remember(round, lo int, block []float64, ranks int) {
	if row := f.history.dense(round, ranks); row != nil {
		copy(row[lo:], block)
	}
}

// dense simulates the redundant exchanges of a trial whose ranks, those of the span, have
// their own results at the times in clock, and replaces these by f. The trial's first
// checkpoint is concluded, and those before the upto-th are to be.
func (f *forwarding) dense(
	clock []float64, span collectives.Span, trial *Trial, upto int,
	completion func(collectives.Checkpoint) float64,
) {
	f.clock, f.sparse, f.span = clock, nil, span
	all := clock[span.Lo:span.Hi]
	first, _ := vector.Extremes(all)
	f.limit = first + f.plan.rounds[f.plan.Checkpoints[0].Rounds].soonest
	if f.late = f.late[:0]; !f.pairs() {
		f.listLate()
	}
	f.run(trial, upto, completion,
		func(next *round) bool { return vector.Most(all) <= first+next.soonest })
}

// listLate lists the late ranks among the dense executor's.
func (f *forwarding) listLate() {
	each(f.clock, f.span, func(lo int, block []float64) {
		for i, x := range block {
			if x > f.limit {
				f.late = append(f.late, lo+i)
			}
		}
	})
}

// fromSparse is dense for ranks whose clocks are the sparse executor's.
func (f *forwarding) fromSparse(q *sparse, trial *Trial) {
	f.clock, f.sparse, f.span = nil, q, collectives.Span{Lo: 0, Hi: f.plan.Ranks}
	f.limit = q.first() + f.plan.rounds[f.plan.Checkpoints[0].Rounds].soonest
	f.late = f.late[:0]
	for _, r := range q.touched.ranks {
		if q.clockOf(r) > f.limit {
			f.late = append(f.late, r)
		}
	}
	f.run(trial, len(f.plan.Checkpoints), q.completion,
		func(next *round) bool { return q.latest() <= q.first()+next.soonest })
}

// run simulates one redundant exchange more for each of the checkpoints.
func (f *forwarding) run(
	trial *Trial, upto int, completion func(collectives.Checkpoint) float64,
	settled func(*round) bool,
) {
	f.own = f.own[:0]
	for _, r := range f.late {
		f.own = append(f.own, f.at(r))
	}
	for k := 1; k < upto; {
		f.exchange(k)
		k = trial.conclude(f.plan, k, completion, settled)
	}
}

// at returns when a rank has the result, as far as that is known [s].
func (f *forwarding) at(r int) float64 {
	if f.clock == nil {
		return f.sparse.clockOf(r)
	}
	return f.clock[r]
}

// latest returns when the last rank has the result [s].
func (f *forwarding) latest() float64 {
	if f.clock == nil {
		return f.sparse.latest()
	}
	return vector.Most(f.clock[f.span.Lo:f.span.Hi])
}

func (f *forwarding) set(r int, at float64) {
	if f.clock != nil {
		f.clock[r] = at
		return
	}
	f.sparse.touched.slot(r).clock = at
}

// exchange computes f at a checkpoint from that at the one before.
func (f *forwarding) exchange(checkpoint int) {
	from, upto := f.plan.Checkpoints[checkpoint-1].Rounds, f.plan.Checkpoints[checkpoint].Rounds
	if f.pairs() {
		f.exchangePairs(from, upto)
		return
	}
	if f.plan.ordered {
		for i, r := range f.late {
			f.set(r, f.own[i])
			f.queue.push(f.own[i], r)
		}
		from = f.plan.Checkpoints[0].Rounds
	}
	for k := from; k < upto; k++ {
		if f.plan.rounds[k].Copies > 0 {
			f.pull(k)
		}
	}
	switch {
	case f.clock == nil || f.plan.channels == nil:
		f.spread(upto)
	case f.plan.Busy:
		f.spreadInTurn(upto)
	default:
		f.spreadXor(upto)
	}
}

// spread has all who have got the result in this exchange send it, and those who get it from
// them: in the order of time where there is one to keep, else in the order in which they got
// it.
func (f *forwarding) spread(upto int) {
	soon := f.latest() - fastest(&f.plan.problem, &collectives.Round{Bytes: f.plan.problem.Bytes})
	for sent := 0; sent < len(f.queue); sent++ {
		q := f.queue[sent]
		if f.plan.ordered {
			q = f.queue.pop()
			sent = -1
		}
		if q.clock >= soon || q.clock > f.at(q.rank) {
			continue // nobody is so late, or it has the result by an earlier message
		}
		for _, d := range f.departures(q.rank, q.clock, upto) {
			if to, ok := f.to(&f.plan.rounds[d.round], d.source, q.rank); ok {
				f.improve(q.rank, to, d)
			}
		}
	}
	f.queue = f.queue[:0]
}

// pull has late ranks receive the copies of a round from ranks that have the result.
func (f *forwarding) pull(k int) {
	r := &f.plan.rounds[k]
	mask, xor := r.Sources[0].Peers.(collectives.Xor)
	if xor && f.clock != nil && r.all {
		for _, rank := range f.late { // the same, several times faster
			if from := rank ^ int(mask); f.clock[from]+r.soonest < f.clock[rank] {
				f.copy(k, from, rank)
			}
		}
		return
	}
	for _, rank := range f.late {
		if f.receives(r, rank) {
			from := r.Sources[0].Peers.From(rank)
			if f.at(from)+r.soonest < f.at(rank) {
				f.copy(k, from, rank)
			}
		}
	}
}

// copy has a rank receive the copy of a round. Where there is an order to keep, late ranks do
// not send before their turn.
func (f *forwarding) copy(k, from, to int) {
	x, r := f.at(from), &f.plan.rounds[k]
	if !f.plan.ordered {
		leave := f.plan.ready(r, 0, x)
		if f.plan.Busy {
			link := f.inTurnBefore(from, x)
			leave = f.leaveCopy(&outlet{posted: link, link: link}, r, from)
		}
		f.improve(from, to, departure{k, 0, leave})
		return
	}
	if x > f.limit {
		return
	}
	if f.plan.problem.Host.Gap == 0 && x < f.limit {
		// It has the result by itself, and all that it owes has left.
		out := outlet{posted: x, link: x}
		f.improve(from, to, departure{k, 0, f.leaveCopy(&out, r, from)})
		return
	}
	for _, d := range f.departures(from, x, k+1) {
		if d.round == k {
			f.improve(from, to, d)
		}
	}
}

// receives reports whether a rank receives in a round.
func (f *forwarding) receives(r *round, rank int) bool {
	rank -= f.span.Lo
	return r.Receivers.Lo <= rank && rank < r.Receivers.Hi
}

// to returns who receives from a rank, as the m-th source of a round, if anyone does.
func (f *forwarding) to(r *round, m, from int) (rank int, ok bool) {
	rank = r.Sources[m].Peers.To(from)
	return rank, r.all || f.receives(r, rank) && r.Sources[m].Peers.From(rank) == from
}

// improve has a rank receive a message with the result, if that is earlier than what it has.
func (f *forwarding) improve(from, to int, d departure) {
	r := &f.plan.rounds[d.round]
	x, transit, delay, now := d.leave, r.whole.transit, 0.0, f.at(to)
	if !f.plan.departs() {
		transit = r.Sources[d.source].Post + transit
	}
	inside := f.plan.stays(&r.sources[d.source], from, to)
	if inside {
		x += r.whole.inside
	}
	if x+transit >= now { // as most are
		return
	}
	if !inside {
		delay = f.delays.of(r, d.source, to)
		x += delay
	}
	arrival := x + transit
	there := arrival
	if copies := &f.plan.rounds[f.plan.Checkpoints[0].Rounds]; copies.cpu {
		there = f.noise.finishOne(r.receiving(d.source), to, arrival, copies.take)
	}
	if there < now {
		f.set(to, there)
		if f.plan.ordered {
			f.queue.push(there, to)
		} else {
			f.queue = append(f.queue, entry{to, there})
		}
		if f.note != nil {
			f.note(edge{d, from, to, arrival, delay})
		}
	}
}
