package vector

import "math"

// Rounds in registers.
//
// A pass that does one thing for a block spends most of its time on loading and storing. Where
// nothing is held, several rounds may be one pass: the numbers of a few ranks that hear only
// from each other are loaded, go through the rounds, and are stored. With three rounds
// these are eight ranks, times the eight in a register. That something was held after all is
// seen in the end, and then they are left as they were.
//
// Those are then played again, still in registers, with the delays of messages and a look at the gaps after
// each round. Where a detour comes, all rows go to a buffer, in which those work whom it concerns, and back.

// Rounds are up to three rounds, in each of which number i hears from number i XOR Mask.
// Masks are different powers of two, either all below 8 or none.
type Rounds struct {
	N        int // how many they are
	Mask     [3]int
	By, Work [3]float64 // what messages take, and then the work
}

// lanes says that the masks are below 8.
func (r *Rounds) lanes() bool { return r.Mask[0] < Chunk }

// AtOnce says whether there are kernels, without which one round after the other is faster.
func AtOnce() bool { return hasRounds() }

// Skip are the bits of the masks that the first of the numbers that hear from each other have
// not, among numbers below size.
func (r *Rounds) Skip(size int) int {
	skip := 0
	if !r.lanes() {
		for _, mask := range r.Mask[:r.N] {
			skip |= mask
		}
	}
	return skip & (size - 1)
}

// Rows is how many chunks hear from each other.
func (r *Rounds) Rows() int {
	if r.lanes() {
		return 1
	}
	return 1 << r.N
}

// Row is the row in which a number is that is so far from the first one.
func (r *Rounds) Row(offset int) int {
	row := 0
	for n, mask := range r.Mask[:r.N] {
		if offset&mask != 0 && !r.lanes() {
			row |= 1 << n
		}
	}
	return row
}

// Offset is how far the chunk of row j is from that of row 0.
func (r *Rounds) Offset(j int) int {
	offset := 0
	for n, mask := range r.Mask[:r.N] {
		offset += j >> n & 1 * mask
	}
	return offset
}

// extremesAfter are the least of the numbers in the end, and the largest: after each round if they
// only become earlier.
type extremesAfter struct {
	least float64
	most  [3]float64
}

// Later plays rounds in which each x[i] becomes the later of it and, by after it, its other, and
// then does work in the gap that it was in last. X begins with size numbers, a power of two from 8 on;
// those across masks from size on are in it too, and gaps are as many. Chunks of 8 whose marks are set are left,
// and so are those of which one would reach the end of its gap, or what is known: they are marked. It returns
// the least and the largest number of the others in the end.
func (r *Rounds) Later(x []float64, g *Gaps, size int, marks []byte) (least, most float64) {
	var after extremesAfter
	last := r.last(size)
	_, _, _ = x[last], g.End[last], marks[(size-1)/Chunk]
	if !laterRounds(x, g, size, r, marks, &after) {
		genericLaterRounds(x, g, size, r, marks, &after)
	}
	return positive(after.least), positive(after.most[0])
}

// Earlier plays rounds in which each x[i] becomes the earlier of it and, by after it, its
// other. It returns the least number and the largest after each round.
func (r *Rounds) Earlier(x []float64, size int, marks []byte) (least float64, most [3]float64) {
	var after extremesAfter
	_, _ = x[r.last(size)], marks[(size-1)/Chunk]
	if !earlierRounds(x, size, r, marks, &after) {
		genericEarlierRounds(x, size, r, marks, &after)
	}
	for n := range after.most {
		after.most[n] = positive(after.most[n])
	}
	return positive(after.least), after.most
}

// last is the last index that kernels go to.
func (r *Rounds) last(size int) int {
	if size < Chunk || size&(size-1) != 0 {
		panic("vector: rounds of numbers that are no whole chunks, or no power of two")
	}
	last := size - 1
	for _, mask := range r.Mask[:r.N] {
		if mask >= size {
			last += mask
		}
	}
	return last
}

// Gaps are those between detours of a train, for the ranks that numbers are of.
type Gaps struct {
	Train
	First []float64 // when the first detour of each begins, if that is known
	// End is until when work is not disturbed that does not begin before what was done last:
	// infinite if the first detour is not known.
	End   []float64
	Known float64 // up to when first detours are
}

// Delays are of messages that are held: by how much, at their places in Of. With a Row of 0 none is.
type Delays struct {
	Of  []float64
	Row int
}

// HeldMark is the mark of chunks that delays concern, or that hear from such. The mark of others is less, but not 0.
const HeldMark = 2

// NewDelays returns none, for rows of so many numbers.
func NewDelays(row int) Delays { return Delays{make([]float64, 3*8*row), row} }

// At is where the delay of the message to index c of row j in round n is.
func (d Delays) At(n, j, c int) int { return (8*n+j)*d.Row + c }

// LaterMarked plays the rounds of Later for the marked chunks, with delays in those of HeldMark, and work that goes on
// between detours. What it has done is not marked any more, and its gaps are those that it was in last;
// still marked is what meets a detour that is not known. Its gaps may be later than where it was left.
func (r *Rounds) LaterMarked(x []float64, g *Gaps, delays Delays, size int, marks []byte) (least, most float64) {
	var after extremesAfter
	last := r.last(size)
	_, _, _, _ = x[last], g.First[last], g.End[last], marks[(size-1)/Chunk]
	r.check(delays, size)
	if !laterMarked(x, g, delays, size, r, marks, &after) {
		genericLaterMarked(x, g, delays, size, r, marks, &after)
	}
	return positive(after.least), positive(after.most[0])
}

