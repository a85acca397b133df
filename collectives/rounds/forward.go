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
// A rank that has the result earlier sends no message later: the messages of a round that it has begun
// have been posted, or are being posted, and the others it posts in the same order. So f falls with each
// exchange, and follows from that of the exchange before. A pass over all ranks, as without forwarding,
// brings the copies of the exchange. Ranks that have not posted all that comes before their copies take
// part in it as if they had the result when they have, which is a bound. Then come shortest paths from
// the ranks that the pass has helped, and from those for which it had only a bound, as far as they can
// help others.
//
// On busy links that holds if the result is as long as what it replaces. Else each exchange begins
// anew, with paths from all ranks. The order of time, in which the ranks of the paths have their turns,
// then makes the result unique.

// forwarding is the state of the passes and paths of a trial.
type forwarding struct {
	compiled *Compiled
	noise    *Noise
	// history has b: the clocks of all ranks before each round up to the first checkpoint [s].
	history [][]float64
	// sent has when their links are free before each round, and after the last [s], where gaps can keep
	// them busy until after b.
	sent   [][]float64
	delays delayCache
	links  []float64 // when links are free at the beginning [s]; empty if they are

	clock []float64   // f, of all ranks [s]
	own   []float64   // b[r,N] of all ranks [s]
	early []earlyRank // the ranks with an earlier result than their own
	// done has when ranks have sent all partial results, or a later time that is not after own [s]. It is
	// empty without passes.
	done []float64
	from []float64 // the times of senders in a pass [s]
	was  []float64 // f before a pass [s]

	exchanges []int   // the redundant exchanges so far, as rounds
	queue     entries // the ranks whose messages are to be followed
	hop       float64 // least time from when a rank has the result to when another has it from it [s]
	apart     float64 // least time between two messages that a rank forwards [s]
	soon      float64 // from when on a rank helps nobody [s]

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

func newEarly(rank int) earlyRank { return earlyRank{rank: rank, at: math.Inf(-1)} }

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
// before the upto-th are to be. Without passes it gives the same times, but takes longer.
func (f *forwarding) run(
	clock []float64, trial *Trial, upto int, completion func(collectives.Checkpoint) float64, pass copyPass,
) {
	f.clock, f.own, f.exchanges = clock, append(f.own[:0], clock...), f.exchanges[:0]
	f.least()
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

// least sets what messages take at least.
func (f *forwarding) least() {
	p := &f.compiled.problem
	f.apart = p.Host.Overhead * (1 - roundingMargin)
	f.hop = f.apart + fastest(p, &collectives.Round{Bytes: p.Bytes})
	if f.compiled.Busy {
		link := min(f.compiled.whole.network, f.compiled.whole.node)
		f.apart = max(f.apart, (link+p.Host.Gap)*(1-roundingMargin))
	}
}

// findDone sets done.
func (f *forwarding) findDone() {
	f.done = append(f.done[:0], f.own...)
	host, last := &f.compiled.problem.Host, len(f.history)-1
	switch {
	case !f.compiled.departs(): // copies do not wait for other messages
		vector.Fill(f.done, math.Inf(-1))
		return
	case host.Gap > 0 && !f.compiled.Busy:
		return
	}
	copy(f.done, f.history[last])
	r, link := &f.compiled.rounds[last], 0.0
	for m := range r.sources {
		if host.Overhead > 0 {
			f.noise.finishAll(r.postingOf(m), f.done, f.compiled.everyone(), host.Overhead)
		}
		if f.compiled.Busy {
			whole := f.compiled.whole
			link += max(whole.network, whole.node) + f.compiled.problem.Redundancy.SendOverhead
		}
	}
	vector.Shift(f.done, f.done, link*(1+roundingMargin))
	vector.Earlier(f.done, f.done, f.own, 0)
}

// exchange computes f at a checkpoint from that at the one before.
func (f *forwarding) exchange(checkpoint int, pass copyPass) {
	from, upto := f.compiled.Checkpoints[checkpoint-1].Rounds, f.compiled.Checkpoints[checkpoint].Rounds
	for k := from; k < upto; k++ {
		if f.compiled.rounds[k].Copies > 0 {
			f.exchanges = append(f.exchanges, k)
		}
	}
	if f.compiled.longer {
		copy(f.clock, f.own)
		f.early = f.early[:0]
	}
	if f.compiled.longer || pass == nil {
		f.soon = vector.Most(f.clock) - f.hop
		for rank := range f.clock {
			f.begin(rank)
		}
	} else {
		f.pull(f.exchanges[len(f.exchanges)-1], pass)
	}
	f.spread()
}

// pull continues ranks with the copies of a round, and begins paths.
func (f *forwarding) pull(k int, pass copyPass) {
	f.was = append(f.was[:0], f.clock...)
	f.from = slices.Grow(f.from[:0], len(f.clock))[:len(f.clock)]
	vector.Later(f.from, f.clock, f.done, 0)
	pass(k, f.from, f.clock)
	f.soon = vector.Most(f.clock) - f.hop
	r := &f.compiled.rounds[k]
	for rank, x := range f.clock {
		switch {
		case x < f.was[rank]:
			if f.was[rank] == f.own[rank] {
				f.early = append(f.early, newEarly(rank))
			}
			f.begin(rank)
		case x < f.done[rank]: // the pass had a bound of when its copy leaves
			if to, ok := r.to(0, rank); ok && x+r.soonest < f.clock[to] {
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
			if to, ok := r.to(m, rank); ok {
				if at+(before+f.hop) < f.clock[to] {
					return true
				}
				before += f.apart
			}
		}
	}
	for _, k := range f.exchanges {
		r := &f.compiled.rounds[k]
		posting := float64(r.Copies) * f.compiled.problem.Host.Overhead
		if to, ok := r.to(0, rank); ok && at+(max(0, before-posting)+r.soonest) < f.clock[to] {
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
			if to, ok := f.compiled.rounds[d.round].to(d.source, q.rank); ok {
				f.improve(q.rank, to, d)
			}
		}
	}
}

// to returns the rank that receives from a rank, as the m-th source of the round, if there is one.
func (r *round) to(m, from int) (rank int, ok bool) {
	if across := r.sources[m].across; across >= 0 {
		return from ^ across, true
	}
	return r.receiver(m, from)
}

func (r *round) receiver(m, from int) (rank int, ok bool) {
	rank = r.Sources[m].Peers.To(from)
	receives := r.Receivers.Lo <= rank && rank < r.Receivers.Hi
	return rank, r.all || receives && r.Sources[m].Peers.From(rank) == from
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
			f.early = append(f.early, newEarly(to))
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
