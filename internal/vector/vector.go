// Package vector holds the passes over blocks of times, which are all that a long
// simulation does: with the instructions of the processor that treat 8 or 4 numbers at
// once, and in plain Go.
//
// # Layout
//
// A vector of times is a []float64, one number a rank, in the order of ranks. Nothing
// is padded, aligned or interleaved, so that any part of one is a vector too. A
// kernel takes its numbers in chunks of 8, which are one register of AVX-512 and two of
// AVX2. Four chunks make one turn of its loop, whose cost is then that of its loads and
// stores. What is left at the end, up to seven numbers, is done in plain Go.
//
// A pass needs no lane to know of its neighbours but in one case. [Exchange] has every
// rank hear from the rank at the other side of some dimensions of the hypercube. Of the
// mask of these, the bits from 8 on say which chunk to load, and the bits below are a
// permutation in the register: the indices 0 … 7, each XOR those bits. So all masks cost
// the same. Where both sides of a pair change, as in a [PairExchange], the
// two registers are loaded once, each is permuted for the other, and both are stored in their places: there is
// no second vector, and of a vector that is its own other side, the chunks that have the
// mask's highest bit are skipped, since they come with the others.
//
// Noise is rare, and what it does to a rank is a branch. [Advance] therefore does what
// is right for most, and leaves the others as they are with a bit set for each, eight
// to a byte as the comparison of a register gives them. [Bitmask.All] are their indices.
//
// A round in which ranks hear from each other in pairs is one pass: see meet.go.
//
// Where detours and events are frequent they are no exception, and a branch for each would
// be mispredicted. [Resume] does the work of those whom Advance leaves, for chunks that have
// any; [Draw], [Reach] and [AddCounts] make their random numbers in the lanes: the i-th word of a
// counter needs no word before it (rng.Counter), so that lane k of a chunk has word i+k.
//
// # The same bits everywhere
//
// Every kernel has a twin in plain Go in generic.go, which is what it means: it runs
// where there is no kernel, and the tests hold the kernels to it bit for bit. That they
// can is since each number comes from the same operations in the same order. Nothing is
// fused: an addition rounds, and so does a product before it is added. The instructions
// for the larger and the smaller of two numbers fall back on the second where neither is
// larger, as with zeros of two signs; operands are in the order in which that is what
// the comparison in Go does. Where order differs, as of the numbers whose largest is
// sought, the result may not depend on it: a zero that [Extremes] returns is positive.
//
// Times are numbers or infinite, never NaN.
//
// # Who chooses
//
// The widest kernel that the processor has is chosen as the program starts.
// With the build tag purego, and on other processors than amd64, there are none. New
// passes begin in generic.go, and stay there until they are seen in a profile; then
// gen/ gets a function that emits their kernel, and `go generate` writes it.
package vector

import (
	"math/bits"

	"jitterfly/internal/rng"
)

//go:generate go -C gen run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg vector

// Chunk is how many numbers kernels treat at least.
const Chunk = 8

// whole is how many of n numbers are in whole chunks.
func whole(n int) int { return n &^ (Chunk - 1) }

// Later sets each dst[i] to the later of a[i] and b[i]+by. Dst may be one of them.
func Later(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := later(dst, a, b, by)
	genericLater(dst[n:], a[n:], b[n:], by)
}

// Earlier sets each dst[i] to the earlier of a[i] and b[i]+by. Dst may be one of them.
func Earlier(dst, a, b []float64, by float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := earlier(dst, a, b, by)
	genericEarlier(dst[n:], a[n:], b[n:], by)
}

// Extremes returns the least and the largest number; of none they are +∞ and −∞.
func Extremes(v []float64) (float64, float64) {
	n, least, most := extremes(v)
	if n < len(v) || n == 0 {
		first, last := genericExtremes(v[n:])
		least, most = min(least, first), max(most, last)
	}
	return positive(least), positive(most)
}

