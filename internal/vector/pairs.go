package vector

import (
	"math"
	"math/bits"
)

// Rounds of pairs.
//
// A round in which two ranks receive from each other is one pass over pairs of ranks: messages
// arrive, with their delays, both ranks continue, and work. Nearly all work is done before the
// rank's gap ends, which takes one comparison to see. With AVX-512, the detours of a chunk in
// which that is not so are computed in the same pass, and its gaps updated: a detour costs a
// mispredicted jump and some sixty instructions, once.

// A Side is a vector of ranks that exchange messages with the ranks of another.
type Side struct {
	Clock []float64 // [s]
	Delay []float64 // of the message to each rank [s]
	// The gaps that the ranks work in, as in [Gaps]: First must be known for all ranks that
	// may meet a detour.
	First, End []float64
	Hit        Bitmask // room for the ranks that meet one
	// Least and Most are the extreme clocks after a round without work. After one with work
	// only Most is set, to at least the clocks of all ranks that met a detour.
	Least, Most float64
}

// A PairExchange is a round in which rank i of one side and rank i XOR Mask of the other receive
// from each other. A message takes By [s] and its delay. Both sides have the same number of
// ranks, a power of two that is larger than the mask. They may be one vector, if the mask is not
// 0.
type PairExchange struct {
	Mask int
	By   float64
	// Sent is for how long the messages that a rank sends take its link [s]: in Later and
	// LaterThenWork its own clock counts as that much later.
	Sent float64
	Work float64 // of [PairExchange.LaterThenWork], among the detours [s]
	PeriodicDetours
}

// Later replaces each clock by the later of when its own messages have left and the arrival of the
// other's.
func (m *PairExchange) Later(x, y *Side) {
	m.choose(x, y, widest.pairsLater, genericPairsLater)
}

// Earlier replaces each clock by the earlier of it and the arrival of its message.
func (m *PairExchange) Earlier(x, y *Side) {
	m.choose(x, y, widest.pairsEarlier, genericPairsEarlier)
}

// choose runs a kernel, or if the processor has no kernel, the equivalent loop.
func (m *PairExchange) choose(
	x, y *Side, kernel pairsKernel, generic func(m *PairExchange, x, y *Side, skip int),
) {
	if skip, n := m.pairs(x, y), whole(len(x.Clock), kernel != nil); n > 0 {
		leastX, mostX, leastY, mostY := kernel(&x.Clock[0], &x.Delay[0], &y.Clock[0], &y.Delay[0],
			n, m.Mask, m.run(n), skipped(skip), m.By, m.Sent)
		x.add(extent{leastX, mostX})
		y.add(extent{leastY, mostY})
	} else {
		generic(m, x, y, skip)
	}
	x.positive()
	y.positive()
}

// run returns the length of runs of registers that the mask maps to runs.
func (m *PairExchange) run(n int) int { return runs(n, m.Mask&^(widest.lanes-1)) }

// skipped returns the bit of indices that kernels skip: none if both of a pair are in one register.
func skipped(skip int) int {
	if skip < widest.lanes {
		return 0
	}
	return skip
}

// LaterThenWork replaces each clock by when the work is done that begins at the later of when its
// own messages have left and the arrival of the other's. No work may begin before the rank's last.
func (m *PairExchange) LaterThenWork(x, y *Side) {
	skip := m.pairs(x, y)
	for _, p := range [2]*Side{x, y} {
		n := len(p.Clock)
		p.First, p.End, p.Hit = p.First[:n], p.End[:n], p.Hit[:(n+63)/64]
	}
	n := whole(len(x.Clock), widest.pairsWork != nil)
	left := n == 0 || widest.resume == nil // the work of ranks that meet a detour
	if left {
		clear(x.Hit)
		clear(y.Hit)
	}
	if n == 0 {
		genericPairsWork(m, x, y, skip)
	} else {
		mostX, mostY := widest.pairsWork(
			&x.Clock[0], &x.Delay[0], &x.End[0], &x.First[0], &x.Hit[0],
			&y.Clock[0], &y.Delay[0], &y.End[0], &y.First[0], &y.Hit[0],
			n, m.Mask, m.run(n), skipped(skip), m.By, m.Sent, m.Work, &m.Period)
		x.Most = max(x.Most, mostX)
		y.Most = max(y.Most, mostY)
	}
	if left {
		m.resume(x)
		m.resume(y)
	}
}

