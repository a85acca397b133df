package packet

// A ring has what is due in each of the next cycles: channels at which a flit arrives, and
// channels that get a credit.
type ring struct {
	flits, credits [][]int32 // by cycle, modulo their number
	at             int       // place of this cycle

	// What leaves in this cycle: over links, and from and to controllers, where it takes one cycle.
	flitsOut, creditsOut, flitsNext, creditsNext *[]int32
}

// newRing returns an empty ring for flits and credits that take these cycles.
func newRing(hop, credit int) ring {
	n := max(hop, credit) + 1
	return ring{flits: make([][]int32, n), credits: make([][]int32, n)}
}

// clear removes all.
func (r *ring) clear() {
	for i := range r.flits {
		r.flits[i], r.credits[i] = r.flits[i][:0], r.credits[i][:0]
	}
}

// turn moves on to a cycle.
func (r *ring) turn(cycle int64, hop, credit int) {
	n := len(r.flits)
	r.at = int(cycle % int64(n))
	r.flitsOut, r.creditsOut = &r.flits[(r.at+hop)%n], &r.credits[(r.at+credit)%n]
	r.flitsNext, r.creditsNext = &r.flits[(r.at+1)%n], &r.credits[(r.at+1)%n]
}

// empty reports whether nothing is due.
func (r *ring) empty() bool {
	for i := range r.flits {
		if len(r.flits[i])+len(r.credits[i]) > 0 {
			return false
		}
	}
	return true
}

// queues are the packets in each channel, in their order, the first of which is also in the
// channel. All have the same room.
type queues struct {
	room  int
	ids   []int32
	spans []span
}

// A span is the part of a queue's ring that is in use.
type span struct{ first, length int32 }

// newQueues returns empty queues with room for that many packets each.
func newQueues(n, room int) queues {
	return queues{room: room, ids: make([]int32, n*room), spans: make([]span, n)}
}

// clear empties all queues.
func (q *queues) clear() { clear(q.spans) }

// push appends a packet to queue c, and reports whether it is the first.
func (q *queues) push(c, packet int32) bool {
	s := &q.spans[c]
	at := int(s.first + s.length)
	if at >= q.room {
		at -= q.room
	}
	q.ids[int(c)*q.room+at] = packet
	s.length++
	return s.length == 1
}

// pop removes the first packet of queue c and returns the next, if there is one.
func (q *queues) pop(c int32) (packet int32, ok bool) {
	s := &q.spans[c]
	if s.first++; int(s.first) == q.room {
		s.first = 0
	}
	s.length--
	return q.ids[int(c)*q.room+int(s.first)], s.length > 0
}

// wakeups are slots with the cycles at which they resume, the earliest first: a binary heap.
type wakeups struct{ heap []wakeup }

// A wakeup is a slot and its cycle.
type wakeup struct {
	at   int64
	slot int32
}

// before reports whether a comes before b.
func (a wakeup) before(b wakeup) bool { return a.at < b.at || a.at == b.at && a.slot < b.slot }

// clear removes all.
func (w *wakeups) clear() { w.heap = w.heap[:0] }

// first returns the earliest cycle, if there is one.
func (w *wakeups) first() (int64, bool) {
	if len(w.heap) == 0 {
		return 0, false
	}
	return w.heap[0].at, true
}

// add adds a slot.
func (w *wakeups) add(at int64, slot int32) {
	w.heap = append(w.heap, wakeup{at, slot})
	h, i := w.heap, len(w.heap)-1
	for i > 0 && h[i].before(h[(i-1)/2]) {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
}

// pop removes and returns the earliest slot.
func (w *wakeups) pop() int32 {
	h := w.heap
	slot, last := h[0].slot, len(h)-1
	h[0], w.heap = h[last], h[:last]
	for i, h := 0, w.heap; ; {
		child := 2*i + 1
		if child >= len(h) {
			return slot
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return slot
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
