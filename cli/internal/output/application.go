package output

import (
	"fmt"
	"math"
	"slices"
)

// DoesNotPay says that redundancy does not pay, and what to do.
const DoesNotPay = "Redundancy does not pay here: leave the native allreduce alone."

// Iterations says whether redundancy pays in the iterations of applications, and what the choices
// save of them and of the collectives in them: it pays if it saves more than the tolerance of an
// iteration. It takes the gains of each choice; redundant says whether any of them has redundancy,
// and confident whether all have the confidence asked for.
func Iterations(iterations, collectives []float64, redundant, confident bool, tolerance float64) string {
	from, to := saved(iterations)
	inFrom, inTo := saved(collectives)
	text := "Redundancy pays in some of these iterations."
	switch {
	case !confident:
		text = "These trials do not show whether redundancy pays."
	case !redundant && to > tolerance:
		text = "Another collective pays here, without redundancy."
	case !redundant:
		return DoesNotPay
	case to <= tolerance:
		return fmt.Sprintf("Leave the native allreduce alone: redundancy saves less than %s of an iteration (%s).",
			Level(tolerance), between(from, to))
	case from > tolerance:
		text = "Redundancy pays here."
	}
	what := "The choice saves"
	if len(iterations) > 1 {
		what = "The choices save"
	}
	return fmt.Sprintf("%s %s %s of an iteration, and %s of the time in the collective.",
		text, what, between(from, to), between(inFrom, inTo))
}

// saved returns the least and the largest share of a time that gains save, at least 0.
func saved(gains []float64) (from, to float64) {
	return max(0, 1-1/slices.Min(gains)), max(0, 1-1/slices.Max(gains))
}

// Level formats a tolerance or a level of confidence, with all its digits but errors of rounding.
func Level(share float64) string { return fmt.Sprintf("%.12g%%", 100*share) }

// Percent formats a share.
func Percent(share float64) string {
	if math.Abs(share) < 0.0005 {
		return "0%"
	}
	if math.Abs(share) < 0.0995 {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// between formats two shares, or one if they look the same.
func between(from, to float64) string {
	if Percent(from) == Percent(to) {
		return Percent(to)
	}
	return Percent(from) + " to " + Percent(to)
}

// Amplification formats the amplification of noise: how much slower an iteration is, relative to the
// share of time that detours take.
func Amplification(amplification float64) string {
	switch {
	case math.IsNaN(amplification) || math.IsInf(amplification, 0):
		return "–"
	case amplification < 1:
		return fmt.Sprintf("%.2g× (absorbed)", amplification)
	case amplification >= 99.5:
		return fmt.Sprintf("%.0f×", amplification)
	}
	return fmt.Sprintf("%.2g×", amplification)
}