// pairs cuts the vectors to one length. If both sides are one vector, it returns the bit of an
// index that the second of a pair has, which is done with the first.
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

// resume does the work of the ranks that meet a detour.
func (m *PairExchange) resume(p *Side) {
	for i := range p.Hit.All {
		p.Clock[i] = m.PeriodicDetours.Work(p.Clock[i], m.Work, p.First[i], &p.End[i])
		p.Most = max(p.Most, p.Clock[i])
		p.Hit[i/64] &^= 1 << (i % 64)
	}
}

// The equivalents in plain Go skip the indices with the bit skip, if there is one, and take runs
// of indices that the mask maps to runs. They find extremes at the same time, which takes half
// the time of a pass of its own: see
// go test -tags purego ./internal/vector -run - -bench Kernels/Pairs.

func genericPairsLater(m *PairExchange, x, y *Side, skip int) {
	run, by, sent := runs(len(x.Clock), m.Mask), m.By, m.Sent
	allX, allY := nothing, nothing
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys := x.Clock[i:i+run], y.Clock[j:j+run]
		ys, lateX, lateY := ys[:len(xs)], x.Delay[i:][:len(xs)], y.Delay[j:][:len(xs)]
		for k, a := range xs {
			b := ys[k]
			xs[k], ys[k] = later(b+lateX[k]+by, a+sent), later(a+lateY[k]+by, b+sent)
			allX, allY = allX.with(xs[k]), allY.with(ys[k])
		}
	}
	x.add(allX)
	y.add(allY)
}

func genericPairsEarlier(m *PairExchange, x, y *Side, skip int) {
	run, by := runs(len(x.Clock), m.Mask), m.By
	allX, allY := nothing, nothing
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys := x.Clock[i:i+run], y.Clock[j:j+run]
		ys, lateX, lateY := ys[:len(xs)], x.Delay[i:][:len(xs)], y.Delay[j:][:len(xs)]
		for k, a := range xs {
			b := ys[k]
			xs[k], ys[k] = earlier(b+lateX[k]+by, a), earlier(a+lateY[k]+by, b)
			allX, allY = allX.with(xs[k]), allY.with(ys[k])
		}
	}
	x.add(allX)
	y.add(allY)
}

func genericPairsWork(m *PairExchange, x, y *Side, skip int) {
	run, by, sent, work := runs(len(x.Clock), m.Mask), m.By, m.Sent, m.Work
	for i := 0; i < len(x.Clock); i = ((i | skip) + run) &^ skip {
		j := i ^ m.Mask
		xs, ys := x.Clock[i:i+run], y.Clock[j:j+run]
		ys, lateX, endX := ys[:len(xs)], x.Delay[i:][:len(xs)], x.End[i:][:len(xs)]
		lateY, endY := y.Delay[j:][:len(xs)], y.End[j:][:len(xs)]
		for k, a := range xs {
			b := ys[k]
			xs[k], ys[k] = later(b+lateX[k]+by, a+sent), later(a+lateY[k]+by, b+sent)
			if then := xs[k] + work; then < endX[k] {
				xs[k] = then
			} else {
				x.Hit.Add(i + k)
			}
			if then := ys[k] + work; then < endY[k] {
				ys[k] = then
			} else {
				y.Hit.Add(j + k)
			}
		}
	}
}

// add extends the extremes of a side.
func (p *Side) add(e extent) { p.Least, p.Most = min(p.Least, e.least), max(p.Most, e.most) }

// positive replaces extremes of −0 by 0.
func (p *Side) positive() { p.Least, p.Most = positive(p.Least), positive(p.Most) }
