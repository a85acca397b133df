// Package units parses and formats quantities with units: 10us, 1KiB, 1GB/s. Inside
// the program they are float64 in SI units.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Dimension is the physical dimension of a quantity.
type Dimension int

const (
	// Number has no unit.
	Number Dimension = iota
	// Time is in seconds.
	Time
	// Size is in bytes.
	Size
	// Rate is in bytes per second.
	Rate
)

// A unit is 10^exp times factor of the SI unit. The power of ten is kept apart
// so that 10us is read as the decimal 10e-6, correctly rounded, and not as the
// product of 10 and the nearest number to 10^-6.
type unit struct {
	name   string
	exp    int
	factor float64
}

// The units that are read.
var dimensions = map[Dimension]struct {
	si, example string
	units       []unit
}{
	Number: {"", "", []unit{{"", 0, 1}, {"%", -2, 1}}},
	Time: {"s", "10us", []unit{
		{"s", 0, 1}, {"ms", -3, 1}, {"µs", -6, 1}, {"us", -6, 1}, {"μs", -6, 1}, {"ns", -9, 1},
		{"ps", -12, 1},
	}},
	Size: {"B", "8B or 1KiB", []unit{
		{"B", 0, 1},
		{"KiB", 0, 1 << 10}, {"MiB", 0, 1 << 20}, {"GiB", 0, 1 << 30},
		{"kB", 3, 1}, {"KB", 3, 1}, {"MB", 6, 1}, {"GB", 9, 1},
	}},
	Rate: {"B/s", "1GB/s", []unit{
		{"B/s", 0, 1},
		{"kB/s", 3, 1}, {"KB/s", 3, 1}, {"MB/s", 6, 1}, {"GB/s", 9, 1}, {"TB/s", 12, 1},
		{"KiB/s", 0, 1 << 10}, {"MiB/s", 0, 1 << 20}, {"GiB/s", 0, 1 << 30},
		{"Mbit/s", 6, 1. / 8}, {"Gbit/s", 9, 1. / 8}, {"Tbit/s", 12, 1. / 8},
	}},
}

// Parse returns the finite quantity of the dimension that a string gives, in SI units. The unit is
// required, and may follow a space. The error names the fault, not its place.
func Parse(d Dimension, text string) (float64, error) {
	text = strings.TrimSpace(text)
	digits := len(text) - len(strings.TrimLeft(text, "+-.0123456789"))
	if rest := text[digits:]; len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		// An exponent, unless the letter begins a unit.
		if n := len(rest[1:]) - len(strings.TrimLeft(rest[1:], "+-0123456789")); n > 0 {
			digits += 1 + n
		}
	}
	number, name := text[:digits], strings.TrimSpace(text[digits:])
	if number == "" {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	dim := dimensions[d]
	for _, u := range dim.units {
		if u.name == name {
			v, err := decimal(number, u.exp)
			return v * u.factor, err
		}
	}
	switch {
	case d == Number:
		return 0, fmt.Errorf("%q is not a plain number", text)
	case name == "":
		return 0, fmt.Errorf("%q has no unit; write for example %s", text, dim.example)
	}
	if likely := likely(d, name); likely != "" {
		return 0, fmt.Errorf("%q has the unknown unit %q; did you mean %s%s?", text, name, number, likely)
	}
	return 0, fmt.Errorf("%q has the unknown unit %q; valid units: %s", text, name,
		strings.Join(Names(d), ", "))
}

// likely returns the unit of the dimension that an unknown name means: one in other letters, one
// without its end, or bits in other words. It is "" if no unit is likely.
func likely(d Dimension, name string) string {
	bits := strings.NewReplacer("bps", "bit/s", "Bps", "B/s", "b/s", "bit/s").Replace(name)
	for _, guess := range []string{bits, name + "/s", name + "iB", name + "B/s", name + "bit/s",
		strings.TrimSuffix(name, "ec"), strings.TrimSuffix(name, "/s")} {
		for _, u := range dimensions[d].units {
			if strings.EqualFold(u.name, guess) {
				return u.name
			}
		}
	}
	return ""
}

// decimal returns number · 10^exp, correctly rounded.
func decimal(number string, exp int) (float64, error) {
	mantissa, own, found := strings.Cut(strings.ToLower(number), "e")
	if found {
		n, err := strconv.Atoi(own)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", number)
		}
		exp += n
	}
	v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exp), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a finite number", number)
	}
	return v + 0, nil // without the sign of a zero
}

// Names returns the units of a dimension that [Parse] reads.
func Names(d Dimension) []string {
	var names []string
	for _, u := range dimensions[d].units {
		names = append(names, u.name)
	}
	return names
}

// written are the units that [Format] and [Exact] choose from, largest first.
var written = map[Dimension][]unit{
	Time: {{"s", 0, 1}, {"ms", -3, 1}, {"µs", -6, 1}, {"ns", -9, 1}},
	Size: {{"GiB", 0, 1 << 30}, {"MiB", 0, 1 << 20}, {"KiB", 0, 1 << 10}, {"B", 0, 1}},
	Rate: {{"TB/s", 12, 1}, {"GB/s", 9, 1}, {"MB/s", 6, 1}, {"kB/s", 3, 1}, {"B/s", 0, 1}},
}

// Format returns a quantity with at most digits significant digits, in the largest unit in which
// the rounded number is at least 1: 10 µs, 1 KiB. Sizes that are not whole in a larger unit are
// written in bytes.
func Format(d Dimension, v float64, digits int) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', digits, 64) }
	rounded, _ := strconv.ParseFloat(number(v), 64) // so that 999.9 ns are 1 µs
	units := written[d]
	for _, u := range units {
		size := math.Pow10(u.exp) * u.factor
		if rounded < size*(1-1e-12) || d == Size && math.Mod(v, size) != 0 {
			continue
		}
		return number(v/size) + " " + u.name
	}
	if d == Number || v == 0 {
		return strings.TrimSpace(number(v) + " " + dimensions[d].si)
	}
	last := units[len(units)-1]
	return number(v/(math.Pow10(last.exp)*last.factor)) + " " + last.name
}

var raised = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// PowerOfTwo formats 2 to the power of e, such as 2⁷.
func PowerOfTwo(e int) string { return "2" + raised.Replace(strconv.Itoa(e)) }

// Exact formats a finite quantity without a space so that [Parse] returns v itself: 4ms,
// 12.5GB/s. It uses only units that are powers of ten, since a shift of the decimal point
// loses no digits.
func Exact(d Dimension, v float64) string {
	if d == Number {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if math.Signbit(v) {
		return "-" + Exact(d, -v)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	exp, _ := strconv.Atoi(exponent)
	digits := strings.Replace(mantissa, ".", "", 1)
	unit := unit{name: dimensions[d].si}
	for _, u := range written[d] {
		if u.factor != 1 { // KiB
			continue
		}
		unit = u
		if digits == "0" || exp >= u.exp {
			break
		}
	}
	return decimals(digits, exp-unit.exp) + strings.Replace(unit.name, "µ", "u", 1)
}

// decimals returns d.ddd · 10^exp, with an exponent only if there would be many zeros.
func decimals(digits string, exp int) string {
	switch point := exp + 1; {
	case exp < -6 || exp > 20:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return digits + "e" + strconv.Itoa(exp)
	case point <= 0:
		return "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return digits + strings.Repeat("0", point-len(digits))
	default:
		return digits[:point] + "." + digits[point:]
	}
}
