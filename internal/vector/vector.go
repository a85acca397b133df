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
// the same. Where both sides of a pair change, as in a [Meeting], the
// two registers are loaded once, each is permuted for the other, and both are stored in their places: there is
// no second vector, and of a vector that is its own other side, the chunks that have the
// mask's highest bit are skipped, since they come with the others.
//
// Noise is rare, and what it does to a rank is a branch. [Advance] therefore does what
// is right for most, and leaves the others as they are with a bit set for each, eight
// to a byte as the comparison of a register gives them. [Held.All] are their indices.
//
// Where nothing is held, several rounds are one pass over numbers that stay in registers, and
// what is held after all is done again: see rounds.go. Where more is, a round is one pass: see meet.go.
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
	"math"
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

// Held are bits, one for each number of a vector.
type Held []uint64

// NewHeld returns bits for up to n numbers.
func NewHeld(n int) Held { return make(Held, (n+63)/64) }

// Advance adds by to each t[i] for which
//
//	t[i] + by < limit[i]  and  t[i] + by < known  and  t[i] >= limit[i] - width
//
// and leaves the others. It returns which those are, in the memory of held, which is for
// at least as many. The last does not count where the width or the limit is infinite.
func Advance(t, limit []float64, by, known, width float64, held Held) Held {
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

// A Train is detours of one length, of which each rank has one every period: those of
// rank i begin at first[i], first[i]+Period, and so on.
type Train struct {
	Period, Length float64
	margin         float64 // by how much gaps are taken to be shorter at both ends
	gap            float64 // between detours
	// How far in a detour one is still inside, for rounding: at its end, where it has been waited for, one is not.
	inside float64
	// One divided by a period and by a gap. Kernels read these seven.
	perPeriod, perGap float64
}

// NewTrain returns a train: 0 ≤ length < period.
func NewTrain(period, length float64) Train {
	return Train{period, length, 1e-5 * period, period - length, length - 1e-9*period, 1 / period, 1 / (period - length)}
}

// Gap is how long before its gap's end a number may be for [Advance] to look at the end
// alone. The margins are so wide that rounding never has a time in a gap that is not.
func (d *Train) Gap() float64 { return d.gap - 2*d.margin }

// farthestGap is how many gaps on one still has an end that rounding leaves in the margin.
const farthestGap = 1e10

// Work is when a rank has done work that it may begin at a time: where that is in a detour it begins at its end, and each
// detour that begins before the work is done makes it longer. It sets gapEnd to the end of the gap in which
// that is, a little early, for [Advance].
func (d *Train) Work(start, work, first float64, gapEnd *float64) float64 {
	offset := start - first
	gap := math.Floor(offset * d.perPeriod)
	since := offset - float64(d.Period*gap)
	if since >= d.Period { // for rounding
		gap++
		since -= d.Period
	}
	if since < 0 {
		gap--
		since += d.Period
	}
	until := -offset
	if offset < 0 { // before the first detour
		gap = -1
	} else {
		if since < d.inside {
			start += d.Length - since
			since = d.Length
		}
		until = d.Period - since
	}
	gap++
	start += work
	if further := work - until; further > 0 {
		detours := math.Ceil(further * d.perGap)
		switch done := float64(detours * d.gap); { // for rounding
		case done < further:
			detours++
		case done-d.gap >= further:
			detours--
		}
		start += float64(detours * d.Length)
		gap += detours
	}
	switch {
	case gap <= 0:
		*gapEnd = first
	case gap <= farthestGap:
		*gapEnd = first + float64(gap*d.Period) - d.margin
	}
	return start
}

// Resume does work among the detours of a train for the numbers that are held, and clears their bits.
func Resume(t, first, gapEnd []float64, work float64, d *Train, held Held) {
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
func Reach(n int, bound uint16, c rng.Counter, held Held) Held {
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
func (h Held) Any() bool {
	var all uint64
	for _, word := range h {
		all |= word
	}
	return all != 0
}

// Count is how many bits are set.
func (h Held) Count() int {
	n := 0
	for _, word := range h {
		n += bits.OnesCount64(word)
	}
	return n
}

// All are the indices whose bits are set, in their order.
func (h Held) All(yield func(i int) bool) {
	for k, word := range h {
		for ; word != 0; word &= word - 1 {
			if !yield(64*k + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
