package vector

import (
	"math"
	"math/bits"
)

// Rounds of pairs.
//
// Where messages are late and detours strike too often for several rounds at once, a round is still one pass over those
// who hear from each other, two by two: messages arrive, as late as they are, both go on, and work. Nearly all are done
// before their gap ends, and to see that costs a comparison. Whoever is not is off the straight way, but in
// the same pass with AVX-512: the chunk's detours are worked out there, and its gaps are then those that it has got
// to. So a detour costs a jump that was not foreseen and some sixty instructions, once.

// A Side is one of the two vectors of ranks that meet in a round.
type Side struct {
	Clock []float64
	Delay []float64 // how late the message to each is
	// Of the gaps that they work in, as in [Gaps]: of all who may meet a detour the first is known.
	First, End []float64
	Hit        Bitmask // room: those who meet one
	// The least clock and the largest after a round without work. After one with work only the largest counts,
	// which is at least that of all who met a detour.
	Least, Most float64
}

// A PairExchange is a round in which the ranks of two parties hear from each other: i of one from i XOR Mask of
// the other, by a message that takes By and as long as it is late. Both are as many, a power of two that the
// mask is less than. A party may meet itself, across a mask that is not 0.
type PairExchange struct {
	Mask int
	By   float64
	// What is done then by those who work, among the detours of a train.
	Work float64
	PeriodicDetours
}

// Later has each clock become the later of it and its message.
func (m *PairExchange) Later(x, y *Side) {
	if skip := m.pairs(x, y); !pairsLater(m, x, y, skip) {
		genericPairsLater(m, x, y, skip)
	}
	x.positive()
	y.positive()
}

// Earlier has it become the earlier.
func (m *PairExchange) Earlier(x, y *Side) {
	if skip := m.pairs(x, y); !pairsEarlier(m, x, y, skip) {
		genericPairsEarlier(m, x, y, skip)
	}
	x.positive()
	y.positive()
}

// Helps says whether a message would make a clock earlier if it were not late.
func (m *PairExchange) Helps(x, y *Side) bool {
	skip := m.pairs(x, y)
	some, done := helps(m, x, y, skip)
	return some || !done && genericHelps(m, x, y, skip)
}

// LaterThenWork has it become the later, and then be when the work is done. No work may begin before what
// the rank did last.
func (m *PairExchange) LaterThenWork(x, y *Side) {
	skip := m.pairs(x, y)
	for _, p := range [2]*Side{x, y} {
		n := len(p.Clock)
		p.First, p.End, p.Hit = p.First[:n], p.End[:n], p.Hit[:(n+63)/64]
	}
	if !pairsWork(m, x, y, skip) {
		clear(x.Hit)
		clear(y.Hit)
		genericPairsWork(m, x, y, skip)
		m.resume(x)
		m.resume(y)
	}
}

// pairs cuts vectors to one length and, of a party that meets itself, returns the bit of an index that tells
// the second of a pair, which comes with the first.
func (m *PairExchange) pairs(x, y *Side) (skip int) {
	n := len(x.Clock)
	if n == 0 || n&(n-1) != 0 || m.Mask < 0 || m.Mask >= n || x == y && m.Mask == 0 {
		panic("vector: the mask leads out of the vector, or nowhere")
	}
	x.Delay, y.Clock, y.Delay = x.Delay[:n], y.Clock[:n], y.Delay[:n]
	for _, p := range [2]*Side{x, y} {
		p.Least, p.Most = math.Inf(1), math.Inf(-1)
	}
	if x == y {
		skip = 1 << (bits.Len(uint(m.Mask)) - 1)
	}
	return skip
}

// resume does the work of those whom a detour holds.
func (m *PairExchange) resume(p *Side) {
	for i := range p.Hit.All {
		p.Clock[i] = m.PeriodicDetours.Work(p.Clock[i], m.Work, p.First[i], &p.End[i])
		p.Most = max(p.Most, p.Clock[i])
		p.Hit[i/64] &^= 1 << (i % 64)
	}
}

