package noise

import "math"

type busy struct {
	start, end float64
	next       int32
}

// A gap between two detours: work that begins no earlier than since and ends before until [s] is
// not preempted.
type gap struct{ since, until float64 }

// noGap is one that no work is in.
var noGap = gap{since: math.Inf(1)}

// insert adds a detour to a list, as an addDetour. Detours that it overlaps with wait for each
// other.
func (d *superposed) insert(phase int, start, length float64) {
	if lo, _ := d.ranksOf(phase); start < d.first[lo] {
		d.setFirst(phase, start)
	}
	before := d.before(phase, start)
	if before == 0 || start > d.busy[before].end {
		place := d.place()
		d.busy[place] = busy{start, start, 0}
		d.link(phase, before, place)
		before = place
	}
	b := &d.busy[before]
	b.end += length
	for b.next != 0 && d.busy[b.next].start <= b.end {
		next := b.next
		b.end += d.busy[next].end - d.busy[next].start
		b.next = d.busy[next].next
		d.free = append(d.free, next)
		if d.at[phase] == next {
			d.at[phase] = before
		}
	}
	if b.next == 0 {
		d.last[phase] = before
	}
}

// before returns the last of a phase's places that begins no later than a time [s], 0 if none does.
func (d *superposed) before(phase int, start float64) int32 {
	if d.head[phase] == 0 || d.busy[d.head[phase]].start > start {
		return 0
	}
	place := d.last[phase]
	if d.busy[place].start <= start {
		return place
	}
	if place = d.at[phase]; d.busy[place].start > start {
		place = d.head[phase]
	}
	for d.busy[d.busy[place].next].start <= start {
		place = d.busy[place].next
	}
	return place
}

// link puts a place after another one of its phase, or first if that is 0.
func (d *superposed) link(phase int, before, place int32) {
	switch {
	case before != 0:
		d.busy[place].next, d.busy[before].next = d.busy[before].next, place
	case d.head[phase] != 0:
		d.busy[place].next, d.head[phase] = d.head[phase], place
	default:
		d.head[phase], d.at[phase] = place, place
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

// gapAfter returns the gap after the detour at a place, of a phase whose detours are drawn up to
// a time [s].
func (d *superposed) gapAfter(place int32, drawn float64) gap {
	g := gap{d.busy[place].end, drawn}
	if next := d.busy[place].next; next != 0 {
		g.until = d.busy[next].start
	}
	return g
}

// preempt is the preemption rule with the detours that are drawn. It returns also the place of
// the last detour that begins before the end, 0 if none does.
func (d *superposed) preempt(phase int, start, work float64) (end float64, last int32) {
	place := d.at[phase]
	if place == 0 {
		return start + work, 0
	}
	if d.busy[place].start > start { // an earlier time than the last
		place = d.head[phase]
	}
	for place != 0 && d.busy[place].end <= start {
		last = place
		d.at[phase] = place
		place = d.busy[place].next
	}
	if place != 0 && d.busy[place].start <= start {
		last = place
		d.at[phase] = place
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
