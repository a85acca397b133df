//go:build !purego

package vector

import (
	"math"

	"golang.org/x/sys/cpu"

	"jitterfly/internal/rng"
)

// A level is how wide the kernels are; those of one need what the ones before it need.
type level int

const (
	plain level = iota
	avx2
	avx512
)

// widest is what the processor has.
var widest = detect()

func detect() level {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX2:
		return avx512
	case cpu.X86.HasAVX2:
		return avx2
	}
	return plain
}

// The functions below do as many whole chunks as there are, and return of how many
// numbers that is.

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

// exchange does all, or nothing of a vector shorter than a chunk.
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

// advance sets the bits of the numbers it does, eight to a byte.
func advance(t, limit []float64, by, width float64, held Held) int {
	n := whole(len(t))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512 && math.IsInf(width, 1):
		advanceAVX512(&t[0], &limit[0], &held[0], n, by, width)
	case widest == avx512:
		advanceWithinAVX512(&t[0], &limit[0], &held[0], n, by, width)
	case math.IsInf(width, 1):
		advanceAVX2(&t[0], &limit[0], &held[0], n, by, width)
	default:
		advanceWithinAVX2(&t[0], &limit[0], &held[0], n, by, width)
	}
	return n
}

// laterAcross does all, or nothing of vectors that are shorter than a chunk. The second of
// a pair that is in one register with the first is not skipped.
func laterAcross(x, y []float64, mask, skip int, by float64) bool {
	n := whole(len(x))
	switch {
	case n == 0 || widest == plain:
		return false
	case widest == avx512 && 0 < skip && skip < 8:
		laterInsideAVX512(&x[0], n, mask, by)
	case widest == avx512:
		laterAcrossAVX512(&x[0], &y[0], n, mask, skip, by)
	case 0 < skip && skip < 4:
		laterInsideAVX2(&x[0], n, mask, by)
	default:
		laterAcrossAVX2(&x[0], &y[0], n, mask, skip, by)
	}
	return true
}

func earlierAcross(x, y []float64, mask, skip int, by float64) bool {
	n := whole(len(x))
	switch {
	case n == 0 || widest == plain:
		return false
	case widest == avx512 && 0 < skip && skip < 8:
		earlierInsideAVX512(&x[0], n, mask, by)
	case widest == avx512:
		earlierAcrossAVX512(&x[0], &y[0], n, mask, skip, by)
	case 0 < skip && skip < 4:
		earlierInsideAVX2(&x[0], n, mask, by)
	default:
		earlierAcrossAVX2(&x[0], &y[0], n, mask, skip, by)
	}
	return true
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

// Of the last three there are no kernels for AVX2, which cannot multiply words of 64 bits,
// and has no register of bits that says which lanes count.

func resume(t, first, gapEnd []float64, work float64, d Train, held Held) int {
	n := whole(len(t))
	if n == 0 || widest != avx512 {
		return 0
	}
	resumeAVX512(&t[0], &first[0], &gapEnd[0], &held[0], n, work, d.Period, d.Length, d.margin())
	return n
}

func draw(v []float64, limit, from, width float64, c rng.Counter) int {
	n := whole(len(v))
	if n == 0 || widest != avx512 {
		return 0
	}
	drawAVX512(&v[0], n, limit, from, width, c.Start, c.Step)
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
