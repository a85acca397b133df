package alphabeta

import "jitterfly/collectives"

// spreadXor is spread where all messages go across the hypercube, many times faster: most are
// no earlier than what their receivers have.
func (f *forwarding) spreadXor(upto int) {
	proper, rows, clock := f.plan.Checkpoints[0].Rounds, f.history.rows, f.clock
	soon := f.latest() - fastest(&f.plan.problem, &collectives.Round{Bytes: f.plan.problem.Bytes})
	for sent := 0; sent < len(f.queue); sent++ {
		q := f.queue[sent]
		if q.clock >= soon || q.clock > clock[q.rank] {
			continue
		}
		for i := upto - 1; i >= 0; i-- {
			if i < proper {
				if before := rows[i].all; before == nil && rows[i].find(q.rank) <= q.clock ||
					before != nil && before[q.rank] <= q.clock {
					break
				}
			}
			for _, c := range f.plan.channels[i] {
				if to := q.rank ^ c.mask; q.clock+c.by < clock[to] {
					f.improve(q.rank, to, departure{i, c.source, q.clock})
				}
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
	if plan.hosts || plan.problem.Node.Ranks > 1 {
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
