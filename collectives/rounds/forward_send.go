package rounds

import (
	"math"
	"slices"

	"jitterfly/collectives"
)

// departs reports whether departures have all that comes before a message leaves: where messages
// cost their hosts, or the link, something. Else the wire adds the rest.
func (compiled *Compiled) departs() bool { return compiled.hosts || compiled.Busy }

// departures returns the messages by which a rank that has the result at time at sends it: in place
// of partial results, and as copies in the rounds before upto.
func (f *forwarding) departures(rank int, at float64, upto int) []departure {
	out := f.replace(rank, at)
	for k := len(f.history); k < upto; k++ {
		if r := &f.compiled.rounds[k]; r.Copies > 0 {
			f.sent = append(f.sent, departure{k, 0, f.leaveCopy(&out, r, rank)})
		}
	}
	return f.sent
}

// replace is departures in place of partial results. It returns what is posted and has left after
// these.
func (f *forwarding) replace(rank int, at float64) outlet {
	f.sent = f.sent[:0]
	switch {
	case f.compiled.ordered:
		return f.inOrder(rank, at)
	case f.compiled.Busy:
		return f.inTurn(rank, at)
	}
	for i := len(f.history) - 1; i >= 0 && f.history[i][rank] > at; i-- {
		r := &f.compiled.rounds[i]
		for m := range r.sources {
			leave := at
			if f.compiled.departs() {
				leave += r.Sources[m].Post
			}
			f.sent = append(f.sent, departure{i, m, leave})
		}
	}
	return outlet{posted: at}
}

// begun returns how many rounds a rank has begun that gets the result at time at, and when its link
// is free of its messages in these rounds, but not before at.
func (f *forwarding) begun(rank int, at float64) (rounds int, link float64) {
	for i, clock := range slices.Backward(f.history) {
		if before := clock[rank]; before <= at {
			before = max(before, f.linkFree(rank))
			return i + 1, max(at, before+f.onLink(&f.compiled.rounds[i], rank))
		}
	}
	return 0, max(at, f.linkFree(rank))
}

// linkFree returns when a rank's link is free at the beginning [s].
func (f *forwarding) linkFree(rank int) float64 {
	if len(f.links) == 0 {
		return math.Inf(-1)
	}
	return f.links[rank]
}

// onLink returns for how long [s] the messages that a rank sends in a round keep its link busy.
func (f *forwarding) onLink(r *round, rank int) float64 {
	if !r.uneven {
		return r.sent
	}
	sent := 0.0
	for m := range r.sources {
		if to, ok := f.to(r, m, rank); ok {
			sent += f.compiled.linkOf(&r.sources[m], rank, to)
		}
	}
	return sent
}

// inTurn is replace where links are busy, and posting costs a processor nothing: behind what is
// leaving when the rank gets the result, one round's messages after the other's.
func (f *forwarding) inTurn(rank int, at float64) outlet {
	first, link := f.begun(rank, at)
	for i := first; i < len(f.history); i++ {
		r, n := &f.compiled.rounds[i], 0
		out := outlet{posted: link, link: link, left: math.Inf(-1)}
		for m := range r.sources {
			if to, ok := f.to(r, m, rank); ok {
				onLink := f.compiled.whole.of(f.compiled.stays(&r.sources[m], rank, to))
				f.sent = append(f.sent, departure{i, m, f.leave(&out, r, m, n, link, onLink)})
				n++
			}
		}
		link += f.onLink(r, rank)
	}
	return outlet{posted: link, link: link}
}

// An outlet is what a rank's messages leave by, one after the other.
type outlet struct {
	posted float64 // when the processor has posted the last [s]
	left   float64 // when that left [s]
	link   float64 // when the link is free for the next, where links are busy [s]
}

// inOrder is replace where posting takes the processor, messages keep a gap, or links are busy: the
// messages leave in the order of rounds. Those that are leaving when the rank gets the result are not
// recalled.
func (f *forwarding) inOrder(rank int, at float64) outlet {
	out := outlet{posted: at, left: math.Inf(-1), link: f.linkFree(rank)}
	for i, clock := range f.history {
		r, free := &f.compiled.rounds[i], clock[rank]
		begun, n := free <= at, 0
		for m := range r.sources {
			to, ok := f.to(r, m, rank)
			switch {
			case !ok:
			case begun:
				free = f.post(r, m, rank, free, 1)
				out.posted = max(out.posted, free)
				f.leave(&out, r, m, m, free, f.compiled.linkOf(&r.sources[m], rank, to))
			default:
				out.posted = f.post(r, m, rank, out.posted, 1)
				link := f.compiled.whole.of(f.compiled.stays(&r.sources[m], rank, to))
				f.sent = append(f.sent, departure{i, m, f.leave(&out, r, m, n, out.posted, link)})
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
	if !f.compiled.departs() {
		return out.posted
	}
	at := f.post(r, 0, rank, out.posted, r.Copies)
	if f.compiled.Busy {
		at = max(at, out.link)
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

// postForwarded replaces the times at which late ranks have the result by those at which
// their processors have posted it in place of partial results.
func (f *forwarding) postForwarded(times []float64) {
	for _, r := range f.late {
		times[r] = f.replace(r, times[r]).posted
	}
}

// drain replaces the times at which the links of late posters are free of copies, which take copies
// [s] including their posting, by the times after what they forward has left. The times at which
// they have the result are in at.
func (f *forwarding) drain(free, at []float64, posters collectives.Span, copies float64) {
	for _, r := range f.late {
		if posters.Lo <= r && r < posters.Hi {
			free[r] = max(free[r], f.replace(r, at[r]).link+copies)
		}
	}
}
