package measured

import (
	"math"
	"slices"
	"strings"

	"jitterfly/noise/trace"
)

// LogGOPSim replays noise from a file that Noise.hpp reads: comments with #, and
// "start<TAB>length" in nanoseconds, which may have digits after the point. Many other
// files have two numbers a line with a tab between them. A trace has starts that
// ascend, and detours most of which end before the next begins; others are refused. So are
// times by the sizes of messages, all of which are powers of two.

func matchesLogGOPSim(head []string) bool {
	start, length, tab := strings.Cut(firstData(head), "\t")
	_, why := value(strings.TrimSpace(start))
	_, why2 := value(strings.TrimSpace(length))
	return tab && first(why, why2) == ""
}

func readLogGOPSim(s *source, m *Measurement) {
	// The rows are those of netgauge, from which these traces come.
	r := selfish{run: newRun(0), closed: true}
	for s.scan() {
		switch line := s.text; {
		case line == "":
		case line[0] == '#':
			s.skip(comment)
		default:
			r.row(s, m, line)
			if r.disorder > 0 || m.Trace != nil {
				s.fail("the detour begins before the one above it, and those of a LogGOPSim " +
					"trace ascend; is this another table of two columns, or are these runs " +
					"that were put together? Cut those here")
				return
			}
			r.closed = true
		}
	}
	n := len(r.detours)
	if n > 2 && !slices.ContainsFunc(r.detours, func(d trace.Detour) bool { return !isSize(d.Start) }) {
		s.fail("the first column has powers of two only, as sizes of messages have; if the second has " +
			"their latencies in µs, put # Size Latency (us) before the rows")
		return
	}
	r.close(s, m)
	if s.err == nil && 2*int(m.Merged) >= n && n > 1 {
		s.fail("%d of %d detours begin before the one above them ends; is this another table "+
			"of two columns than a LogGOPSim trace, whose starts and lengths are in ns?",
			m.Merged, n)
	}
}

// isSize reports whether a time, in ns, is 0 or a power of two.
func isSize(start float64) bool {
	fraction, _ := math.Frexp(math.Round(start * perNano))
	return fraction == 0.5 || fraction == 0
}
