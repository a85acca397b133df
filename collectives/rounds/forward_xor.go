package rounds

import (
	"slices"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// pairs reports whether redundant copies are received in passes over pairs of blocks: not by
// trials of a batch, nor where the processor receives.
func (f *forwarding) pairs() bool {
	return f.clock != nil && f.plan.channels != nil && f.pair != nil && !f.plan.Busy &&
		len(f.clock) == f.plan.Ranks && f.plan.rounds[f.plan.Checkpoints[0].Rounds].pairwise
}

// exchangePairs is exchange by passes over pairs of blocks. Only the ranks that these help, and
// whom they help in turn, are treated one by one.
func (f *forwarding) exchangePairs(from, upto int) {
	for k := from; k < upto; k++ {
		if r := &f.plan.rounds[k]; r.Copies > 0 {
			f.pullPairs(r)
		}
	}
	f.spreadXor(upto)
}

// pullPairs is pull in passes over pairs of blocks.
func (f *forwarding) pullPairs(r *round) {
	p, size := f.pair, min(Block, len(f.clock))
	mask := int(r.sources[0].Peers.(collectives.Xor))
	p.Mask, p.By = mask&(size-1), r.sources[0].Post+r.transit
	for lo := 0; lo < len(f.clock); lo += size {
		other := lo ^ mask&^(size-1)
		if other < lo {
			continue
		}
		x, y := &p.here, &p.here
		x.Clock, x.Delay = f.clock[lo:][:size], p.delays[0].of
		if other != lo {
			y = &p.there
			y.Clock, y.Delay = f.clock[other:][:size], p.delays[1].of
		}
		if !p.Helps(x, y) {
			continue
		}
		p.delays[0].draw(f.noise, r, lo, size)
		if other != lo {
			p.delays[1].draw(f.noise, r, other, size)
		}
		f.pullPair(lo, other, x, y)
	}
}

// pullPair has a pair of blocks receive, and queues the ranks that this helps.
func (f *forwarding) pullPair(lo, other int, x, y *vector.Side) {
	before := append(append(f.before[:0], x.Clock...), y.Clock...)
	f.before = before
	f.pair.Earlier(x, y)
	f.queueEarlier(lo, before[:len(x.Clock)], x.Clock)
	if other != lo {
		f.queueEarlier(other, before[len(x.Clock):], y.Clock)
	}
}

// queueEarlier queues the ranks from lo whose clocks are earlier than before.
func (f *forwarding) queueEarlier(lo int, before, now []float64) {
	n := len(f.queue)
	f.queue = slices.Grow(f.queue, len(now))[:n+len(now)]
	before = before[:len(now)]
	for i, x := range now {
		f.queue[n] = entry{lo + i, x}
		if x < before[i] { // compiled without a jump, which would be hard to predict
			n++
		}
	}
	f.queue = f.queue[:n]
}

// spreadXor is spread where all messages go across the hypercube, many times faster: most are
// no earlier than what their receivers have. All ranks that have got the result send in one
// round, then in the next.
func (f *forwarding) spreadXor(upto int) {
	proper := f.plan.Checkpoints[0].Rounds
	for sent := 0; sent < len(f.queue); {
		f.senders = append(f.senders[:0], f.queue[sent:]...)
		sent = len(f.queue)
		for i := upto - 1; i >= 0 && len(f.senders) > 0; i-- {
			if i < proper {
				f.senders = f.history.rows[i].later(f.senders)
			}
			for _, c := range f.plan.channels[i] {
				f.sendXor(i, c)
			}
		}
	}
	f.queue = f.queue[:0]
}

// sendXor has the senders send the result on a channel of a round.
func (f *forwarding) sendXor(round int, c channel) {
	for _, q := range f.senders {
		if to := q.rank ^ c.mask; q.clock+c.by < f.clock[to] {
			f.improve(q.rank, to, departure{round, c.source, q.clock})
		}
	}
}

// spreadInTurn is spreadXor where links are busy: a rank sends to one after the other.
func (f *forwarding) spreadInTurn(upto int) {
	proper := f.plan.Checkpoints[0].Rounds
	transit := f.plan.rounds[0].whole.transit
	apart := max(f.plan.problem.Redundancy.SendOverhead, f.plan.whole.link)
	soon := f.latest() - transit
	for sent := 0; sent < len(f.queue); sent++ {
		q := f.queue[sent]
		if q.clock >= soon || q.clock > f.clock[q.rank] {
			continue // nobody is so late, or it has the result by an earlier message
		}
		first, link := f.begun(q.rank, q.clock)
		for i := first; i < proper && link < soon; i++ {
			leave := link
			for m, c := range f.plan.channels[i] {
				if m > 0 {
					leave += apart
				}
				if to := q.rank ^ c.mask; leave+transit < f.clock[to] {
					f.improve(q.rank, to, departure{i, m, leave})
				}
			}
			link += f.plan.rounds[i].sent
		}
		for k := proper; k < upto && link < soon; k++ {
			c := f.plan.channels[k][0]
			leave := link + f.plan.rounds[k].Sources[0].Post
			if to := q.rank ^ c.mask; leave+transit < f.clock[to] {
				f.improve(q.rank, to, departure{k, 0, leave})
			}
		}
	}
	f.queue = f.queue[:0]
}

// A channel is where the messages of a round's source go that has a mask, and how long [s]
// they take at least.
type channel struct {
	source, mask int
	by           float64
}

// channelsOf returns the channels of all rounds; none if messages go elsewhere than across the
// hypercube, stay inside nodes or cost their hosts anything.
func (plan *Plan) channelsOf() [][]channel {
	if plan.hosts || plan.ordered || plan.problem.Node.Ranks > 1 {
		return nil
	}
	var all [][]channel
	for i := range plan.rounds {
		r := &plan.rounds[i]
		var of []channel
		for m, s := range r.Sources {
			mask, ok := s.Peers.(collectives.Xor)
			if !ok || !r.all {
				return nil
			}
			of = append(of, channel{m, int(mask), s.Post + r.whole.transit})
		}
		all = append(all, of)
	}
	return all
}
