package alphabeta

import "jitterfly/collectives"

// The sparse executor where messages cost their hosts, but for gaps: when a message leaves
// is then known from its sender's clock alone. Who is preempted while it posts delays
// another, so that a round affects also
//
//   - who receives from those who may be in a detour by its end.
//
// All additions and comparisons are those of hosts.go.

// posted returns when a processor that is free at a time has posted so many messages [s].
func (q *sparse) posted(rank int, free float64, messages int) float64 {
	if work := q.plan.problem.Host.Overhead; work > 0 {
		for range messages {
			free = q.finish(rank, free, work)
		}
	}
	return free
}

// commonAfterHosts returns the common clock after a round in which something is needed.
func (q *sparse) commonAfterHosts(r *round) float64 {
	overhead := q.plan.problem.Host.Overhead
	leave, free := q.common+overhead, q.common
	for range r.sources {
		free += overhead
	}
	arrive := leave + r.sources[0].Post
	if r.sources[0].inside {
		arrive += r.inside
	}
	then := max(free, arrive+r.transit)
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
			x += r.inside
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
	now := q.posted(rank, q.clockOf(rank), len(r.sources))
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
	switch work := float64(r.Copies) * q.plan.problem.Host.Overhead; {
	case r.Copies == 0:
		free = q.posted(from, free, m+1)
	case work > 0:
		free = q.finish(from, free, work)
	}
	return free + r.sources[m].Post
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
