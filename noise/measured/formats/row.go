package formats

import (
	"regexp"
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
// and lines that their rule refuses.
func (s *source) each(rules ...rule) {
	expressions := make([]*regexp.Regexp, len(rules))
	for i, r := range rules {
		expressions[i] = r.regexp()
	}
	for s.scan() {
		s.why = notARow
		if s.text[0] == '#' {
			s.why = comment
		}
		for i, r := range rules {
			if r.expression == "" {
				if s.why == comment {
					continue
				}
				s.fields = strings.Fields(s.text)
			} else if s.fields = expressions[i].FindStringSubmatch(s.text); s.fields == nil {
				continue
			}
			s.why = ""
			r.read(s)
			break
		}
		if s.why != "" {
			s.skip(s.why)
		}
	}
}

// refuse says why the current line cannot be used. The first reason counts.
func (s *source) refuse(why string) {
	if s.why == "" {
		s.why = why
	}
}

// ignoring returns a rule's reader that refuses all lines for one reason.
func ignoring(why string) func(*source) { return func(s *source) { s.refuse(why) } }

// pass is a rule's reader of lines that have nothing to read.
func pass(*source) {}

func (s *source) ok() bool { return s.why == "" }

func (s *source) has(n int) bool {
	if len(s.fields) != n {
		s.refuse(notARow)
	}
	return s.ok()
}

// field returns the value of field i by one of the functions below. If the field is not a valid
// value, it refuses the line and returns 0.
func field[T int64 | float64](s *source, i int, parse func(field string) (T, string)) T {
	x, why := parse(s.fields[i])
	s.refuse(why)
	return x
}

func (s *source) value(i int) float64 { return field(s, i, value) }
func (s *source) count(i int) int64   { return field(s, i, count) }
func (s *source) size(i int) float64  { return float64(s.count(i)) }

// seconds returns the time [s] in field i, in units of which there are per in a second.
func (s *source) seconds(i int, per float64) float64 {
	return field(s, i, func(field string) (float64, string) { return seconds(field, per) })
}

// whole is seconds for whole numbers of units.
func (s *source) whole(i int, per float64) float64 {
	return field(s, i, func(field string) (float64, string) { return whole(field, per) })
}

// counts returns the counts in words. If one is not a count, it refuses the line.
func (s *source) counts(words []string) []int64 {
	all := make([]int64, len(words))
	for i, word := range words {
		var why string
		all[i], why = count(word)
		s.refuse(why)
	}
	return all
}
