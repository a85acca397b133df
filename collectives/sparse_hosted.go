package collectives

// Sparse play of messages that cost their hosts, but for gaps: when a message leaves
// is then known from its sender's clock alone. Who is struck while it posts delays
// another, so that a round concerns also
//
//   - who hears from those who may be in a detour by its end.
//
// All additions and comparisons are those of [Timeline.playHosted].

// sparsely says whether the hosts' costs can be played so.
func (h *Host) sparsely() bool { return h.Gap == 0 }

// posted is when a processor that is free at a time has posted so many messages.
func (q *sparse) posted(r int, free float64, messages int, p *Problem) float64 {
	if p.Host.Overhead > 0 {
		for range messages {
			free = q.finish(r, free, p.Host.Overhead)
		}
	}
	return free
}

// unstruckHosted is the common clock after a round in which something is needed.
func (q *sparse) unstruckHosted(round *Round, wire float64, p *Problem) float64 {
	leave, free := q.common+p.Host.Overhead, q.common
	for range round.Sources {
		free += p.Host.Overhead
	}
	arrive := leave + round.Sources[0].Post
	if inside, _ := p.Node.evenly(round.Sources[0].Peers); inside {
		arrive += p.Node.Wire(round.Bytes) - wire
	}
	then := max(free, arrive+wire)
	take, cpu := p.takes(round)
	switch {
	case round.Wait == Combined:
		then += take + round.Combine
	case cpu:
		then += take
	}
	return then
}

// nextHosted is a rank's clock after a round.
func (q *sparse) nextHosted(r int, round *Round, wire float64, p *Problem) float64 {
	arrive := 0.0
	for m, source := range round.Sources {
		from := source.Peers.From(r)
		x := q.leave(from, m, round, p)
		if inside, _ := p.Node.evenly(source.Peers); inside {
			x += p.Node.Wire(round.Bytes) - wire
		}
		x = q.delayed(x, r, m) + wire
		if m == 0 || x < arrive {
			arrive = x
		}
	}
	take, cpu := p.takes(round)
	if round.Wait == Spare {
		if cpu {
			arrive = q.finish(r, arrive, take)
		}
		return min(q.at(r), arrive)
	}
	now := q.posted(r, q.at(r), len(round.Sources), p)
	if !cpu {
		return max(now, arrive)
	}
	if round.Wait == Combined {
		take += round.Combine
	}
	if arrive < q.at(r) {
		return q.finish(r, now, take+p.recopy(round.Bytes))
	}
	return q.finish(r, max(now, arrive), take)
}

// leave is when the message of a sender leaves that is the m-th source of others.
func (q *sparse) leave(from, m int, round *Round, p *Problem) float64 {
	free := q.at(from)
	switch work := float64(round.Copies) * p.Host.Overhead; {
	case round.Copies == 0:
		free = q.posted(from, free, m+1, p)
	case work > 0:
		free = q.finish(from, free, work)
	}
	return free + round.Sources[m].Post
}

// completion is when the call of the last rank returns.
func (q *sparse) completion(result Result, p *Problem) float64 {
	work := float64(result.Copies) * p.Host.Overhead
	if work == 0 {
		return q.latest() + result.Post
	}
	last := q.common + work
	for _, r := range q.touched.ranks {
		last = max(last, q.finish(r, q.at(r), work))
	}
	q.struck = q.detours.Struck(last, q.struck[:0])
	for _, r := range q.struck {
		last = max(last, q.finish(r, q.at(r), work))
	}
	return last + result.Post
}
