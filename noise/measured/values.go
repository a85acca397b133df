package measured

import (
	"math"
	"strconv"
	"strings"
)

// Why lines and values are skipped.
const (
	comment      = "a comment"
	notARow      = "not a row of the table"
	notANumber   = "a value that is not a number"
	negative     = "a negative value"
	beyond       = "a value beyond any measurement"
	zeroLength   = "a length of zero"
	otherEvent   = "an event of another kind"
	anotherTable = "a row of another table"
	sums         = "a sum over columns that are here"
)

// Divisors of what tools write: x / perMicro is x microseconds, rounded once.
const (
	perMicro = 1e6
	perNano  = 1e9
)

// The longest length and the latest time in seconds that are believed, and the
// largest count, of which all records together fit into an int64.
const (
	maxLength = 1e6
	maxTime   = 1e9
	maxCount  = 1e12
)

// value reads a finite value that is not negative. The second result says why
// there is none.
func value(field string) (float64, string) {
	x, err := strconv.ParseFloat(field, 64)
	switch {
	case math.IsNaN(x), math.IsInf(x, 0), err != nil:
		return 0, notANumber
	case x < 0:
		return 0, negative
	}
	return x, ""
}

// seconds reads a time of which there are per in a second.
func seconds(field string, per float64) (float64, string) {
	x, why := value(field)
	if why == "" && x/per > maxLength {
		return 0, beyond
	}
	return x / per, why
}

// whole reads a time in whole units of which there are per in a second.
func whole(field string, per float64) (float64, string) {
	n, why := count(field)
	if why == "" && float64(n)/per > maxLength {
		return 0, beyond
	}
	return float64(n) / per, why
}

// count reads how often something happened.
func count(field string) (int64, string) {
	n, err := strconv.ParseInt(field, 10, 64)
	switch {
	case err != nil:
		return 0, notANumber
	case n < 0:
		return 0, negative
	case n > maxCount:
		return 0, beyond
	}
	return n, ""
}

// size reads a number of bytes.
func size(field string) (float64, string) {
	n, why := count(field)
	return float64(n), why
}

// first returns the first reason that is one.
func first(reasons ...string) string {
	for _, why := range reasons {
		if why != "" {
			return why
		}
	}
	return ""
}

// after returns the first word that follows a label in a line.
func after(line, label string) (string, bool) {
	_, rest, ok := strings.Cut(line, label)
	if words := strings.Fields(rest); ok && len(words) > 0 {
		return words[0], true
	}
	return "", false
}

// header splits a comment of the form "# name : value".
func header(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(strings.TrimLeft(line, "# "), ":")
	return strings.TrimSpace(name), strings.TrimSpace(value), ok
}

// hostFact keeps what netgauge and IMB tell of the host, and returns whether the
// line is one of that.
func (s *source) hostFact(line string) bool {
	name, value, ok := header(line)
	if !ok {
		return false
	}
	switch name {
	case "Sysname", "Nodename", "Release", "Version", "Machine", "System", "Date", "MPI Version":
		s.fact(strings.ToLower(name), value)
		return true
	}
	return false
}

// An epoch turns times of a clock, seconds and nanoseconds, into seconds since
// the first of them. Their difference is exact, however late the clock.
type epoch struct {
	base int64
	set  bool
}

// since may be negative.
func (e *epoch) since(sec, nsec string) (float64, string) {
	a, why := count(sec)
	b, why2 := count(nsec)
	if why = first(why, why2); why != "" {
		return 0, why
	}
	if !e.set {
		e.base, e.set = a, true
	}
	if a -= e.base; b >= perNano || a > maxTime || a < -maxTime {
		return 0, beyond
	}
	return float64(a*perNano+b) / perNano, ""
}
