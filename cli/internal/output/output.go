// Package output writes what commands print: tables for people, and rows of values in
// CSV, JSON and YAML for programs, the progress of a command, and the names that a mistyped one may
// mean.
package output

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"jitterfly/internal/units"
)

// Seconds formats a time [s] with three digits and its unit.
func Seconds(v float64) string { return units.Format(units.Time, v, 3) }

// Signed formats a time [s] as [Seconds] does, which may be below 0 or unknown (NaN).
func Signed(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 0:
		return "−" + Seconds(-v)
	}
	return Seconds(v)
}

// Bytes formats a number of bytes without rounding it: 8 B, 4 KiB, 16420 B.
func Bytes(n uint64) string {
	const digits = 20 // of the largest number
	return units.Format(units.Size, float64(n), digits)
}

// RoundUp returns n, which must be positive, rounded up to two significant digits.
func RoundUp(n int64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-1)
	return math.Ceil(float64(n)/unit) * unit
}

// plainWord matches words that a shell takes as they are.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+^:,./-][A-Za-z0-9_@%+^=:,./-]*$`)

// ShellWord returns a string as one word for a shell, quoted if necessary.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

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

// maxNames is the largest number of names that are suggested.
const maxNames = 3

// Similar returns the names that a mistyped one may mean, the most likely first: those at the
// smallest edit distance, if that is at most a third of its length, then those it begins.
func Similar(mistyped string, names []string) []string {
	mistyped = strings.ToLower(mistyped)
	distance := func(name string) int { return distance(mistyped, strings.ToLower(name)) }
	least := max(1, len(mistyped)/3)
	for _, name := range names {
		least = min(least, distance(name))
	}
	var similar []string
	for _, name := range names {
		if distance(name) == least || len(mistyped) > 1 && strings.HasPrefix(name, mistyped) {
			similar = append(similar, name)
		}
	}
	nearer := func(a, b string) int { return cmp.Compare(distance(a), distance(b)) }
	slices.SortStableFunc(similar, nearer)
	return similar[:min(len(similar), maxNames)]
}

// distance returns the edit distance of two texts, in which two letters that changed places count
// once.
func distance(mistyped, name string) int {
	least := levenshtein.ComputeDistance(mistyped, name)
	for i := 1; i < len(mistyped); i++ {
		swapped := []byte(mistyped)
		swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
		least = min(least, 1+levenshtein.ComputeDistance(string(swapped), name))
	}
	return least
}

// Unknown returns the error for a string that is not among the names: it suggests similar names, or
// lists all.
func Unknown(text string, names []string) error {
	return fmt.Errorf("%q is unknown; %s", text, Meant(text, names))
}

// Meant returns the question whether names were meant that are like a mistyped one, or the list of
// all names.
func Meant(mistyped string, names []string) string {
	if similar := Similar(mistyped, names); len(similar) > 0 {
		return "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return "valid values: " + strings.Join(names, ", ")
}
