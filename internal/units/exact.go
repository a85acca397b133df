package units

import (
	"math"
	"strconv"
	"strings"
)

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
