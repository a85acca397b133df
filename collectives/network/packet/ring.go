package packet

// A ring has what is due in each of the next cycles: channels at which a flit arrives, and
// channels that get a credit.
type ring struct {
	flits, credits [][]int32 // by cycle, modulo their number
	at             int       // place of this cycle

	// What leaves in this cycle: over links, and from and to controllers, where it takes one cycle.
	flitsOut, creditsOut, flitsNext, creditsNext *[]int32
}

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

// A wakeup is a slot with the cycle at which it resumes.
type wakeup struct {
	at   int64
	slot int32
}

// Before reports whether the slot resumes before another.
func (w wakeup) Before(other wakeup) bool {
	return w.at < other.at || w.at == other.at && w.slot < other.slot
}