// The twins go over the indices without the bit skip, if there is one, by runs of those whose others are in a
// row too. They keep extremes as they go, which takes half the time of doing so afterwards: by
// go test -tags purego ./internal/vector -run - -bench Kernels/Meet.

func genericPairsLater(m *PairExchange, x, y *Side, skip int) {
	run, by := runs(len(x.Clock), m.Mask), m.By
	leastX, mostX, leastY, mostY := x.Least, x.Most, y.Least, y.Most
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys := x.Clock[i:i+run], y.Clock[j:j+run]
		ys, lateX, lateY := ys[:len(xs)], x.Delay[i:][:len(xs)], y.Delay[j:][:len(xs)]
		for k, a := range xs {
			b := ys[k]
			t, u := b+lateX[k]+by, a+lateY[k]+by
			if !(t > a) {
				t = a
			}
			if !(u > b) {
				u = b
			}
			xs[k], ys[k] = t, u
			if t < leastX {
				leastX = t
			}
			if t > mostX {
				mostX = t
			}
			if u < leastY {
				leastY = u
			}
			if u > mostY {
				mostY = u
			}
		}
	}
	x.Least, x.Most = min(x.Least, leastX), max(x.Most, mostX)
	y.Least, y.Most = min(y.Least, leastY), max(y.Most, mostY)
}

func genericPairsEarlier(m *PairExchange, x, y *Side, skip int) {
	run, by := runs(len(x.Clock), m.Mask), m.By
	leastX, mostX, leastY, mostY := x.Least, x.Most, y.Least, y.Most
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys := x.Clock[i:i+run], y.Clock[j:j+run]
		ys, lateX, lateY := ys[:len(xs)], x.Delay[i:][:len(xs)], y.Delay[j:][:len(xs)]
		for k, a := range xs {
			b := ys[k]
			t, u := b+lateX[k]+by, a+lateY[k]+by
			if !(t < a) {
				t = a
			}
			if !(u < b) {
				u = b
			}
			xs[k], ys[k] = t, u
			if t < leastX {
				leastX = t
			}
			if t > mostX {
				mostX = t
			}
			if u < leastY {
				leastY = u
			}
			if u > mostY {
				mostY = u
			}
		}
	}
	x.Least, x.Most = min(x.Least, leastX), max(x.Most, mostX)
	y.Least, y.Most = min(y.Least, leastY), max(y.Most, mostY)
}

func genericPairsWork(m *PairExchange, x, y *Side, skip int) {
	run, by, work := runs(len(x.Clock), m.Mask), m.By, m.Work
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys := x.Clock[i:i+run], y.Clock[j:j+run]
		ys, lateX, endX := ys[:len(xs)], x.Delay[i:][:len(xs)], x.End[i:][:len(xs)]
		lateY, endY := y.Delay[j:][:len(xs)], y.End[j:][:len(xs)]
		for k, a := range xs {
			b := ys[k]
			t, u := b+lateX[k]+by, a+lateY[k]+by
			if !(t > a) {
				t = a
			}
			if !(u > b) {
				u = b
			}
			if then := t + work; then < endX[k] {
				xs[k] = then
			} else {
				xs[k] = t
				x.Hit[(i+k)/64] |= 1 << ((i + k) % 64)
			}
			if then := u + work; then < endY[k] {
				ys[k] = then
			} else {
				ys[k] = u
				y.Hit[(j+k)/64] |= 1 << ((j + k) % 64)
			}
		}
	}
}

// positive has extremes not be −0.
func (p *Side) positive() { p.Least, p.Most = positive(p.Least), positive(p.Most) }

func genericHelps(m *PairExchange, x, y *Side, skip int) bool {
	run := runs(len(x.Clock), m.Mask)
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		xs, ys := x.Clock[i:][:run], y.Clock[i^m.Mask:][:run]
		for k, a := range xs {
			if b := ys[k]; b+m.By < a || a+m.By < b {
				return true
			}
		}
	}
	return false
}
