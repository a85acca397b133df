// Package vector has the passes over blocks of times that most of a simulation consists of:
// kernels with vector instructions, and their equivalents in plain Go.
//
// # Layout
//
// A vector of times is a []float64, one number a rank, in the order of ranks. Nothing is
// padded, aligned or interleaved, so that any part of one is a vector too. A kernel takes its
// numbers in chunks of 8, which are one register of AVX-512 and two of AVX2. Four chunks are
// one iteration of its loop, which then costs its loads and stores. What is left at the end,
// up to seven numbers, is done in plain Go.
//
// Only one kind of pass combines numbers from different places in a register. In [Exchange]
// every rank receives from the rank across some dimensions of the hypercube. The bits of their
// mask from 8 on select the chunk to load, and the bits below are a permutation in the
// register: the indices 0 … 7, each XOR those bits. So all masks cost the same. In a
// [PairExchange] both sides change: two registers are loaded once, each is permuted for the
// other, and both are stored in place, without a second vector. If both sides are one vector,
// chunks with the mask's highest bit are skipped, since they are done with the others.
//
// Noise is rare, and a branch for it is seldom taken. [Advance] does what is right for most
// ranks, leaves the others unchanged, and sets a bit for each of those. [Bitmask.All] returns
// their indices.
//
// Where detours and events are frequent, a branch for each would be mispredicted. [Resume]
// finishes the work of ranks that Advance leaves, chunk by chunk; [Draw], [AddCounts] and
// [AddLines] draw random numbers in registers: the i-th word of an rng.Counter needs no word
// before it, so that the k-th number of a chunk that begins at i has word i+k.
//
// # The same bits everywhere
//
// Every kernel has an equivalent in plain Go in generic.go, which defines it: that runs where
// there is no kernel, and the tests compare the two bit by bit. They agree because each number
// comes from the same operations in the same order. Nothing is fused: an addition rounds, and
// so does a product before it is added. The instructions for the larger and the smaller of two
// numbers return the second if neither is larger, as with zeros of two signs; operands are in
// the order in which the comparison in Go does the same. Where the order of operations differs,
// as for the largest of many numbers, the result does not depend on it: a zero that [Extremes]
// returns is positive.
//
// Times are numbers or infinite, never NaN.
//
// # Dispatch
//
// The widest kernels that the processor has are chosen when the program starts. With the build tag
// purego, and on processors other than amd64, all passes are plain Go. A new pass begins in
// generic.go, and stays there until a profile shows it; then gen/ gets a function that emits its
// kernel, and `go generate` writes it.
package vector

import (
	"math"
	"math/bits"
	"slices"

	"jitterfly/internal/rng"
)

//go:generate go -C gen run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg vector

// Chunk is the smallest number of numbers that kernels take.
const Chunk = 8

// Later sets each dst[i] to the later of a[i] and b[i]+by. Dst may be a or b.
func Later(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst), widest.later != nil)
	if n > 0 {
		widest.later(&dst[0], &a[0], &b[0], n, by)
	}
	genericLater(dst[n:], a[n:], b[n:], by)
}

// Earlier sets each dst[i] to the earlier of a[i] and b[i]+by. Dst may be a or b.
func Earlier(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst), widest.earlier != nil)
	if n > 0 {
		widest.earlier(&dst[0], &a[0], &b[0], n, by)
	}
	genericEarlier(dst[n:], a[n:], b[n:], by)
}

// Sum sets each dst[i] to the sum of a[i] and b[i]+by. Dst may be a or b.
func Sum(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := whole(len(dst), widest.sum != nil)
	if n > 0 {
		widest.sum(&dst[0], &a[0], &b[0], n, by)
	}
	genericSum(dst[n:], a[n:], b[n:], by)
}

// Shift sets each dst[i] to src[i]+by. Dst may be src.
func Shift(dst, src []float64, by float64) {
	src = src[:len(dst)]
	n := whole(len(dst), widest.shift != nil)
	if n > 0 {
		widest.shift(&dst[0], &src[0], n, by)
	}
	genericShift(dst[n:], src[n:], by)
}

// Raise replaces each number that is at least from by to.
func Raise(v []float64, from, to float64) {
	n := whole(len(v), widest.raise != nil)
	if n > 0 {
		widest.raise(&v[0], n, from, to)
	}
	genericRaise(v[n:], from, to)
}

