package noise

import "math"

type busy struct {
	start, end float64
	next       int32
}

// A list has the places of a phase: the first, the last, and the one that its ranks have reached.
type list struct{ head, last, at int32 }

// A gap between two detours: work that begins no earlier than since and ends before until [s] is
// not preempted.
type gap struct{ since, until float64 }

// insert adds a detour to a list, as an addDetour. Detours that it overlaps with wait for each
// other.
func (d *superposed) insert(phase int, start, length float64) {
	lo, hi := d.ranksOf(phase)
	for r := lo; r < hi; r++ {
		d.until[r] = min(d.until[r], start)
	}
	before := d.before(phase, start)
	if before == 0 || start > d.busy[before].end {
		place := d.place()
		d.busy[place] = busy{start, start, 0}
		d.link(phase, before, place)
		before = place
	}
	b, l := &d.busy[before], &d.lists[phase]
	b.end += length
	for b.next != 0 && d.busy[b.next].start <= b.end {
		next := b.next
		b.end += d.busy[next].end - d.busy[next].start
		b.next = d.busy[next].next
		d.free = append(d.free, next)
		if l.at == next {
			l.at = before
		}
	}
	if b.next == 0 {
		l.last = before
	}
}

// before returns the last of a phase's places that begins no later than a time [s], 0 if none does.
func (d *superposed) before(phase int, start float64) int32 {
	l := &d.lists[phase]
	if l.head == 0 || d.busy[l.head].start > start {
		return 0
	}
	place := l.last
	if d.busy[place].start <= start {
		return place
	}
	if place = l.at; d.busy[place].start > start {
		place = l.head
	}
	for d.busy[d.busy[place].next].start <= start {
		place = d.busy[place].next
	}
	return place
}

// link puts a place after another one of its phase, or first if that is 0.
func (d *superposed) link(phase int, before, place int32) {
	l := &d.lists[phase]
	switch {
	case before != 0:
		d.busy[place].next, d.busy[before].next = d.busy[before].next, place
	case l.head != 0:
		d.busy[place].next, l.head = l.head, place
	default:
		l.head, l.at = place, place
		d.listed = append(d.listed, int32(phase))
	}
}

// place returns a place that is not used.
func (d *superposed) place() int32 {
	if n := len(d.free); n > 0 {
		place := d.free[n-1]
		d.free = d.free[:n-1]
		return place
	}
	d.busy = append(d.busy, busy{})
	return int32(len(d.busy) - 1)
}

// gapAfter returns the gap after the detour at a place of a phase, or before the first one if that
// is 0.
func (d *superposed) gapAfter(place int32, phase int) gap {
	g, next := gap{math.Inf(-1), d.drawn[phase/d.size]}, d.lists[phase].head
	if place != 0 {
		g.since, next = d.busy[place].end, d.busy[place].next
	}
	if next != 0 {
		g.until = d.busy[next].start
	}
	return g
}

// preempt is the preemption rule with the detours that are drawn. It returns also the place of
// the last detour that begins before the end, 0 if none does.
func (d *superposed) preempt(phase int, start, work float64) (end float64, last int32) {
	l := &d.lists[phase]
	place := l.at
	if place == 0 {
		return start + work, 0
	}
	if d.busy[place].start > start { // an earlier time than the last
		place = l.head
	}
	for place != 0 && d.busy[place].end <= start {
		last = place
		l.at = place
		place = d.busy[place].next
	}
	if place != 0 && d.busy[place].start <= start {
		last = place
		l.at = place
		start = d.busy[place].end
		place = d.busy[place].next
	}
	end = start + work
	for ; place != 0 && d.busy[place].start < end; place = d.busy[place].next {
		last = place
		end += d.busy[place].end - d.busy[place].start
	}
	return end, last
}
