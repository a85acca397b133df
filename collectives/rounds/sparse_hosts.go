package rounds

import "jitterfly/collectives"

// The sparse executor where messages cost their hosts, but for gaps: when a message leaves
// is then known from its sender's clock alone. Who is preempted while it posts delays
// another, so that a round affects also
//
//   - who receives from those who may be in a detour by its end.
//
// All additions and comparisons are those of hosts.go.

// posted returns when a processor that is free at a time has posted the messages of a round, and
// when they have left [s].
func (q *sparse) posted(rank int, free float64, r *round) (posted, sent float64) {
	sent = free
	for m := range r.sources {
		if work := q.plan.problem.Host.Overhead; work > 0 {
			free = q.finish(rank, free, work)
		}
		sent = r.sources[m].after(sent, free)
	}
	return free, sent
}

// after returns when a message of the source has left that its processor has posted at a time, and
// whose link is free at another [s].
func (s *source) after(link, posted float64) float64 {
	if s.inside {
		return max(link, posted) + s.nodeLink
	}
	return max(link, posted) + s.link
}

// commonAfterHosts returns the common clock after a round in which something is needed.
func (q *sparse) commonAfterHosts(r *round) float64 {
	overhead := q.plan.problem.Host.Overhead
	leave, free := q.common+overhead, q.common
	sent := free
	for m := range r.sources {
		free += overhead
		sent = r.sources[m].after(sent, free)
	}
	arrive := leave + r.sources[0].Post
	if r.sources[0].inside {
		arrive += r.sources[0].within
	}
	then := max(free, sent, arrive+r.transit)
	switch {
	case r.Wait == collectives.Combined:
		then += r.take + r.Combine
	case r.cpu:
		then += r.take
	}
	return then
}

// nextHosts returns a rank's clock after a round.
func (q *sparse) nextHosts(rank int, r *round) float64 {
	arrive := 0.0
	for m, source := range r.sources {
		x := q.leave(source.Peers.From(rank), m, r)
		if source.inside {
			x += source.within
		}
		x = q.delay(x, rank, m) + r.transit
		if m == 0 || x < arrive {
			arrive = x
		}
	}
	take := r.take
	if r.Wait == collectives.Spare {
		if r.cpu {
			arrive = q.finish(rank, arrive, take)
		}
		return min(q.clockOf(rank), arrive)
	}
	now, sent := q.posted(rank, q.clockOf(rank), r)
	now = max(now, sent)
	if !r.cpu {
		return max(now, arrive)
	}
	if r.Wait == collectives.Combined {
		take += r.Combine
	}
	if arrive < q.clockOf(rank) {
		return q.finish(rank, now, take+r.recopy)
	}
	return q.finish(rank, max(now, arrive), take)
}

// leave returns when the message of a sender leaves [s] that is the m-th source of others.
func (q *sparse) leave(from, m int, r *round) float64 {
	free := q.clockOf(from)
	work := q.plan.problem.Host.Overhead
	if r.Copies > 0 {
		if work *= float64(r.Copies); work > 0 {
			free = q.finish(from, free, work)
		}
		if free += r.sources[m].Post; r.sources[m].inside {
			free += r.sources[m].Inside
		}
		return free
	}
	left := free
	for k := range m + 1 {
		if work > 0 {
			free = q.finish(from, free, work)
		}
		if left = max(left+r.sources[k].apart, free); !q.plan.Busy {
			left = free + r.sources[k].Post
		}
	}
	return left
}

// completion returns when the call of the last rank returns [s].
func (q *sparse) completion(checkpoint collectives.Checkpoint) float64 {
	work := float64(checkpoint.Copies) * q.plan.problem.Host.Overhead
	if work == 0 && !q.plan.nic {
		return q.latest() + checkpoint.Post
	}
	last := q.common + work + checkpoint.Post
	for _, r := range q.touched.ranks {
		last = max(last, q.returns(r, work, checkpoint))
	}
	q.preempted = q.noise.listed.Preempted(last, q.preempted[:0])
	for _, r := range q.preempted {
		last = max(last, q.returns(r, work, checkpoint))
	}
	return last
}

// returns returns when a rank's call returns, whose processor takes so long to post copies
// [s].
func (q *sparse) returns(rank int, work float64, checkpoint collectives.Checkpoint) float64 {
	at := q.clockOf(rank)
	if work > 0 {
		if q.plan.forward {
			at = q.forwarding.posted(rank, at)
		}
		at = q.finish(rank, at, work)
	}
	at += checkpoint.Post
	if q.plan.nic {
		at = q.finish(rank, at, 0)
	}
	return at
}
