package alphabeta

import "math"

// ready returns when a message leaves whose sender can post it at a time and pays no
// processor time for that. If it costs its host nothing, the wire adds the rest.
func (plan *Plan) ready(r *round, m int, at float64) float64 {
	if plan.hosts {
		at += r.Sources[m].Post
	}
	return at
}

// departures returns the messages with which a rank that has the result at a time sends it:
// in place of partial results, and as copies in the rounds before upto.
func (f *forwarding) departures(rank int, at float64, upto int) []departure {
	f.sent = f.sent[:0]
	if f.plan.ordered {
		f.inOrder(rank, at, upto)
		return f.sent
	}
	proper := f.plan.Checkpoints[0].Rounds
	for i := proper - 1; i >= 0 && f.history.before(rank, i) > at; i-- {
		r := &f.plan.rounds[i]
		for m := range r.sources {
			f.sent = append(f.sent, departure{i, m, f.plan.ready(r, m, at)})
		}
	}
	for k := proper; k < upto; k++ {
		if r := &f.plan.rounds[k]; r.Copies > 0 {
			f.sent = append(f.sent, departure{k, 0, f.plan.ready(r, 0, at)})
		}
	}
	return f.sent
}

// inOrder is departures where posting takes the processor, or messages keep a gap: those in
// place of partial results come first, in the order of rounds. It returns when the processor
// has posted these.
func (f *forwarding) inOrder(rank int, at float64, upto int) (posted float64) {
	host, left := &f.plan.problem.Host, math.Inf(-1)
	leave := func(r *round, m int, free float64) float64 {
		free += r.Sources[m].Post
		if host.Gap > 0 {
			free = max(free, left+host.Gap)
		}
		left = free
		return free
	}
	proper := f.plan.Checkpoints[0].Rounds
	posted = at
	for i := range proper {
		r, free := &f.plan.rounds[i], f.history.before(rank, i)
		begun := free <= at
		for m := range r.sources {
			if _, ok := f.to(r, m, rank); !ok {
				continue
			}
			if begun {
				free = f.post(r.postingOf(m), rank, free, 1)
				leave(r, m, free)
				continue
			}
			posted = f.post(r.postingOf(m), rank, posted, 1)
			f.sent = append(f.sent, departure{i, m, leave(r, m, posted)})
		}
	}
	for k := proper; k < upto; k++ {
		if r := &f.plan.rounds[k]; r.Copies > 0 {
			free := f.post(r.postingOf(0), rank, posted, r.Copies)
			f.sent = append(f.sent, departure{k, 0, leave(r, 0, free)})
		}
	}
	return posted
}

// post returns when a processor that is free at a time has posted so many messages [s].
func (f *forwarding) post(p piece, rank int, free float64, messages int) float64 {
	if work := float64(messages) * f.plan.problem.Host.Overhead; work > 0 {
		return f.noise.finishOne(p, rank, free, work)
	}
	return free
}

// postForwarded replaces the times at which late ranks have the result by those at which
// their processors have posted it in place of partial results.
func (f *forwarding) postForwarded(times []float64) {
	for _, r := range f.late {
		times[r] = f.posted(r, times[r])
	}
}

// posted returns when a rank that has the result at a time has posted it in place of partial
// results.
func (f *forwarding) posted(rank int, at float64) float64 {
	f.sent = f.sent[:0]
	return f.inOrder(rank, at, 0)
}