// positive is the number, and 0 if it is −0.
func positive(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x
}

// Most returns the largest number, −∞ if there are none.
func Most(v []float64) float64 {
	_, most := Extremes(v)
	return most
}

// Exchange sets each dst[i] to src[i XOR mask], where i XOR mask is an index for all i:
// their length is a power of two that the mask is less than. They may not overlap.
func Exchange(dst, src []float64, mask int) {
	n := len(dst)
	if n&(n-1) != 0 || mask < 0 || mask >= max(n, 1) {
		panic("vector: the mask leads out of the vector")
	}
	src = src[:n]
	if exchange(dst, src, mask) == 0 {
		genericExchange(dst, src, mask)
	}
}

// Raise sets the numbers that are at least from to to.
func Raise(v []float64, from, to float64) {
	genericRaise(v[raise(v, from, to):], from, to)
}

// A Bitmask is bits, one for each number of a vector.
type Bitmask []uint64

// NewBitmask returns bits for up to n numbers.
func NewBitmask(n int) Bitmask { return make(Bitmask, (n+63)/64) }

// Advance adds by to each t[i] for which
//
//	t[i] + by < limit[i]  and  t[i] + by < known  and  t[i] >= limit[i] - width
//
// and leaves the others. It returns which those are, in the memory of held, which is for
// at least as many. The last does not count where the width or the limit is infinite.
func Advance(t, limit []float64, by, known, width float64, held Bitmask) Bitmask {
	limit, held = limit[:len(t)], held[:(len(t)+63)/64]
	if len(t) < Chunk && len(t) > 0 { // as one rank's often
		held[0] = 0
		genericAdvance(t, limit, by, known, width, held, 0)
		return held
	}
	n := advance(t, limit, by, known, width, held)
	if rest := held[n/64:]; len(rest) > 0 {
		rest[0] &= 1<<(n%64) - 1
		clear(rest[1:])
		genericAdvance(t, limit, by, known, width, held, n)
	}
	return held
}

// Resume does work among the detours of a train for the numbers that are held, and clears their bits.
func Resume(t, first, gapEnd []float64, work float64, d *PeriodicDetours, held Bitmask) {
	first, gapEnd, held = first[:len(t)], gapEnd[:len(t)], held[:(len(t)+63)/64]
	n := resume(t, first, gapEnd, work, d, held)
	if n < len(t) {
		genericResume(t, first, gapEnd, work, d, held, n)
	}
}

// Draw sets the infinite numbers of v to uniform ones, from from up to a width more, by the counter's
// words of their indices, and those of also to the same.
func Draw(v, also []float64, from, width float64, c rng.Counter) {
	also = also[:len(v)]
	genericDraw(v, also, from, width, c, draw(v, also, from, width, c))
}

// Reach sets the bits of those of n indices whose numbers of sixteen bits are at least a bound, and clears the
// others. Each of the counter's words is four such numbers, the first its lowest bits. It returns the bits in the memory of
// held, which is for at least as many.
func Reach(n int, bound uint16, c rng.Counter, held Bitmask) Bitmask {
	held = held[:(n+63)/64]
	done := reach(n, bound, c, held)
	clear(held[done/64:])
	genericReach(n, bound, c, held, done)
	return held
}

// AddCounts adds to each number as many times a length as there are bounds, which ascend,
// that the counter's word of its index is not below.
func AddCounts(v []float64, bounds []uint64, each float64, c rng.Counter) {
	genericAddCounts(v, bounds, each, c, addCounts(v, bounds, each, c))
}

// Any says whether a bit is set.
func (b Bitmask) Any() bool {
	var all uint64
	for _, word := range b {
		all |= word
	}
	return all != 0
}

// Count is how many bits are set.
func (b Bitmask) Count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// All are the indices whose bits are set, in their order.
func (b Bitmask) All(yield func(i int) bool) {
	for k, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(64*k + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
