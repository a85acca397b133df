//go:build !purego

package vector

import (
	"math"

	"golang.org/x/sys/cpu"

	"jitterfly/internal/rng"
)

// A level is a set of vector instructions, which includes those of lower levels.
type level int

const (
	plain level = iota
	avx2
	avx512
)

// widest is the highest level that the processor has.
var widest = detect()

func detect() level {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX2:
		return avx512
	case cpu.X86.HasAVX2:
		return avx2
	}
	return plain
}

// Each function below takes the whole chunks of its vectors, and returns how many numbers that
// is.

func later(dst, a, b []float64, by float64) int {
	n := whole(len(dst))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512:
		laterAVX512(&dst[0], &a[0], &b[0], n, by)
	default:
		laterAVX2(&dst[0], &a[0], &b[0], n, by)
	}
	return n
}

func earlier(dst, a, b []float64, by float64) int {
	n := whole(len(dst))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512:
		earlierAVX512(&dst[0], &a[0], &b[0], n, by)
	default:
		earlierAVX2(&dst[0], &a[0], &b[0], n, by)
	}
	return n
}

func shift(dst, src []float64, by float64) int {
	n := whole(len(dst))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512:
		shiftAVX512(&dst[0], &src[0], n, by)
	default:
		shiftAVX2(&dst[0], &src[0], n, by)
	}
	return n
}

func extremes(v []float64) (n int, least, most float64) {
	n = whole(len(v))
	switch {
	case n == 0 || widest == plain:
		return 0, math.Inf(1), math.Inf(-1)
	case widest == avx512:
		extremesAVX512(&v[0], n, &least, &most)
	default:
		extremesAVX2(&v[0], n, &least, &most)
	}
	return n, least, most
}

// exchange takes all numbers, or none of a vector shorter than a chunk.
func exchange(dst, src []float64, mask int) int {
	n := whole(len(dst))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512:
		exchangeAVX512(&dst[0], &src[0], n, mask)
	default:
		exchangeAVX2(&dst[0], &src[0], n, mask)
	}
	return n
}

// advance writes the bits of the numbers that it takes, eight to a byte.
func advance(t, limit []float64, by, known, width float64, hit Bitmask) int {
	n := whole(len(t))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512 && math.IsInf(width, 1):
		advanceAVX512(&t[0], &limit[0], &hit[0], n, by, known, width)
	case widest == avx512:
		advanceWithinAVX512(&t[0], &limit[0], &hit[0], n, by, known, width)
	case math.IsInf(width, 1):
		advanceAVX2(&t[0], &limit[0], &hit[0], n, by, known, width)
	default:
		advanceWithinAVX2(&t[0], &limit[0], &hit[0], n, by, known, width)
	}
	return n
}

// The next three take all numbers, or none of vectors that are shorter than a chunk, and report
// which. If both of a pair are in one register, none is skipped.

func pairsLater(m *PairExchange, x, y *Side, skip int) bool {
	n, e := whole(len(x.Clock)), [4]float64{}
	if n == 0 || widest == plain {
		return false
	}
	switch inside := 0 < skip && skip < lanes(); {
	case widest == avx512 && inside:
		pairsLaterLanesAVX512(&x.Clock[0], &x.Delay[0], n, m.Mask, m.run(n), skip, m.By, m.Sent,
			&e[0], &e[1])
	case widest == avx512:
		pairsLaterAVX512(&x.Clock[0], &x.Delay[0], &y.Clock[0], &y.Delay[0], n, m.Mask, m.run(n), skip,
			m.By, m.Sent, &e[0], &e[1], &e[2], &e[3])
	case inside:
		pairsLaterLanesAVX2(&x.Clock[0], &x.Delay[0], n, m.Mask, m.run(n), skip, m.By, m.Sent,
			&e[0], &e[1])
	default:
		pairsLaterAVX2(&x.Clock[0], &x.Delay[0], &y.Clock[0], &y.Delay[0], n, m.Mask, m.run(n), skip,
			m.By, m.Sent, &e[0], &e[1], &e[2], &e[3])
	}
	return extremesOf(x, y, skip, e)
}

func pairsEarlier(m *PairExchange, x, y *Side, skip int) bool {
	n, e := whole(len(x.Clock)), [4]float64{}
	if n == 0 || widest == plain {
		return false
	}
	switch inside := 0 < skip && skip < lanes(); {
	case widest == avx512 && inside:
		pairsEarlierLanesAVX512(&x.Clock[0], &x.Delay[0], n, m.Mask, m.run(n), skip, m.By, &e[0], &e[1])
	case widest == avx512:
		pairsEarlierAVX512(&x.Clock[0], &x.Delay[0], &y.Clock[0], &y.Delay[0], n, m.Mask, m.run(n), skip,
			m.By, &e[0], &e[1], &e[2], &e[3])
	case inside:
		pairsEarlierLanesAVX2(&x.Clock[0], &x.Delay[0], n, m.Mask, m.run(n), skip, m.By, &e[0], &e[1])
	default:
		pairsEarlierAVX2(&x.Clock[0], &x.Delay[0], &y.Clock[0], &y.Delay[0], n, m.Mask, m.run(n), skip,
			m.By, &e[0], &e[1], &e[2], &e[3])
	}
	return extremesOf(x, y, skip, e)
}

