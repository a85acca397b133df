// Package output writes what commands print: tables for people, and rows of values in
// CSV, JSON and YAML for programs, the progress of a command, and the names that a mistyped one may
// mean.
package output

import (
	"fmt"
	"math"
	"regexp"
	"strings"

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

// PowerOfTen formats the smallest power of ten that is at least x.
func PowerOfTen(x float64) string { return fmt.Sprintf("10^%.0f", math.Ceil(math.Log10(x))) }

// plainWord matches words that a shell takes as they are.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+^:,./-][A-Za-z0-9_@%+^=:,./-]*$`)

// ShellWord returns a string as one word for a shell, quoted if necessary.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
