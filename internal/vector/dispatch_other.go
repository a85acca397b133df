//go:build !amd64 || purego

package vector

import (
	"math"

	"jitterfly/internal/rng"
)

// There are no kernels: these functions take none of the numbers.

func later(_, _, _ []float64, _ float64) int { return 0 }

func earlier(_, _, _ []float64, _ float64) int { return 0 }

func shift(_, _ []float64, _ float64) int { return 0 }

func extremes([]float64) (n int, least, most float64) { return 0, math.Inf(1), math.Inf(-1) }

func exchange(_, _ []float64, _ int) int { return 0 }

func advance(_, _ []float64, _, _, _ float64, _ Bitmask) int { return 0 }

func pairsLater(_ *PairExchange, _, _ *Side, _ int) bool { return false }

func pairsEarlier(_ *PairExchange, _, _ *Side, _ int) bool { return false }

func pairsWork(_ *PairExchange, _, _ *Side, _ int) bool { return false }

func helps(_ *PairExchange, _, _ *Side, _ int) (some, done bool) { return false, false }

func raise([]float64, float64, float64) int { return 0 }

func resume(_, _, _ []float64, _ float64, _ *PeriodicDetours, _ Bitmask) int { return 0 }

func draw(_, _ []float64, _, _ float64, _ rng.Counter) int { return 0 }

func reach(int, uint16, rng.Counter, Bitmask) int { return 0 }

func addCounts([]float64, []uint64, float64, rng.Counter) int { return 0 }

func addLines([]float64, *Lines, rng.Counter, Bitmask) int { return 0 }
