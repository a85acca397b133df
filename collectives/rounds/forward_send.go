package rounds

import (
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// departs reports whether departures have all that comes before a message leaves: where messages
// cost their hosts, or the link, something. Else the wire adds the rest.
func (compiled *Compiled) departs() bool { return compiled.hosts || compiled.Busy }

// onTop reports whether what posting takes comes on top of when a message of the round departs: one sum
// then has both, as in a pass over all ranks.
func (compiled *Compiled) onTop(r *round) bool {
	return !compiled.departs() || !compiled.hosts && r.Copies > 0
}

// lags reports whether a rank can come to a round before its link is free of the round before: of the gap
// behind its last message.
func (compiled *Compiled) lags() bool { return compiled.Busy && compiled.problem.Host.Gap > 0 }

// departures returns the messages by which a rank that has the result at time at sends it: in place
// of partial results, and as copies.
func (f *forwarding) departures(rank int, at float64) []departure {
	out := f.replace(rank, at)
	for _, k := range f.exchanges {
		f.leaving = append(f.leaving, departure{k, 0, f.leaveCopy(&out, &f.compiled.rounds[k], rank)})
	}
	return f.leaving
}

// replace is departures in place of partial results. It returns what is posted and has left after
// these.
func (f *forwarding) replace(rank int, at float64) outlet {
	f.leaving = f.leaving[:0]
	if f.compiled.departs() {
		if len(f.done) > 0 && at >= f.done[rank] { // nothing is in their place
			return outlet{posted: at, link: f.free(rank, len(f.history))}
		}
		return f.inOrder(rank, at)
	}
	begun := f.begun(rank, at)
	for i := begun; i < len(f.history); i++ {
		for m := range f.compiled.rounds[i].sources {
			f.leaving = append(f.leaving, departure{i, m, at})
		}
	}
	return outlet{posted: at}
}

// begun returns how many rounds a rank has begun that gets the result at time at.
func (f *forwarding) begun(rank int, at float64) int {
	i := len(f.history)
	for i > 0 && f.history[i-1][rank] > at {
		i--
	}
	return i
}

// free returns when a rank's link is free before a round [s], or a time before the rank comes to it.
func (f *forwarding) free(rank, round int) float64 {
	switch {
	case len(f.sent) > 0:
		return f.sent[round][rank]
	case round == 0 && len(f.links) > 0:
		return f.links[rank]
	}
	return math.Inf(-1)
}

// An outlet is what a rank's messages leave by, one after the other.
type outlet struct {
	posted float64 // when the processor has posted the last [s]
	left   float64 // when that left [s]
	link   float64 // when the link is free for the next, where links are busy [s]
}

// inOrder is replace where posting takes the processor, messages keep a gap, or links are busy: the
// messages leave in the order of rounds. Those of the rounds that the rank has begun are not recalled;
// of these only the last counts, as it is known when the link is free before it, unless only the messages
// themselves keep a gap.
func (f *forwarding) inOrder(rank int, at float64) outlet {
	begun, from := f.begun(rank, at), 0
	if f.compiled.Busy || f.compiled.problem.Host.Gap == 0 {
		from = max(0, begun-1)
	}
	out := outlet{posted: at, left: math.Inf(-1), link: f.free(rank, from)}
	for i := from; i < len(f.history); i++ {
		r, free, n := &f.compiled.rounds[i], f.history[i][rank], 0
		for m := range r.sources {
			to, ok := r.to(m, rank)
			switch {
			case !ok:
			case i < begun:
				free = f.post(r, m, rank, free, 1)
				out.posted = max(out.posted, free)
				f.leave(&out, r, m, m, free, f.compiled.linkOf(&r.sources[m], rank, to))
			default:
				out.posted = f.post(r, m, rank, out.posted, 1)
				link := f.compiled.whole.of(f.compiled.stays(&r.sources[m], rank, to))
				f.leaving = append(f.leaving, departure{i, m, f.leave(&out, r, m, n, out.posted, link)})
				n++
			}
		}
	}
	return out
}

// leave returns when a message of a round's m-th source leaves. It is posted at time posted, after
// n others of the round, and keeps its link busy for link [s].
func (f *forwarding) leave(out *outlet, r *round, m, n int, posted, link float64) float64 {
	gap, at := f.compiled.problem.Host.Gap, posted
	if f.compiled.Busy {
		at = max(at, out.link)
		out.link = at + link + gap
		if n > 0 {
			at = max(at, out.left+f.compiled.problem.Redundancy.SendOverhead)
		}
	} else if at += r.Sources[m].Post; gap > 0 {
		at = max(at, out.left+gap)
	}
	out.left = at
	return at
}

// leaveCopy returns when a rank's redundant copy of a round leaves, after the copies of earlier
// rounds.
func (f *forwarding) leaveCopy(out *outlet, r *round, rank int) float64 {
	at := f.post(r, 0, rank, out.posted, r.Copies)
	if f.compiled.Busy {
		at = max(at, out.link)
	}
	if f.compiled.onTop(r) {
		return at
	}
	if at += r.Sources[0].Post; f.compiled.stays(&r.sources[0], rank, r.Sources[0].Peers.To(rank)) {
		at += r.Sources[0].Inside
	}
	if gap := f.compiled.problem.Host.Gap; gap > 0 && !f.compiled.Busy {
		at = max(at, out.left+gap)
		out.left = at
	}
	return at
}

// post returns when a processor that is free at time free [s] has posted the given number of messages
// of a round's m-th source.
func (f *forwarding) post(r *round, m, rank int, free float64, messages int) float64 {
	if work := float64(messages) * f.compiled.problem.Host.Overhead; work > 0 {
		return f.noise.finishOne(r.postingOf(m), rank, free, work)
	}
	return free
}

// hasPosted returns when the processor of a rank has posted the result in place of partial results, if it
// has the result at a time.
func (f *forwarding) hasPosted(e *earlyRank, at float64) float64 {
	if at >= f.done[e.rank] {
		return at
	}
	if e.at != at {
		e.at, e.posted = at, f.replace(e.rank, at).posted
	}
	return e.posted
}

// postForwarded replaces the times at which ranks have the result by those at which
// their processors have posted it in place of partial results.
func (f *forwarding) postForwarded(times []float64) {
	for i := range f.early {
		e := &f.early[i]
		times[e.rank] = f.hasPosted(e, times[e.rank])
	}
}

// drain replaces the times at which the links of posters are free of copies, which take copies [s]
// including their posting, by the times after what they forward has left. The times at which they have
// the result are in at.
func (f *forwarding) drain(free, at []float64, posters collectives.Span, copies float64) {
	for _, e := range f.early {
		if r := e.rank; posters.Lo <= r && r < posters.Hi {
			free[r] = max(free[r], f.replace(r, at[r]).link+copies)
		}
	}
}

// lastForwarded is [Simulator.completion] where posting takes the processor, and ranks forward results.
// Most ranks that do are done long before the last one, as when they would have posted all shows.
func (s *Simulator) lastForwarded(
	r collectives.Checkpoint, clock []float64, compiled *Compiled, n *Noise,
) float64 {
	f, returned := &s.forwarding, s.hosts.posted[:len(clock)]
	copy(returned, clock)
	f.bounds = f.bounds[:0]
	for i, e := range f.early {
		switch at := clock[e.rank]; {
		case at >= f.done[e.rank]:
		case at == e.at:
			returned[e.rank] = e.posted
		default:
			returned[e.rank] = f.done[e.rank]
			f.bounds = append(f.bounds, earlyBound{early: i})
		}
	}
	s.endCalls(r, compiled.everyone(), returned, compiled, n)
	for i := range f.bounds {
		b := &f.bounds[i]
		rank := f.early[b.early].rank
		b.returns, returned[rank] = returned[rank], math.Inf(-1)
	}
	last := vector.Most(returned)
	for _, b := range f.bounds {
		if e := &f.early[b.early]; b.returns > last {
			returned[e.rank] = f.hasPosted(e, clock[e.rank])
			s.endCalls(r, collectives.Span{Lo: e.rank, Hi: e.rank + 1}, returned, compiled, n)
			last = max(last, returned[e.rank])
		}
	}
	return last
}

// endCalls replaces the times at which the ranks of a span have posted all but copies by those at which
// their calls return.
func (s *Simulator) endCalls(
	r collectives.Checkpoint, span collectives.Span, t []float64, compiled *Compiled, n *Noise,
) {
	if posters := r.Posters.Meet(span); posters.Lo < posters.Hi {
		s.hosts.work(piece{Kind: copying}, posters, t, float64(r.Copies)*compiled.problem.Host.Overhead, n)
		if r.Post > 0 {
			vector.Shift(t[posters.Lo:posters.Hi], t[posters.Lo:posters.Hi], r.Post)
		}
	}
	if compiled.nic {
		n.finishAll(piece{Kind: returning}, t, span, 0)
	}
}