// Fill sets every number to x.
func Fill(v []float64, x float64) { Raise(v, math.Inf(-1), x) }

// Extremes returns the least and the largest number; of none they are +∞ and −∞.
func Extremes(v []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	n := whole(len(v), widest.extremes != nil)
	if n > 0 {
		least, most = widest.extremes(&v[0], n)
	}
	if n < len(v) {
		first, last := genericExtremes(v[n:])
		least, most = min(least, first), max(most, last)
	}
	return positive(least), positive(most)
}

// positive returns x, but 0 for −0.
func positive(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x
}

// Most returns the largest number, −∞ for an empty slice.
func Most(v []float64) float64 {
	_, most := Extremes(v)
	return most
}

// Median returns the median of numbers in any order: of an even number the mean of the two in the
// middle, of none NaN.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(v))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Exchange sets each dst[i] to src[i XOR mask]. Their length must be a power of two that is
// larger than the mask, or it panics. They may not overlap.
func Exchange(dst, src []float64, mask int) {
	n := len(dst)
	if n&(n-1) != 0 || mask < 0 || mask >= max(n, 1) {
		panic("vector: the mask leads out of the vector")
	}
	src = src[:n]
	if whole(n, widest.exchange != nil) > 0 {
		widest.exchange(&dst[0], &src[0], n, mask)
		return
	}
	genericExchange(dst, src, mask)
}

// A Bitmask has a bit for each number of a vector.
type Bitmask []uint64

// NewBitmask returns a bitmask for up to n numbers.
func NewBitmask(n int) Bitmask { return make(Bitmask, (n+63)/64) }

// Has reports whether the bit of number i is set.
func (b Bitmask) Has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// Add sets the bit of number i.
func (b Bitmask) Add(i int) { b[i/64] |= 1 << (i % 64) }

// Remove clears the bit of number i.
func (b Bitmask) Remove(i int) { b[i/64] &^= 1 << (i % 64) }

// Alike returns the end, at most hi, of the numbers from lo on whose bits are as that of lo.
func (b Bitmask) Alike(lo, hi int) int {
	var flip uint64
	if b.Has(lo) {
		flip = math.MaxUint64
	}
	for end := lo; end < hi; end = end - end%64 + 64 {
		if other := (b[end/64] ^ flip) >> (end % 64); other != 0 {
			return min(hi, end+bits.TrailingZeros64(other))
		}
	}
	return hi
}

// Advance adds by to each t[i] for which
//
//	t[i] + by < limit[i]  and  t[i] + by < known  and  t[i] >= limit[i] - width
//
// and leaves the others unchanged. It returns the bits of these numbers, in the memory of hit,
// which must be large enough. The last condition holds if the width or the limit is infinite.
func Advance(t, limit []float64, by, known, width float64, hit Bitmask) Bitmask {
	limit, hit = limit[:len(t)], hit[:(len(t)+63)/64]
	n := whole(len(t), widest.advance != nil)
	if n > 0 {
		widest.advance(&t[0], &limit[0], &hit[0], n, by, known, width)
	}
	if hit.clearFrom(n); n < len(t) {
		genericAdvance(t, limit, by, known, width, hit, n)
	}
	return hit
}

// AdvanceIn adds by to each t[i] for which
//
//	t[i] >= since[i]  and  t[i] + by < until[i]
//
// and leaves the others unchanged. It returns the bits of these numbers, as [Advance] does.
func AdvanceIn(t, since, until []float64, by float64, hit Bitmask) Bitmask {
	since, until, hit = since[:len(t)], until[:len(t)], hit[:(len(t)+63)/64]
	n := whole(len(t), widest.advanceIn != nil)
	if n > 0 {
		widest.advanceIn(&t[0], &since[0], &until[0], &hit[0], n, by)
	}
	if hit.clearFrom(n); n < len(t) {
		genericAdvanceIn(t, since, until, by, hit, n)
	}
	return hit
}

