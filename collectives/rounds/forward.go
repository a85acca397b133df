package rounds

import (
	"container/heap"
	"slices"

	"jitterfly/collectives"
	"jitterfly/internal/queue"
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
// where b[r,i] is when rank r comes to round i without any of it, of N rounds. The rounds are
// simulated as ever, which also writes down the history b. Then come shortest paths, but only over
// late ranks, which a copy from the first rank of all can help. The others have b[r,N], and only
// late ranks have anything to forward.
//
// Where posting costs a processor nothing, the solution for T − 1 is a bound of that for T,
// from which only what the new copies improve spreads. On busy links messages wait for those before
// them; one that gets the result earlier sends each no later, if the result is as long as what it
// replaces, so that the same holds. With overheads or gaps, or shorter partial results, a rank that
// gets the result earlier may post its copies later, behind more messages that it forwards;
// then each T begins anew, and the order of time makes the result unique all the same.

// forwarding is the state of the pass over late ranks.
type forwarding struct {
	compiled *Compiled
	noise    *Noise
	// history has b: the clocks of all ranks before each round up to the first checkpoint [s].
	history [][]float64
	delays  delayCache

	links []float64 // when links are free at the beginning [s]; empty if they are

	clock []float64 // f, of all ranks [s]
	limit float64   // up to when ranks are not late [s]
	late  []int
	own   []float64 // b[r,N] of the late ranks
	queue queue.Queue[entry]

	sent []departure // scratch

	// note, if not nil, is called for every improvement.
	note func(edge)
}

// An edge is a message that brings a rank the result.
type edge struct {
	departure
	from, to int
	arrival  float64 // [s]
	delay    float64 // in the network [s]
}

// A departure is when a sender's message of a round leaves [s]. Where messages cost their hosts
// nothing, it is when its sender has the result, and what posting takes comes on top.
type departure struct {
	round, source int
	leave         float64
}

// begin prepares for a trial. Links are free at the times in links, or always.
func (f *forwarding) begin(compiled *Compiled, n *Noise, links []float64) {
	f.compiled, f.noise, f.late = compiled, n, f.late[:0]
	f.links = append(f.links[:0], links...)
	f.history = f.history[:0]
	if !compiled.forward {
		return
	}
	f.delays.begin(compiled, n)
	for range compiled.Checkpoints[0].Rounds {
		f.history = slices.Grow(f.history, 1)[:len(f.history)+1] // rows keep their memory
		row := &f.history[len(f.history)-1]
		*row = slices.Grow((*row)[:0], compiled.Ranks)[:compiled.Ranks]
	}
}

// remember writes down the clocks of a block of ranks from lo before a round.
func (f *forwarding) remember(round, lo int, block []float64) {
	if round < len(f.history) {
		copy(f.history[round][lo:], block)
	}
}

// run simulates the redundant exchanges of a trial whose ranks have their own results at the
// times in clock, and replaces these by f. The trial's first checkpoint is concluded, and those
// before the upto-th are to be.
func (f *forwarding) run(
	clock []float64, trial *Trial, upto int, completion func(collectives.Checkpoint) float64,
) {
	f.clock = clock
	first, _ := vector.Extremes(clock)
	f.limit = first + f.compiled.rounds[f.compiled.Checkpoints[0].Rounds].soonest
	f.late, f.own = f.late[:0], f.own[:0]
	for r, x := range clock {
		if x > f.limit {
			f.late, f.own = append(f.late, r), append(f.own, x)
		}
	}
	settled := func(next *round) bool { return vector.Most(clock) <= first+next.soonest }
	for k := 1; k < upto; {
		f.exchange(k)
		k = trial.conclude(f.compiled, k, completion, settled)
	}
}

// exchange computes f at a checkpoint from that at the one before.
func (f *forwarding) exchange(checkpoint int) {
	from, upto := f.compiled.Checkpoints[checkpoint-1].Rounds, f.compiled.Checkpoints[checkpoint].Rounds
	if f.compiled.ordered {
		for i, r := range f.late {
			f.clock[r] = f.own[i]
			heap.Push(&f.queue, entry{r, f.own[i]})
		}
		from = f.compiled.Checkpoints[0].Rounds
	}
	for k := from; k < upto; k++ {
		if f.compiled.rounds[k].Copies > 0 {
			f.pull(k)
		}
	}
	f.spread(upto)
}

// spread sends the result from the ranks that got it in this exchange, and from the ranks that get
// it from them: in the order of time if links or processors have one to keep, else in the order in
// which the ranks got it.
func (f *forwarding) spread(upto int) {
	problem := &f.compiled.problem
	soon := vector.Most(f.clock) - fastest(problem, &collectives.Round{Bytes: problem.Bytes})
	for sent := 0; sent < len(f.queue); sent++ {
		q := f.queue[sent]
		if f.compiled.ordered {
			q = heap.Pop(&f.queue).(entry)
			sent = -1
		}
		if q.clock >= soon || q.clock > f.clock[q.rank] {
			continue // nobody is so late, or it has the result by an earlier message
		}
		for _, d := range f.departures(q.rank, q.clock, upto) {
			if to, ok := f.to(&f.compiled.rounds[d.round], d.source, q.rank); ok {
				f.improve(q.rank, to, d)
			}
		}
	}
	f.queue = f.queue[:0]
}

// pull gives late ranks the copies of round k from ranks that have the result.
func (f *forwarding) pull(k int) {
	r := &f.compiled.rounds[k]
	mask, xor := r.Sources[0].Peers.(collectives.Xor)
	if xor && r.all {
		for _, rank := range f.late { // the same, several times faster
			if from := rank ^ int(mask); f.clock[from]+r.soonest < f.clock[rank] {
				f.copy(k, from, rank)
			}
		}
		return
	}
	for _, rank := range f.late {
		if r.receives(rank) {
			from := r.Sources[0].Peers.From(rank)
			if f.clock[from]+r.soonest < f.clock[rank] {
				f.copy(k, from, rank)
			}
		}
	}
}

// copy gives rank to the copy of round k from rank from. In an ordered schedule late ranks do not send
// before their turn.
func (f *forwarding) copy(k, from, to int) {
	x, ordered := f.clock[from], f.compiled.ordered
	alone := x < f.limit && f.compiled.problem.Host.Gap == 0 // all that it owes has left
	switch {
	case alone || !ordered && !f.compiled.Busy:
		out := outlet{posted: x, link: x}
		f.improve(from, to, departure{k, 0, f.leaveCopy(&out, &f.compiled.rounds[k], from)})
	case !ordered || x <= f.limit:
		sent := f.departures(from, x, k+1)
		f.improve(from, to, sent[len(sent)-1])
	}
}

// receives reports whether a rank receives in a round.
func (r *round) receives(rank int) bool {
	return r.Receivers.Lo <= rank && rank < r.Receivers.Hi
}

// to returns the rank that receives from a rank, as the m-th source of a round, if there is one.
func (f *forwarding) to(r *round, m, from int) (rank int, ok bool) {
	rank = r.Sources[m].Peers.To(from)
	return rank, r.all || r.receives(rank) && r.Sources[m].Peers.From(rank) == from
}

// improve gives rank to the result by departure d, if that is earlier than its own result.
func (f *forwarding) improve(from, to int, d departure) {
	r := &f.compiled.rounds[d.round]
	x, transit, delay, now := d.leave, r.wholeTransit, 0.0, f.clock[to]
	if !f.compiled.departs() {
		transit = r.Sources[d.source].Post + transit
	}
	inside := f.compiled.stays(&r.sources[d.source], from, to)
	if inside {
		x += r.wholeInside
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
	if copies := &f.compiled.rounds[f.compiled.Checkpoints[0].Rounds]; copies.cpu {
		there = f.noise.finishOne(r.piece(receiving, d.source), to, arrival, copies.take)
	}
	if there < now {
		f.clock[to] = there
		if f.compiled.ordered {
			heap.Push(&f.queue, entry{to, there})
		} else {
			f.queue = append(f.queue, entry{to, there})
		}
		if f.note != nil {
			f.note(edge{d, from, to, arrival, delay})
		}
	}
}

// An entry is a rank and when it has the result [s].
type entry struct {
	rank  int
	clock float64
}

// Before reports whether the rank has the result earlier than another.
func (e entry) Before(other entry) bool { return e.clock < other.clock }
