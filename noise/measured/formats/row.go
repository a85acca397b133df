package formats

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// An expression is a regular expression, which is compiled when it is first used: a file needs those of
// few formats.
type expression string

var compiled sync.Map // by expression

func (e expression) regexp() *regexp.Regexp {
	if known, ok := compiled.Load(e); ok {
		return known.(*regexp.Regexp)
	}
	r := regexp.MustCompile(string(e))
	compiled.Store(e, r)
	return r
}

// A rule reads the lines that match its expression. The fields of a line are then the submatches
// of the expression, the whole line first. Without an expression, "", it reads all lines that are not
// comments, and their fields are their words.
type rule struct {
	expression
	read func(*source)
}

// each reads all lines, each by the first rule that it matches. It skips lines that match no rule,
// and lines that are refused.
func (s *source) each(rules ...rule) {
	expressions := make([]*regexp.Regexp, len(rules))
	for i, r := range rules {
		expressions[i] = r.regexp()
	}
	for s.scan() {
		why := notARow
		if s.text[0] == '#' {
			why = comment
		}
		for i, r := range rules {
			switch {
			case r.expression != "":
				s.fields = expressions[i].FindStringSubmatch(s.text)
			case why == comment:
				continue
			default:
				s.fields = strings.Fields(s.text)
			}
			if s.fields != nil {
				why = refused(func() { r.read(s) })
				break
			}
		}
		s.skip(why)
	}
}

// A refusal is why a line cannot be used, and a failure is why a file cannot. The functions that read
// panic with them.
type (
	refusal string
	failure struct{ error }
)

// caught calls a function, and returns what it panics with if that is a P.
func caught[P any](read func()) (caught P) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case P:
			caught = p
		default:
			panic(p)
		}
	}()
	read()
	return caught
}

// refused calls a function that reads a line, and returns why the line was refused, "" if it was not.
func refused(read func()) string { return string(caught[refusal](read)) }

// failed calls a function that reads a file, and returns the error if that fails.
func failed(read func()) error { return caught[failure](read).error }

// refuse ends the reading of the current line if there is a reason why it cannot be used.
func refuse(why string) {
	if why != "" {
		panic(refusal(why))
	}
}

// must returns a value, or refuses the line if there is a reason why the value is not valid.
func must[T any](x T, why string) T {
	refuse(why)
	return x
}

// ignoring returns a rule's reader that refuses all lines for one reason.
func ignoring(why string) func(*source) { return func(*source) { refuse(why) } }

// pass is a rule's reader of lines that have nothing to read.
func pass(*source) {}

// The following refuse the current line if it does not have what they return.

func (s *source) has(fields int) {
	if len(s.fields) != fields {
		refuse(notARow)
	}
}

func (s *source) value(i int) float64 { return must(value(s.fields[i])) }
func (s *source) count(i int) int64   { return must(count(s.fields[i])) }
func (s *source) size(i int) float64  { return float64(s.count(i)) }

// seconds returns the time [s] in field i, in units of which there are per in a second.
func (s *source) seconds(i int, per float64) float64 { return must(seconds(s.fields[i], per)) }

// repetition returns the time [s] of a message in field i, which is in µs, times halve.
func (s *source) repetition(i int, halve float64) float64 {
	t := halve * s.seconds(i, perMicro)
	refuse(checkTrip(t))
	return t
}

// whole is seconds for whole numbers of units.
func (s *source) whole(i int, per float64) float64 {
	s.count(i)
	return s.seconds(i, per)
}

// counts returns the counts in words.
func counts(words []string) []int64 {
	all := make([]int64, len(words))
	for i, word := range words {
		all[i] = must(count(word))
	}
	return all
}

