package measured

import "strings"

// LogGOPSim replays noise from a file that Noise.hpp reads: comments with #, and
// "start<TAB>length" in nanoseconds, which may have digits after the point.

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
			r.closed = true
		}
	}
	r.close(s, m)
}
