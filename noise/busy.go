package noise

import (
	"math"
	"slices"
)

// A block has the detours of consecutive phases that are drawn together.
type block struct {
	drawn  float64 // up to when they are drawn [s]
	window int     // how many windows those are
	passes int     // after how many calls of Pass what was over was dropped

	busy  []busy // room for the lists of the phases, each of which has a part of it
	added int    // detours since it was empty or packed
	spare int    // places that a list begins with
}

// A busy is a time in which a phase has noise to do [s].
type busy struct{ start, end float64 }

// A list is the busy times of a phase, in the order of time: n from a place of its block on, where there is
// room for more of them. Its ranks have reached about the one after at others.
type list struct{ from, n, room, at int32 }

// of returns the busy times of a list.
func (b *block) of(l *list) []busy { return b.busy[l.from:][:l.n] }

// A gap between two detours: work that begins no earlier than since and ends before until [s] is
// not preempted.
type gap struct{ since, until float64 }

// forget leaves no detours in the lists of a block, of which none is drawn after a time [s]. Each list has
// the places that one took before.
func (b *block) forget(lists []list, drawn float64) {
	b.forecast(len(lists))
	n := len(lists) * b.spare
	*b = block{drawn: drawn, busy: slices.Grow(b.busy[:0], n)[:n], spare: b.spare}
	room := int32(b.spare)
	for i := range lists {
		lists[i] = list{from: int32(i) * room, room: room}
	}
}

// touch reads the lists of the block from one end to the other, which brings them into the cache. Detours
// are added to one list here and one there, and a processor would wait for each. The sum keeps the compiler
// from leaving it out.
func (b *block) touch(lists []list) (sum float64) {
	const line = 4 // lists, or busy times, of a line of the cache
	for i := 0; i < len(lists); i += line {
		sum += float64(lists[i].n)
	}
	for i := 0; i < len(b.busy); i += line {
		sum += b.busy[i].end
	}
	return sum
}

// insert adds a detour to the list of a phase of the block. Detours that it overlaps with wait for each
// other. It reports whether it is the first one of the list.
func (b *block) insert(l *list, start, length float64) (first bool) {
	if b.added++; l.n == l.room {
		b.grow(l)
	}
	all, n := b.busy[l.from:][:l.n+1], int(l.n)
	if n == 0 || start > all[n-1].end { // nearly always
		all[n] = busy{start, start + length}
		l.n++
		return n == 0
	}
	i := n // the first that begins later
	for i > 0 && all[i-1].start > start {
		i--
	}
	if i == 0 || start > all[i-1].end {
		copy(all[i+1:], all[i:n])
		all[i] = busy{start, start}
		i, n = i+1, n+1
	}
	x, next := &all[i-1], i
	x.end += length
	for ; next < n && all[next].start <= x.end; next++ {
		x.end += all[next].end - all[next].start
	}
	if next > i {
		copy(all[i:], all[next:n])
	}
	l.n = int32(n - (next - i))
	return false
}

// grow moves a list to where it has more room.
func (b *block) grow(l *list) {
	from, room := len(b.busy), max(int(l.room)+int(l.room)/2+1, b.spare)
	b.busy = slices.Grow(b.busy, room)[:from+room]
	copy(b.busy[from:], b.of(l))
	l.from, l.room = int32(from), int32(room)
}

// preempt is the preemption rule with the detours that are drawn. It returns also the gap that the work
// ends in, if it ends before [block.drawn].
func (b *block) preempt(l *list, start, work float64) (end float64, within gap) {
	all := b.of(l)
	i := min(int(l.at), len(all)) // the first that is not over at the start
	for i > 0 && all[i-1].end > start {
		i--
	}
	for i < len(all) && all[i].end <= start {
		i++
	}
	if l.at = int32(i); i < len(all) && all[i].start <= start {
		start = all[i].end
		i++
	}
	end = start + work
	for i < len(all) && all[i].start < end {
		end += all[i].end - all[i].start
		i++
	}
	return end, b.gapBefore(all, i)
}

// gapBefore returns the gap before a detour of a list, or after all of them.
func (b *block) gapBefore(all []busy, i int) gap {
	g := gap{math.Inf(-1), b.drawn}
	if i > 0 {
		g.since = all[i-1].end
	}
	if i < len(all) {
		g.until = all[i].start
	}
	return g
}

// pack moves the lists of all phases of the block into room, one after the other, each with as many spare
// places as one took since the last time. It leaves out what is over at the times that the phases have
// passed [s], but the last detour of a list. It returns the room that the block used before.
func (b *block) pack(lists []list, passed []float64, room []busy) []busy {
	b.forecast(len(lists))
	room = room[:0]
	for i := range lists {
		all := b.of(&lists[i])
		for len(all) > 1 && all[0].end <= passed[i] {
			all = all[1:]
		}
		from, n := len(room), len(all)
		room = slices.Grow(room, n+b.spare)[:from+n+b.spare]
		copy(room[from:], all)
		lists[i] = list{from: int32(from), n: int32(n), room: int32(n + b.spare)}
	}
	b.busy, room = room, b.busy
	return room
}

// forecast sets how many places to spare for each of the phases: a quarter more than they took.
func (b *block) forecast(phases int) { b.spare, b.added = (b.added+b.added/4)/phases, 0 }