// Reasons for which lines and values are skipped.
const (
	comment      = "a comment"
	notARow      = "not a row of the table"
	notANumber   = "a value that is not a number"
	withComma    = "a number with a comma; write 3.14 for 3,14, and 1024 for 1,024"
	negative     = "a negative value"
	beyond       = "a value beyond any measurement"
	zeroLength   = "a length of zero"
	zeroTime     = "a time of zero"
	otherEvent   = "an event of another kind"
	anotherTable = "a row of another table"
	invalid      = "a size whose results were wrong"
	sums         = "a sum over columns that are here"
)

// Divisors of the values of tools: x / perMicro is x microseconds, rounded once.
const (
	perMicro = 1e6
	perNano  = 1e9
)

// inSecond are the units of times in a second, by the names that tools give them.
var inSecond = map[string]float64{"nanoseconds": perNano, "ns": perNano, "microseconds": perMicro,
	"us": perMicro, "µs": perMicro, "ms": 1e3, "s": 1, "seconds": 1, "m": 1. / 60, "h": 1. / 3600,
	"d": 1. / 86400, "w": 1. / 604800}

// Limits of a length and of a time in seconds, and of a count: the sum of as many counts
// as there can be records fits into an int64.
const (
	MaxLength = 1e6
	maxTime   = 1e9
	MaxCount  = 1e12
)

// Limits of the time [s] of a message or a collective: the least is below the resolution of any clock,
// and the most is an hour.
const (
	LeastTrip = 1e-12
	maxTrip   = 3600
)

// checkTrip returns why no message or collective takes this time [s], "" if one may.
func checkTrip(t float64) string {
	switch {
	case t < LeastTrip:
		return zeroTime
	case t > maxTrip:
		return beyond
	}
	return ""
}

// value returns the value of a field, finite and not negative, or the reason why it is not valid.
func value(field string) (float64, string) {
	x, err := strconv.ParseFloat(field, 64)
	switch {
	case err != nil && commas.regexp().MatchString(field):
		return 0, withComma
	case math.IsNaN(x), math.IsInf(x, 0), err != nil:
		return 0, notANumber
	case x < 0:
		return 0, negative
	}
	return x, ""
}

// seconds returns the time in a field, in units of which there are per in a second, or the reason
// why it is not a valid time.
func seconds(field string, per float64) (float64, string) {
	x, why := value(field)
	if why == "" && x/per > MaxLength {
		return 0, beyond
	}
	return x / per, why
}

// count returns the count in a field, or the reason why the field is not a count.
func count(field string) (int64, string) {
	n, err := strconv.ParseInt(field, 10, 64)
	switch {
	case err != nil && commas.regexp().MatchString(field):
		return 0, withComma
	case err != nil:
		return 0, notANumber
	case n < 0:
		return 0, negative
	case n > MaxCount:
		return 0, beyond
	}
	return n, ""
}

const commas expression = `^-?\d+(?:,\d+)+(?:\.\d*)?$`

// percent returns the share of a percentage, as precise as tools write it.
func percent(x float64) float64 { return math.Round(x*1e7) / 1e9 }

// hostHeader is a header of netgauge or IMB that says what the host is.
const hostHeader expression = `^[# ]*(Sysname|Nodename|Release|Version|Machine|System|Date|MPI Version)` +
	` *:(.*)$`

// readHost keeps what a hostHeader says.
func readHost(s *source) { s.fact(strings.ToLower(s.fields[1]), s.fields[2]) }

// anyLine matches every line, comments too.
const anyLine expression = `^`

// An epoch converts times of a clock, seconds and nanoseconds, to seconds since the
// second of the first of them. The difference is exact.
type epoch struct {
	base int64
	set  bool
}

// since returns the seconds since the epoch, which may be negative, of a time of whole seconds
// and nanoseconds. It refuses the line if they are not a time.
func (e *epoch) since(sec, nsec string) float64 {
	a, b := must(count(sec)), must(count(nsec))
	if !e.set {
		e.base, e.set = a, true
	}
	if a -= e.base; b >= perNano || a > maxTime || a < -maxTime {
		refuse(beyond)
	}
	return float64(a*perNano+b) / perNano
}
