package formats

import (
	"math"
	"slices"

	"jitterfly/noise"
)

// LogGOPSim replays noise from a file that Noise.hpp reads: comments with #, and "start<TAB>length"
// in nanoseconds, which may have digits after the point. Many other files have two numbers a line
// with a tab between them. A trace has starts that ascend, and detours most of which end before the
// next begins; others are refused. So are times by the sizes of messages, all of which are powers
// of two, and the times and counts of FTQ, which paste joins with a tab.

// loggopsimRow matches two numbers with a tab between them.
const loggopsimRow expression = `^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)? *\t\s*` +
	`(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`

func readLogGOPSim(s *source, m *Measurement) {
	// The rows have the format of netgauge, from which these traces come.
	r := selfish{run: newRun(0), closed: true}
	s.each(rule{"", func(s *source) {
		r.row(s, m)
		if r.disorder > 0 || m.Trace.Cores != nil {
			s.fail("the detour begins before the one above it, and those of a LogGOPSim " +
				"trace ascend; is this another table of two columns, or are these runs " +
				"that were put together? Cut those here")
		}
	}})
	if s.err != nil {
		return
	}
	n := len(r.detours)
	switch {
	case n > 2 && !slices.ContainsFunc(r.detours, notSize):
		s.fail("the first column has powers of two only, as sizes of messages have; if the second has " +
			"their latencies in µs, put # Size Latency (us) before the rows")
		return
	case areQuanta(r.detours):
		s.fail("the rows are a quantum of time apart, and most values near the largest; if these are " +
			"times and counts of FTQ, add a first line such as # Ticks per ns: 2.4")
		return
	}
	if s.skipped[comment].Count == 0 {
		s.note("two columns without a header are taken for starts and lengths of detours in ns, as in a " +
			"trace of LogGOPSim")
	}
	r.close(s, m)
	if s.err == nil && 2*m.Merged >= n && n > 1 {
		s.fail("%d of %d detours begin before the one above them ends; is this another table "+
			"of two columns than a LogGOPSim trace, whose starts and lengths are in ns?",
			m.Merged, n)
	}
}

// notSize reports whether the start of a detour, in ns, is neither 0 nor a power of two.
func notSize(d noise.Detour) bool {
	fraction, _ := math.Frexp(math.Round(d.Start * perNano))
	return fraction != 0.5 && fraction != 0
}

// areQuanta reports whether detours are rather quanta of the same time with the work done in
// each: nearly all begin after the same time, and most are nearly as long as the longest.
func areQuanta(detours []noise.Detour) bool {
	n := len(detours)
	if n < 20 {
		return false
	}
	var gaps, lengths []float64
	for i, d := range detours {
		lengths = append(lengths, d.Length)
		if i > 0 {
			gaps = append(gaps, d.Start-detours[i-1].Start)
		}
	}
	slices.Sort(gaps)
	slices.Sort(lengths)
	least, most := lengths[0], lengths[n-1]
	return gaps[n*19/20-1]-gaps[n/20] <= 0.01*gaps[n/2-1] && most > least &&
		lengths[n/2]-least > 0.9*(most-least)
}
