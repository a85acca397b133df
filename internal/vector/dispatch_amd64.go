//go:build !purego

package vector

import "golang.org/x/sys/cpu"

// detect returns the kernels that the processor has instructions for.
func detect() []kernels {
	switch {
	case !cpu.X86.HasAVX2:
		return nil
	case !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512BW:
		return []kernels{avx2}
	}
	return []kernels{avx2, avx512}
}

var avx2 = kernels{
	name: "AVX2", lanes: 4,
	later: laterAVX2, earlier: earlierAVX2, sum: sumAVX2,
	shift: shiftAVX2, raise: raiseAVX2, extremes: extremesAVX2, exchange: exchangeAVX2,
	advance: advanceAVX2, advanceIn: advanceInAVX2,
	pairsLater: pairsLaterAVX2, pairsEarlier: pairsEarlierAVX2, pairsWork: pairsWorkAVX2,
	addLines: addLinesAVX2,
}

var avx512 = kernels{
	name: "AVX512", lanes: 8,
	later: laterAVX512, earlier: earlierAVX512, sum: sumAVX512,
	shift: shiftAVX512, raise: raiseAVX512, extremes: extremesAVX512, exchange: exchangeAVX512,
	advance: advanceAVX512, advanceIn: advanceInAVX512,
	pairsLater: pairsLaterAVX512, pairsEarlier: pairsEarlierAVX512, pairsWork: pairsWorkAVX512,
	resume: resumeAVX512, draw: drawAVX512, addCounts: addCountsAVX512, addLines: addLinesAVX512,
}
