package network

import "slices"

// Equal sharing by several workers, of all flows that join or leave in one moment: each link
// first adds and removes its flows. If it then has more than before, those that are faster
// than its new share are affected, and if it has fewer, those for which it was a bottleneck.
// The rates of these flows, and of those that joined, are computed once each.

// A change is a flow that joins a link, or ^flow for one that leaves it.
type change struct{ link, flow int32 }

// joinTogether is join for several workers.
func (e *equal) joinTogether(w *worker, flow int32) {
	e.shares[flow].rate = 0 // which affects it on no link
	w.joined = append(w.joined, flow)
	for _, l := range e.route(flow) {
		to := &w.changes[w.ownerOfLink(l)]
		*to = append(*to, change{l, flow})
	}
}

// leaveTogether is leave for several workers.
func (e *equal) leaveTogether(w *worker, flow int32) {
	for _, l := range e.route(flow) {
		to := &w.changes[w.ownerOfLink(l)]
		*to = append(*to, change{l, ^flow})
	}
}

// share implements [sharing]. One worker has computed the shares in join and leave.
func (e *equal) share(w *worker) {
	if w.size == 1 {
		return
	}
	for _, from := range w.working() {
		changes := &from.changes[w.index]
		e.apply(w, *changes)
		*changes = (*changes)[:0]
	}
	for _, l := range w.touched {
		link := &e.links[l]
		flows, before, old := len(link.flows), int(link.before), link.share
		link.before = unchanged
		link.share = orderOf(link.bandwidth / float64(flows))
		if flows == before {
			continue
		}
		for _, flow := range link.flows {
			rate := e.shares[flow].rate
			if flows < before && rate == old || rate > link.share {
				to := &w.affected[w.ownerOfSlot(flow)]
				*to = append(*to, flow)
			}
		}
	}
	w.touched = w.touched[:0]
}

// apply changes which flows are on links, and lists these links.
func (e *equal) apply(w *worker, changes []change) {
	for _, c := range changes {
		link := &e.links[c.link]
		if link.before == unchanged {
			link.before = int32(len(link.flows))
			w.touched = append(w.touched, c.link)
		}
		if c.flow >= 0 {
			link.flows = append(link.flows, c.flow)
		} else {
			link.remove(slices.Index(link.flows, ^c.flow))
		}
	}
}

// settle implements [sharing].
func (e *equal) settle(w *worker) {
	if w.size == 1 {
		return
	}
	for _, from := range w.working() {
		affected := &from.affected[w.index]
		e.update(w, *affected)
		*affected = (*affected)[:0]
	}
	e.update(w, w.joined)
	w.joined = w.joined[:0]
}

// update computes the rates of flows, and lists those that changed. It counts one bottleneck
// for each, which may be too few: then leave looks for others too early.
func (e *equal) update(w *worker, flows []int32) {
	for _, flow := range flows {
		if !e.mark(flow) {
			continue
		}
		rate := never
		for _, l := range e.route(flow) {
			rate = min(rate, e.links[l].share)
		}
		s := &e.shares[flow]
		s.ties = 1
		if s.rate != rate {
			s.rate = rate
			w.changed = append(w.changed, flow)
		}
	}
}