// Resume replaces each t[i] whose bit is set by when work that may begin then is done, among
// detours of which the first begins at first[i]; it updates gapEnd as [PeriodicDetours.Work]
// does, and clears the bits.
func Resume(t, first, gapEnd []float64, work float64, d *PeriodicDetours, hit Bitmask) {
	first, gapEnd, hit = first[:len(t)], gapEnd[:len(t)], hit[:(len(t)+63)/64]
	n := whole(len(t), widest.resume != nil)
	if n > 0 {
		widest.resume(&t[0], &first[0], &gapEnd[0], &hit[0], n, work, &d.Period)
	}
	if n < len(t) {
		genericResume(t, first, gapEnd, work, d, hit, n)
	}
}

// Draw replaces each v[i] that is infinite by a number uniform in [from, from+width), which it
// makes of the counter's i-th word, and sets also[i] to the same.
func Draw(v, also []float64, from, width float64, c rng.Counter) {
	also = also[:len(v)]
	n := whole(len(v), widest.draw != nil)
	if n > 0 {
		widest.draw(&v[0], &also[0], n, from, width, c.Start, c.Step)
	}
	genericDraw(v, also, from, width, c, n)
}

// Reach returns a bit for each of n indices, set if the index's sixteen random bits are at least a
// bound. Each of the counter's words is four such numbers, the first its lowest bits. The bits are
// in the memory of hit, which must be large enough. Whether one of four numbers of 16 bits is less
// than one of 15 takes one test (Anderson, "Bit twiddling hacks": determine if a word has a byte
// less than n), which is applied to their complements.
func Reach(n int, bound uint16, c rng.Counter, hit Bitmask) Bitmask {
	const ones, tops = 0x0001000100010001, 0x8000800080008000
	hit = hit[:(n+63)/64]
	clear(hit)
	less := 1<<16 - uint64(bound)
	for i := 0; i < n; i += 4 {
		word := c.Word(i / 4)
		if less <= 1<<15 && (^word-less*ones)&word&tops == 0 {
			continue
		}
		for k := range 4 {
			if uint16(word>>(16*k)) >= bound {
				hit[i/64] |= 1 << (i%64 + k)
			}
		}
	}
	if n%64 != 0 {
		hit[n/64] &= 1<<(n%64) - 1
	}
	return hit
}

// AddCounts adds to each v[i] a multiple of each: by the number of bounds, in ascending order,
// that the counter's i-th word is not below.
func AddCounts(v []float64, bounds []uint64, each float64, c rng.Counter) {
	n := whole(len(v), widest.addCounts != nil && len(bounds) > 1)
	if n > 0 {
		widest.addCounts(&v[0], n, &bounds[0], len(bounds), each, c.Start, c.Step)
	}
	genericAddCounts(v, bounds, each, c, n)
}

// A Line is the straight line At + Slope·p.
type Line struct{ At, Slope float64 }

// Lines are a function of p from [0, 1), each in its part of equal width. A line that is not a
// number, or negative, stands for none.
type Lines [256]Line

// Of returns the line at p, and whether there is one.
func (l *Lines) Of(p float64) (y float64, ok bool) {
	line := &l[uint8(p*float64(len(l)))]
	y = line.At + float64(line.Slope*p)
	return y, y >= 0
}

// AddLines adds to each v[i] the value of the lines at the number from [0, 1) of the counter's i-th
// word. Where there is no line it leaves v[i] unchanged. It returns the bits of these numbers, in
// the memory of hit, which must be large enough.
func AddLines(v []float64, lines *Lines, c rng.Counter, hit Bitmask) Bitmask {
	hit = hit[:(len(v)+63)/64]
	n := whole(len(v), widest.addLines != nil)
	if n > 0 {
		widest.addLines(&v[0], n, &lines[0].At, &hit[0], c.Start, c.Step)
	}
	hit.clearFrom(n)
	genericAddLines(v, lines, c, hit, n)
	return hit
}

// clearFrom clears the bits from n on.
func (b Bitmask) clearFrom(n int) {
	if rest := b[n/64:]; len(rest) > 0 {
		rest[0] &= 1<<(n%64) - 1
		clear(rest[1:])
	}
}

// Any reports whether a bit is set.
func (b Bitmask) Any() bool {
	var all uint64
	for _, word := range b {
		all |= word
	}
	return all != 0
}

// Count returns the number of set bits.
func (b Bitmask) Count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// All yields the indices of set bits, in ascending order.
func (b Bitmask) All(yield func(i int) bool) {
	for k, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(64*k + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