func pairsWork(m *PairExchange, x, y *Side, skip int) bool {
	n := whole(len(x.Clock))
	if n == 0 || widest == plain {
		return false
	}
	switch inside := 0 < skip && skip < lanes(); {
	case widest == avx512 && inside:
		pairsWorkLanesAVX512(&x.Clock[0], &x.Delay[0], &x.End[0], &x.First[0], n, m.Mask, m.run(n), skip,
			m.By, m.Sent, m.Work, &m.Period, &x.Most)
	case widest == avx512:
		most := math.Inf(-1)
		pairsWorkAVX512(&x.Clock[0], &x.Delay[0], &x.End[0], &x.First[0], &y.Clock[0], &y.Delay[0],
			&y.End[0], &y.First[0],
			n, m.Mask, m.run(n), skip, m.By, m.Sent, m.Work, &m.Period, &x.Most, &most)
		y.Most = max(y.Most, most)
	case inside:
		clear(x.Hit)
		pairsWorkLanesAVX2(&x.Clock[0], &x.Delay[0], &x.End[0], &x.Hit[0], n, m.Mask, m.run(n), skip,
			m.By, m.Sent, m.Work)
		m.resume(x)
	default:
		clear(x.Hit)
		clear(y.Hit)
		pairsWorkAVX2(&x.Clock[0], &x.Delay[0], &x.End[0], &x.Hit[0], &y.Clock[0], &y.Delay[0], &y.End[0],
			&y.Hit[0],
			n, m.Mask, m.run(n), skip, m.By, m.Sent, m.Work)
		m.resume(x)
		m.resume(y)
	}
	return true
}

// run returns the length of runs of registers that the mask maps to runs.
func (m *PairExchange) run(n int) int { return runs(n, m.Mask&^(lanes()-1)) }

// extremesOf sets the extremes of the sides: e has those of one side, and of the other or of the
// other half of the same. It returns true.
func extremesOf(x, y *Side, skip int, e [4]float64) bool {
	x.Least, x.Most = e[0], e[1]
	switch {
	case x != y:
		y.Least, y.Most = e[2], e[3]
	case skip >= lanes():
		x.Least, x.Most = min(e[0], e[2]), max(e[1], e[3])
	}
	return true
}

func helps(m *PairExchange, x, y *Side, skip int) (some, done bool) {
	n := whole(len(x.Clock))
	if skip < lanes() { // both of a pair are in one register, and none is skipped
		skip = 0
	}
	switch {
	case n == 0 || widest == plain:
		return false, false
	case widest == avx512:
		helpsAVX512(&x.Clock[0], &y.Clock[0], n, m.Mask, skip, m.By, &some)
	default:
		helpsAVX2(&x.Clock[0], &y.Clock[0], n, m.Mask, skip, m.By, &some)
	}
	return some, true
}

// lanes returns how many numbers a register has.
func lanes() int {
	if widest == avx512 {
		return 8
	}
	return 4
}

func raise(v []float64, from, to float64) int {
	n := whole(len(v))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512:
		raiseAVX512(&v[0], n, from, to)
	default:
		raiseAVX2(&v[0], n, from, to)
	}
	return n
}

// The next five have no kernels for AVX2, which cannot multiply words of 64 bits, and has no
// mask registers.

func resume(t, first, gapEnd []float64, work float64, d *PeriodicDetours, hit Bitmask) int {
	n := whole(len(t))
	if n == 0 || widest != avx512 {
		return 0
	}
	resumeAVX512(&t[0], &first[0], &gapEnd[0], &hit[0], n, work, &d.Period)
	return n
}

func draw(v, also []float64, from, width float64, c rng.Counter) int {
	n := whole(len(v))
	if n == 0 || widest != avx512 {
		return 0
	}
	drawAVX512(&v[0], &also[0], n, from, width, c.Start, c.Step)
	return n
}

// reach takes whole words of bits.
func reach(n int, bound uint16, c rng.Counter, hit Bitmask) int {
	n &^= 63
	if n == 0 || widest != avx512 {
		return 0
	}
	reachAVX512(&hit[0], n, int(bound), c.Start, c.Step)
	return n
}

func addCounts(v []float64, bounds []uint64, each float64, c rng.Counter) int {
	n := whole(len(v))
	if n == 0 || len(bounds) < 2 || widest != avx512 {
		return 0
	}
	addCountsAVX512(&v[0], n, &bounds[0], len(bounds), each, c.Start, c.Step)
	return n
}

func addLines(v []float64, lines *Lines, c rng.Counter, hit Bitmask) int {
	n := whole(len(v))
	if n == 0 || widest != avx512 {
		return 0
	}
	addLinesAVX512(&v[0], n, &lines[0].At, &hit[0], c.Start, c.Step)
	return n
}
