package noise

import "math"

// A block has the detours of consecutive phases that are drawn together.
type block struct {
	drawn  float64 // up to when they are drawn [s]
	window int     // how many windows those are
	passes int     // after how many calls of Pass what was over was dropped

	// busy has the times in which a phase has noise to do. Places in it are counted from 1, and 0 stands
	// for no place.
	busy []busy
}

type busy struct {
	start, end float64
	prev, next int32 // places of the phase's ones before and after it
}

// A list has the places of a phase in its block: the first, the last, and the one that its ranks have
// reached.
type list struct{ head, last, at int32 }

// A gap between two detours: work that begins no earlier than since and ends before until [s] is
// not preempted.
type gap struct{ since, until float64 }

// forget leaves no detours in a block, of which none is drawn after a time [s].
func (b *block) forget(drawn float64) {
	*b = block{drawn: drawn, busy: append(b.busy[:0], busy{})}
}

// insert adds a detour to the list of a phase of the block. Detours that it overlaps with wait for each
// other. It reports whether it is the first one of the list.
func (b *block) insert(l *list, start, length float64) (first bool) {
	before := b.before(l, start)
	if before == 0 || start > b.busy[before].end {
		place := int32(len(b.busy))
		b.busy = append(b.busy, busy{start: start, end: start})
		first = b.link(l, before, place)
		before = place
	}
	x := &b.busy[before]
	x.end += length
	for x.next != 0 && b.busy[x.next].start <= x.end {
		next := x.next
		x.end += b.busy[next].end - b.busy[next].start
		if x.next = b.busy[next].next; x.next != 0 {
			b.busy[x.next].prev = before
		}
		if l.at == next {
			l.at = before
		}
	}
	if x.next == 0 {
		l.last = before
	}
	return first
}

// before returns the last place of a list that begins no later than a time [s], 0 if none does.
func (b *block) before(l *list, start float64) int32 {
	place := l.last // most often, as windows follow each other
	for place != 0 && b.busy[place].start > start {
		place = b.busy[place].prev
	}
	return place
}

// link puts a place after another one of a list, or first if that is 0. It reports whether the list was
// empty.
func (b *block) link(l *list, before, place int32) (first bool) {
	switch {
	case before != 0:
		b.busy[place].prev, b.busy[place].next, b.busy[before].next = before, b.busy[before].next, place
	case l.head != 0:
		b.busy[place].next, l.head = l.head, place
	default:
		l.head, l.at = place, place
		return true
	}
	if next := b.busy[place].next; next != 0 {
		b.busy[next].prev = place
	}
	return false
}

// gapAfter returns the gap after the detour at a place of a list, or before the first one if that
// is 0.
func (b *block) gapAfter(place int32, l *list) gap {
	g, next := gap{math.Inf(-1), b.drawn}, l.head
	if place != 0 {
		g.since, next = b.busy[place].end, b.busy[place].next
	}
	if next != 0 {
		g.until = b.busy[next].start
	}
	return g
}

// preempt is the preemption rule with the detours that are drawn. It returns also the place of
// the last detour that begins before the end, 0 if none does.
func (b *block) preempt(l *list, start, work float64) (end float64, last int32) {
	place := l.at
	if place == 0 {
		return start + work, 0
	}
	for b.busy[place].start > start && b.busy[place].prev != 0 { // an earlier time than the last
		place = b.busy[place].prev
	}
	l.at = place
	for place != 0 && b.busy[place].end <= start {
		last = place
		l.at = place
		place = b.busy[place].next
	}
	if place != 0 && b.busy[place].start <= start {
		last = place
		l.at = place
		start = b.busy[place].end
		place = b.busy[place].next
	}
	end = start + work
	for ; place != 0 && b.busy[place].start < end; place = b.busy[place].next {
		last = place
		end += b.busy[place].end - b.busy[place].start
	}
	return end, last
}

// pack moves the detours of the block's lists into room, where those of a list are one after the other.
// It leaves out what is over at the times that the phases have passed [s], but the last detour of a
// list. It returns the room that the block used before.
func (b *block) pack(lists []list, passed []float64, room []busy) []busy {
	room = append(room[:0], busy{})
	for i := range lists {
		l := &lists[i]
		place := l.head
		if place == 0 {
			continue
		}
		for b.busy[place].end <= passed[i] && b.busy[place].next != 0 {
			place = b.busy[place].next
		}
		first := int32(len(room))
		for ; place != 0; place = b.busy[place].next {
			x := b.busy[place]
			x.prev, x.next = int32(len(room))-1, int32(len(room))+1
			room = append(room, x)
		}
		last := int32(len(room)) - 1
		room[first].prev, room[last].next = 0, 0
		*l = list{head: first, last: last, at: first}
	}
	b.busy, room = room, b.busy
	return room
}
