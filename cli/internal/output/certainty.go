package output

import (
	"fmt"
	"math"
)

// Estimate returns the estimate t of T, with the range of T that the trials allow if it has others.
func Estimate(t, low, high int64) string {
	if low == high {
		return fmt.Sprint(t)
	}
	return fmt.Sprintf("%d (%d–%d)", t, low, high)
}

// Gain formats how many times faster something is, with two digits or, below 2, three.
func Gain(times float64) string {
	switch {
	case times < 2:
		return fmt.Sprintf("%.2f×", times)
	case times < 9.95:
		return fmt.Sprintf("%.1f×", times)
	}
	return fmt.Sprintf("%.0f×", times)
}

// maxRegret is the largest bound of how far a choice is above the best, relative, that is worth
// reporting.
const maxRegret = 10

// NoBound stands for a bound that is not worth reporting.
const NoBound = "no bound"

// Bounds reports whether a bound of how far a choice is above the best is worth reporting.
func Bounds(regret float64) bool { return regret <= maxRegret }

// Regret formats an upper bound of how far a choice is above the best, relative: in percent,
// rounded up to two digits or a tenth, or [NoBound]. Only what is the best by structure is at 0.
func Regret(bound float64) string {
	percent := bound * 100
	switch {
	case percent == 0:
		return "0%"
	case !Bounds(bound):
		return NoBound
	case percent < 10:
		return fmt.Sprintf("≤ %.1f%%", math.Ceil(10*percent-1e-6)/10)
	case percent < 100:
		return fmt.Sprintf("≤ %.0f%%", math.Ceil(percent))
	}
	return fmt.Sprintf("≤ %.0f%%", RoundUp(int64(math.Ceil(percent))))
}
