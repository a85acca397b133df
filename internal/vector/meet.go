package vector

import (
	"math"
	"math/bits"
)

// A Party is one of the two vectors of ranks that meet in a round.
type Party struct {
	Clock []float64
	Late  []float64 // how late the message to each is
	// Of the gaps that they work in, as in [Gaps].
	First, End []float64
	// Those who do not, as the first detour that they may meet is not known. Their clocks are when work begins.
	Held    Held
	resumed Held // those who meet one that is
	// After a round the least clock of those who are not held, and the largest of all.
	Least, Most float64
}

// A Meeting is a round in which the ranks of two parties hear from each other: i of one from i XOR Mask of
// the other, by a message that takes By and as long as it is late. Both are as many, a power of two that the
// mask is less than. A party may meet itself, across a mask that is not 0.
type Meeting struct {
	Mask int
	By   float64
	// What is done then by those who work, between the detours of a train. Of those that begin before Known
	// the first are known.
	Work  float64
	Known float64
	Train
}

// Later has each clock become the later of it and its message.
func (m *Meeting) Later(x, y *Party) {
	if skip := m.pairs(x, y); !meetLater(m, x, y, skip) {
		genericMeetLater(m, x, y, skip)
	}
	x.positive()
	y.positive()
}

// Earlier has it become the earlier.
func (m *Meeting) Earlier(x, y *Party) {
	if skip := m.pairs(x, y); !meetEarlier(m, x, y, skip) {
		genericMeetEarlier(m, x, y, skip)
	}
	x.positive()
	y.positive()
}

// Helps says whether a message would make a clock earlier if it were not late.
func (m *Meeting) Helps(x, y *Party) bool {
	skip := m.pairs(x, y)
	some, done := helps(m, x, y, skip)
	return some || !done && genericHelps(m, x, y, skip)
}

// LaterAndWork has it become the later, and then be when the work is done. No work may begin before what
// the rank did last.
func (m *Meeting) LaterAndWork(x, y *Party) {
	skip := m.pairs(x, y)
	for _, p := range [2]*Party{x, y} {
		n := len(p.Clock)
		p.First, p.End, p.Held = p.First[:n], p.End[:n], p.Held[:(n+63)/64]
		clear(p.Held)
	}
	if !meetWorking(m, x, y, skip) {
		genericMeetWorking(m, x, y, skip)
	}
	m.resume(x)
	if x != y {
		m.resume(y)
	}
	x.positive()
	y.positive()
}

// pairs cuts vectors to one length and, of a party that meets itself, returns the bit of an index that tells
// the second of a pair, which comes with the first.
func (m *Meeting) pairs(x, y *Party) (skip int) {
	n := len(x.Clock)
	if n == 0 || n&(n-1) != 0 || m.Mask < 0 || m.Mask >= n || x == y && m.Mask == 0 {
		panic("vector: the mask leads out of the vector, or nowhere")
	}
	x.Late, y.Clock, y.Late = x.Late[:n], y.Clock[:n], y.Late[:n]
	for _, p := range [2]*Party{x, y} {
		p.Least, p.Most = math.Inf(1), math.Inf(-1)
	}
	if x == y {
		skip = 1 << (bits.Len(uint(m.Mask)) - 1)
	}
	return skip
}

// resume does the work of those whom a detour holds that is known, and whom no kernel has done.
func (m *Meeting) resume(p *Party) {
	if !p.Held.Any() {
		return
	}
	p.resumed = append(p.resumed[:0], p.Held...)
	if !math.IsInf(m.Known, 1) {
		for i := range p.Held.All {
			if math.IsInf(p.End[i], 1) {
				p.resumed[i/64] &^= 1 << (i % 64)
			}
		}
	}
	for k, resumed := range p.resumed {
		p.Held[k] &^= resumed
	}
	for i := range p.resumed.All {
		p.Clock[i] = m.Train.Work(p.Clock[i], m.Work, p.First[i], &p.End[i])
		p.is(p.Clock[i])
	}
}

// The twins go over the indices without the bit skip, if there is one, by runs of those whose others are in a
// row too.

func genericMeetLater(m *Meeting, x, y *Party, skip int) {
	run := runs(len(x.Clock), m.Mask)
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys, lateX, lateY := x.Clock[i:][:run], y.Clock[j:][:run], x.Late[i:][:run], y.Late[j:][:run]
		for k, a := range xs {
			b := ys[k]
			t, u := b+lateX[k]+m.By, a+lateY[k]+m.By
			if !(t > a) {
				t = a
			}
			if !(u > b) {
				u = b
			}
			xs[k], ys[k] = t, u
			x.is(t)
			y.is(u)
		}
	}
}

func genericMeetEarlier(m *Meeting, x, y *Party, skip int) {
	run := runs(len(x.Clock), m.Mask)
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys, lateX, lateY := x.Clock[i:][:run], y.Clock[j:][:run], x.Late[i:][:run], y.Late[j:][:run]
		for k, a := range xs {
			b := ys[k]
			t, u := b+lateX[k]+m.By, a+lateY[k]+m.By
			if !(t < a) {
				t = a
			}
			if !(u < b) {
				u = b
			}
			xs[k], ys[k] = t, u
			x.is(t)
			y.is(u)
		}
	}
}

func genericMeetWorking(m *Meeting, x, y *Party, skip int) {
	run := runs(len(x.Clock), m.Mask)
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, lateX, endX := x.Clock[i:][:run], x.Late[i:][:run], x.End[i:][:run]
		ys, lateY, endY := y.Clock[j:][:run], y.Late[j:][:run], y.End[j:][:run]
		for k, a := range xs {
			b := ys[k]
			t, u := b+lateX[k]+m.By, a+lateY[k]+m.By
			if !(t > a) {
				t = a
			}
			if !(u > b) {
				u = b
			}
			then, thenY := t+m.Work, u+m.Work
			if then < endX[k] && then < m.Known && thenY < endY[k] && thenY < m.Known {
				xs[k], ys[k] = then, thenY
				x.is(then)
				y.is(thenY)
				continue
			}
			xs[k] = m.work(x, i+k, t)
			ys[k] = m.work(y, j+k, u)
		}
	}
}

// work is when a rank's work is done that may begin at a time, or that time if the rank is held.
func (m *Meeting) work(p *Party, i int, start float64) float64 {
	then := start + m.Work
	if then >= p.End[i] || then >= m.Known {
		p.Held[i/64] |= 1 << (i % 64)
		p.Most = max(p.Most, start)
		return start
	}
	p.is(then)
	return then
}

// is has a party's extremes be of one more clock.
func (p *Party) is(t float64) {
	if t < p.Least {
		p.Least = t
	}
	if t > p.Most {
		p.Most = t
	}
}

// positive has extremes not be −0.
func (p *Party) positive() { p.Least, p.Most = positive(p.Least), positive(p.Most) }

func genericHelps(m *Meeting, x, y *Party, skip int) bool {
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
