package program

import (
	"strconv"
	"strings"
)

// plainName returns the qualified name of a C++ function without its arguments, where its mangled name
// has nothing but plain names (Itanium C++ ABI, section 5.1); other symbols it returns as they are.
func plainName(symbol string) string {
	rest, mangled := strings.CutPrefix(symbol, "_Z")
	rest, nested := strings.CutPrefix(rest, "N")
	if !mangled {
		return symbol
	}
	rest = strings.TrimPrefix(rest, "K")
	var names []string
	for len(names) == 0 || nested {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			break
		}
		names = append(names, rest[digits:digits+n])
		rest = rest[digits+n:]
	}
	if len(names) == 0 {
		return symbol
	}
	last := names[len(names)-1]
	switch {
	case !nested || strings.HasPrefix(rest, "E"):
	case strings.HasPrefix(rest, "C1E") || strings.HasPrefix(rest, "C2E"):
		names = append(names, last)
	case strings.HasPrefix(rest, "D1E") || strings.HasPrefix(rest, "D2E") || strings.HasPrefix(rest, "D0E"):
		names = append(names, "~"+last)
	default:
		return symbol
	}
	return strings.Join(names, "::")
}