// EarlierMarked is the same for the rounds of Earlier, which have no work.
func (r *Rounds) EarlierMarked(x []float64, delays Delays, size int, marks []byte) (least float64, most [3]float64) {
	var after extremesAfter
	_, _ = x[r.last(size)], marks[(size-1)/Chunk]
	r.check(delays, size)
	if !earlierMarked(x, delays, size, r, marks, &after) {
		genericEarlierMarked(x, delays, size, r, marks, &after)
	}
	for n := range after.most {
		after.most[n] = positive(after.most[n])
	}
	return positive(after.least), after.most
}

// check looks at the last of the delays.
func (r *Rounds) check(delays Delays, size int) {
	if delays.Row > 0 {
		_ = delays.Of[delays.At(r.N-1, r.Rows()-1, size-1)]
	}
}

// rows are the chunks of up to eight ranks that hear from each other.
type rows [8][Chunk]float64

// each calls play with the chunks, in v, that hear from each other, from one of the first size
// numbers on, if they are marked or not. What play leaves there is stored if it says so.
func (r *Rounds) each(x []float64, size int, marks []byte, marked bool, play func(c int, v *rows) bool) {
	var v rows
	skip := r.Skip(size)
	for c := 0; c < size; c = (c | skip + Chunk) &^ skip {
		if marks[c/Chunk] != 0 != marked {
			continue
		}
		for j := range r.Rows() {
			copy(v[j][:], x[c+r.Offset(j):])
		}
		if play(c, &v) {
			for j := range r.Rows() {
				copy(x[c+r.Offset(j):], v[j][:])
			}
		}
	}
}

func (e *extremesAfter) begin() {
	e.least = math.Inf(1)
	for n := range e.most {
		e.most[n] = math.Inf(-1)
	}
}

// add has the n-th largest be of these too, and, at last, the least.
func (r *Rounds) add(e *extremesAfter, v *rows, n int, last bool) {
	for j := range r.Rows() {
		least, most := genericExtremes(v[j][:])
		e.most[n] = max(e.most[n], most)
		if last {
			e.least = min(e.least, least)
		}
	}
}

func genericLaterRounds(x []float64, g *Gaps, size int, r *Rounds, marks []byte, e *extremesAfter) {
	e.begin()
	r.each(x, size, marks, false, func(c int, v *rows) bool {
		for n := range r.N {
			r.meet(v, n, &rows{}, genericLater)
			for j := range r.Rows() {
				for i := range v[j] {
					v[j][i] += r.Work[n]
				}
			}
		}
		for j := range r.Rows() {
			for i, end := range v[j] {
				if end >= g.End[c+r.Offset(j)+i] || end >= g.Known {
					marks[c/Chunk] = 1
					return false
				}
			}
		}
		r.add(e, v, 0, true)
		return true
	})
}

func genericEarlierRounds(x []float64, size int, r *Rounds, marks []byte, e *extremesAfter) {
	e.begin()
	r.each(x, size, marks, false, func(_ int, v *rows) bool {
		for n := range r.N {
			r.meet(v, n, &rows{}, genericEarlier)
			r.add(e, v, n, n+1 == r.N)
		}
		return true
	})
}

// meet plays a round but for work, with the delays of rows.
func (r *Rounds) meet(v *rows, n int, late *rows, pick func(dst, a, b []float64, by float64)) {
	was := *v
	for j := range r.Rows() {
		other := &was[(j^1<<n)&(r.Rows()-1)]
		var arrive [Chunk]float64
		for i := range arrive {
			arrive[i] = other[(i^r.Mask[n])&(Chunk-1)] + late[j][i]
		}
		pick(v[j][:], v[j][:], arrive[:], r.By[n])
	}
}

// late are the delays of the chunks that hear from each other at index c, in a round.
func (r *Rounds) late(delays Delays, n, c int) (late rows) {
	for j := range r.Rows() {
		if delays.Row > 0 {
			copy(late[j][:], delays.Of[delays.At(n, j, c):])
		}
	}
	return late
}

func genericLaterMarked(x []float64, g *Gaps, delays Delays, size int, r *Rounds, marks []byte, e *extremesAfter) {
	e.begin()
	r.each(x, size, marks, true, func(c int, v *rows) bool {
		for n := range r.N {
			late := r.late(delays, n, c)
			r.meet(v, n, &late, genericLater)
			for j := range r.Rows() {
				at := c + r.Offset(j)
				if !g.work(v[j][:], at, r.Work[n]) {
					return false
				}
			}
		}
		r.add(e, v, 0, true)
		marks[c/Chunk] = 0
		return true
	})
}

// work has the chunk at an index work, and says whether enough is known.
func (g *Gaps) work(t []float64, at int, work float64) bool {
	var held [1]uint64
	first, end := g.First[at:at+Chunk], g.End[at:at+Chunk]
	genericAdvance(t, end, work, g.Known, math.Inf(1), held[:], 0)
	for i := range Held(held[:]).All {
		if math.IsInf(end[i], 1) {
			return false
		}
	}
	genericResume(t, first, end, work, &g.Train, held[:], 0)
	return true
}

func genericEarlierMarked(x []float64, delays Delays, size int, r *Rounds, marks []byte, e *extremesAfter) {
	e.begin()
	r.each(x, size, marks, true, func(c int, v *rows) bool {
		for n := range r.N {
			late := r.late(delays, n, c)
			r.meet(v, n, &late, genericEarlier)
			r.add(e, v, n, n+1 == r.N)
		}
		marks[c/Chunk] = 0
		return true
	})
}
