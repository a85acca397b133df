package formats

import (
	"slices"
	"strings"
)

// bpftrace prints, for each map of hist() or lhist(), a histogram with bins of powers of two or of one
// width, where K is 1024 and M its square:
//
//	@usecs:
//	[0]                    2 |@                                                   |
//	[2, 4)               120 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//	[1K, 2K)               1 |                                                    |
//
// The unit is in the name of the map alone, as in runqlat.bt, whose times are for how long threads wait
// for a processor. A map that is printed again replaces the one before.

const (
	bpfMap  expression = `^@(\w*)(\[.*\])?: *$`
	bpfBin  expression = `^[\[(](-?\d+[KMGT]?|\.\.\.)(?:, *(\d+[KMGT]?|\.\.\.)\))?\]? +(\d+) +\|@* *\|$`
	bpfUnit expression = `(?i)(?:^|_)(n|u|µ|m)(?:s|secs?|seconds)(?:_|$)`
)

func readBpftrace(s *source, m *Measurement) {
	all, at := map[string]int{}, -1
	per := 0.0
	s.each(
		rule{bpfMap, func(s *source) {
			at, per = -1, 0
			unit := bpfUnit.regexp().FindStringSubmatch(s.fields[1])
			if unit == nil {
				s.otherwise("the name of the map %q does not say its unit; name it @usecs or @nsecs",
					printable(s.text, 40))
				s.refuse("a map without a unit in its name")
				return
			}
			per = inSecond[strings.ToLower(unit[1])+"s"]
			name := printable(strings.TrimSuffix(s.text, ":"), 60)
			var again bool
			if at, again = all[name]; !again {
				at = len(m.Histograms)
				all[name] = at
				m.Histograms = append(m.Histograms, Histogram{})
			}
			m.Histograms[at] = Histogram{Core: at, Column: name, Kind: Wakeups, Unit: 1 / per}
			s.record()
		}},
		rule{bpfBin, func(s *source) {
			if at < 0 {
				s.refuse(notARow)
				return
			}
			m.Histograms[at].addBpf(s, per)
		}},
	)
	m.Histograms = slices.DeleteFunc(m.Histograms, func(h Histogram) bool { return h.Samples == 0 })
}

// addBpf adds the bin of the current line. What is below 0 is no time, and what is beyond the last bin of
// lhist has no longest.
func (h *Histogram) addBpf(s *source, per float64) {
	n := s.count(3)
	from, why := bpfLength(s.fields[1], per)
	s.refuse(why)
	to := from + 1/per
	switch s.fields[2] {
	case "":
	case "...":
		if h.Over += n; s.ok() {
			h.Samples += n
		}
		return
	default:
		to, why = bpfLength(s.fields[2], per)
		s.refuse(why)
	}
	if k := len(h.Bins); k > 0 && from < h.Bins[k-1].To || to <= from {
		s.refuse(notARow)
	}
	if s.ok() && n > 0 {
		keep(s, &h.Bins, Bin{from, to, n})
		h.Samples += n
	}
}

// bpfLength returns a length [s] of a bin, as 2K.
func bpfLength(text string, per float64) (float64, string) {
	scale := 1.0
	if i := strings.IndexByte("KMGT", text[len(text)-1]); i >= 0 {
		for range i + 1 {
			scale *= 1024
		}
		text = text[:len(text)-1]
	}
	return seconds(text, per/scale)
}
