//go:build !purego

package vector

import "golang.org/x/sys/cpu"

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

// extremes writes those of each lane.
func extremes(v []float64, lanes *[2][chunk]float64) int {
	n := whole(len(v))
	switch {
	case n == 0 || widest == plain:
		return 0
	case widest == avx512:
		extremesAVX512(&v[0], n, &lanes[0][0], &lanes[1][0])
	default:
		extremesAVX2(&v[0], n, &lanes[0][0], &lanes[1][0])
		copy(lanes[0][4:], lanes[0][:4])
		copy(lanes[1][4:], lanes[1][:4])
	}
	return n
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
	case widest == avx512:
		advanceAVX512(&t[0], &limit[0], &held[0], n, by, width)
	default:
		advanceAVX2(&t[0], &limit[0], &held[0], n, by, width)
	}
	return n
}
