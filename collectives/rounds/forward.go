package rounds

import (
	"math"
	"slices"

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
// where b[r,i] is when rank r comes to round i without any of it, of N rounds. The rounds are
// simulated as ever, which also writes down the history b.
//
// Most ranks have the result no earlier than b[r,N], and so send copies as if nothing were forwarded:
// a pass over all ranks for each exchange gives what these copies bring, a bound of f. A rank that has
// the result earlier sends none of its messages later than with its own result, if the result is as
// long as what it replaces. So the bound is f, but where a rank that a copy helped helps others
// further: by shortest paths from those ranks alone, in the order of time. That order matters, since
// a rank that has the result a little earlier may post its copies later, behind one more message that
// it forwards.
//
// Where links are busy for longer with the result than with what it replaces, the paths begin at all
// ranks that a copy from the first of all can help.

// forwarding is the state of the pass over late ranks.
type forwarding struct {
	compiled *Compiled
	noise    *Noise
	// history has b: the clocks of all ranks before each round up to the first checkpoint [s].
	history [][]float64
	// sent has when their links are free before each round [s], where gaps can keep them busy until later
	// than b.
	sent   [][]float64
	delays delayCache

	links []float64 // when links are free at the beginning [s]; empty if they are

	clock        []float64 // f, of all ranks [s]
	own          []float64 // b[r,N] of all ranks [s]
	done         []float64
	from, before []float64
	early        []earlyRank // the ranks with an earlier result than their own
	queue        entries
	rounds       []int   // the redundant exchanges
	hop          float64 // least time from when a rank has the result to when another has it from it [s]
	apart        float64 // least time between two messages that a rank forwards [s]
	soon         float64 // after when a rank cannot help others any more [s]

	leaving []departure // scratch
	bounds  []earlyBound

	// note, if not nil, is called for every improvement.
	note func(edge)
}

// An earlyRank is a rank with an earlier result than its own. If it has that at time at, its processor has
// posted it in place of partial results at time posted [s].
type earlyRank struct {
	rank       int
	at, posted float64
}

// An earlyBound is a time before which the call of one of the early ranks returns [s].
type earlyBound struct {
	early   int
	returns float64
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

// prepare prepares for a trial. Links are free at the times in links, or always.
func (f *forwarding) prepare(compiled *Compiled, n *Noise, links []float64) {
	f.compiled, f.noise, f.early = compiled, n, f.early[:0]
	f.links = append(f.links[:0], links...)
	f.history, f.sent = f.history[:0], f.sent[:0]
	if !compiled.forward {
		return
	}
	f.delays.begin(compiled, n)
	for range compiled.Checkpoints[0].Rounds {
		f.history = appendRow(f.history, compiled.Ranks)
	}
	for i := 0; compiled.lags() && i <= len(f.history); i++ {
		f.sent = appendRow(f.sent, compiled.Ranks)
	}
}

// appendRow appends a row of some times, in the memory of an earlier trial's.
func appendRow(rows [][]float64, n int) [][]float64 {
	rows = slices.Grow(rows, 1)[:len(rows)+1]
	row := &rows[len(rows)-1]
	*row = slices.Grow((*row)[:0], n)[:n]
	return rows
}

// remember writes down the clocks of a block of ranks from lo before a round, and when the links of all
// ranks are free.
func (f *forwarding) remember(round, lo int, block, sent []float64) {
	if round < len(f.history) {
		copy(f.history[round][lo:], block)
	}
	if round < len(f.sent) {
		copy(f.sent[round][lo:lo+len(block)], sent[lo:])
	}
}

// A copyPass continues ranks from the times in now with their redundant copies of a round, if these come
// earlier, whose senders have the result at the times in sent.
type copyPass func(round int, sent, now []float64)

// run simulates the redundant exchanges of a trial whose ranks have their own results at the
// times in clock, and replaces these by f. The trial's first checkpoint is concluded, and those
// before the upto-th are to be. With a pass over all copies of an exchange it is faster.
func (f *forwarding) run(
	clock []float64, trial *Trial, upto int, completion func(collectives.Checkpoint) float64, pass copyPass,
) {
	problem := &f.compiled.problem
	f.hop = fastest(problem, &collectives.Round{Bytes: problem.Bytes}) +
		problem.Host.Overhead*(1-roundingMargin)
	f.apart = problem.Host.Overhead * (1 - roundingMargin)
	if f.compiled.Busy {
		link := min(f.compiled.whole.network, f.compiled.whole.node)
		f.apart = max(f.apart, (link+problem.Host.Gap)*(1-roundingMargin))
	}
	f.clock, f.rounds = clock, f.rounds[:0]
	f.own = append(f.own[:0], clock...)
	if pass != nil {
		f.findDone()
	}
	first, _ := vector.Extremes(clock)
	settled := func(next *round) bool { return vector.Most(clock) <= first+next.soonest }
	for k := 1; k < upto; {
		f.exchange(k, pass)
		k = trial.conclude(f.compiled, k, completion, settled)
	}
}

// exchange computes f at a checkpoint from that at the one before.
func (f *forwarding) exchange(checkpoint int, pass copyPass) {
	from, upto := f.compiled.Checkpoints[checkpoint-1].Rounds, f.compiled.Checkpoints[checkpoint].Rounds
	for k := from; k < upto; k++ {
		if f.compiled.rounds[k].Copies > 0 {
			f.rounds = append(f.rounds, k)
		}
	}
	switch {
	case f.compiled.longer:
		copy(f.clock, f.own)
		f.early = f.early[:0]
		fallthrough
	case pass == nil:
		f.soon = vector.Most(f.clock) - f.hop
		for rank := range f.clock {
			f.begin(rank)
		}
	default:
		f.pull(f.rounds[len(f.rounds)-1], pass)
	}
	f.spread()
}

// findDone sets when ranks have sent all partial results, or a later time, but no later than when they
// have their own.
func (f *forwarding) findDone() {
	f.done = append(f.done[:0], f.own...)
	problem := &f.compiled.problem
	switch {
	case !f.compiled.departs():
		vector.Fill(f.done, math.Inf(-1))
		return
	case !f.compiled.Busy && problem.Host.Gap > 0:
		return
	}
	last := len(f.history) - 1
	copy(f.done, f.history[last])
	link, r := 0.0, &f.compiled.rounds[last]
	for m := range r.sources {
		if problem.Host.Overhead > 0 {
			f.noise.finishAll(r.postingOf(m), f.done, f.compiled.everyone(), problem.Host.Overhead)
		}
		if f.compiled.Busy {
			link += max(f.compiled.whole.network, f.compiled.whole.node) + problem.Redundancy.SendOverhead
		}
	}
	vector.Shift(f.done, f.done, link*(1+roundingMargin))
	vector.Earlier(f.done, f.done, f.own, 0)
}

// pull continues ranks with the copies of an exchange, and begins paths at those that these help.
func (f *forwarding) pull(k int, pass copyPass) {
	f.before = append(f.before[:0], f.clock...)
	f.from = slices.Grow(f.from[:0], len(f.clock))[:len(f.clock)]
	vector.Later(f.from, f.clock, f.done, 0)
	pass(k, f.from, f.clock)
	f.soon = vector.Most(f.clock) - f.hop
	r := &f.compiled.rounds[k]
	for rank, x := range f.clock {
		switch {
		case x < f.before[rank]:
			if f.before[rank] == f.own[rank] {
				f.early = append(f.early, earlyRank{rank: rank, at: math.Inf(-1)})
			}
			f.begin(rank)
		case x < f.done[rank]:
			if to, ok := f.to(r, 0, rank); ok && x+r.soonest < f.clock[to] {
				f.queue.add(entry{rank, x})
			}
		}
	}
}

// begin begins a path at a rank, if what it sends can be the first that its receiver gets: if it can be
// with the least time that each message takes, and the others before it.
func (f *forwarding) begin(rank int) {
	if at := f.clock[rank]; at < f.soon && f.helps(rank, at) {
		f.queue.add(entry{rank, at})
	}
}

// helps reports whether a message of a rank that has the result at time at can help its receiver.
func (f *forwarding) helps(rank int, at float64) bool {
	before := 0.0 // what the messages before take at least [s]
	for i := f.begun(rank, at); i < len(f.history); i++ {
		r := &f.compiled.rounds[i]
		for m := range r.sources {
			if to, ok := f.to(r, m, rank); ok {
				if at+(before+f.hop) < f.clock[to] {
					return true
				}
				before += f.apart
			}
		}
	}
	for _, k := range f.rounds {
		r := &f.compiled.rounds[k]
		posting := float64(r.Copies) * f.compiled.problem.Host.Overhead
		if to, ok := f.to(r, 0, rank); ok && at+(max(0, before-posting)+r.soonest) < f.clock[to] {
			return true
		}
	}
	return false
}

// spread sends the result from the ranks of the queue, and from the ranks that get it from them.
func (f *forwarding) spread() {
	for len(f.queue) > 0 {
		q := f.queue.take()
		if q.clock > f.clock[q.rank] {
			continue // it has the result by an earlier message
		}
		for _, d := range f.departures(q.rank, q.clock) {
			if to, ok := f.to(&f.compiled.rounds[d.round], d.source, q.rank); ok {
				f.improve(q.rank, to, d)
			}
		}
	}
}

// to returns the rank that receives from a rank, as the m-th source of a round, if there is one.
func (f *forwarding) to(r *round, m, from int) (rank int, ok bool) {
	if across := r.sources[m].across; across >= 0 {
		return from ^ across, true
	}
	return r.to(m, from)
}

func (r *round) to(m, from int) (rank int, ok bool) {
	rank = r.Sources[m].Peers.To(from)
	return rank, r.all || r.Receivers.Lo <= rank && rank < r.Receivers.Hi && r.Sources[m].Peers.From(rank) == from
}

// improve gives rank to the result by departure d, if that is earlier than its own result.
func (f *forwarding) improve(from, to int, d departure) {
	r := &f.compiled.rounds[d.round]
	x, transit, within, delay, now := d.leave, r.wholeTransit, r.wholeInside, 0.0, f.clock[to]
	if f.compiled.onTop(r) {
		transit, within = r.Sources[d.source].Post+transit, within+r.Sources[d.source].Inside
	}
	inside := f.compiled.stays(&r.sources[d.source], from, to)
	if inside {
		x += within
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
		if now == f.own[to] {
			f.early = append(f.early, earlyRank{rank: to, at: math.Inf(-1)})
		}
		f.clock[to] = there
		f.begin(to)
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

// entries are a heap of entries, the earliest first. Package container/heap takes twice as long.
type entries []entry

func (h *entries) add(e entry) {
	v := append(*h, e)
	*h = v
	i := len(v) - 1
	for i > 0 && e.clock < v[(i-1)/2].clock {
		v[i] = v[(i-1)/2]
		i = (i - 1) / 2
	}
	v[i] = e
}

func (h *entries) take() entry {
	v := *h
	first, e := v[0], v[len(v)-1]
	v = v[:len(v)-1]
	*h = v
	for i, down := 0, 1; len(v) > 0; down = 2*i + 1 {
		if down+1 < len(v) && v[down+1].clock < v[down].clock {
			down++
		}
		if down >= len(v) || e.clock <= v[down].clock {
			v[i] = e
			break
		}
		v[i] = v[down]
		i = down
	}
	return first
}
