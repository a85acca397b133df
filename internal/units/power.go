package units

import (
	"strconv"
	"strings"
)

// PowerOfTwo formats 2 to the power of e, such as 2⁷.
func PowerOfTwo(e int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	b.WriteByte('2')
	for _, digit := range strconv.Itoa(e) {
		if digit == '-' {
			b.WriteRune('⁻')
			continue
		}
		b.WriteRune(raised[digit-'0'])
	}
	return b.String()
}
