package formats

import (
	"strconv"
	"strings"
)

// Netgauge's selfish benchmark reads a clock in a loop and records each turn
// that takes longer than a threshold. Its file is that of write_results_selfish
// in ptrn_noise.c: headers, then "start ns<TAB>length ns", then the overhead and
// the period. The shortest turn is already taken off the lengths. Where files
// were put together, the time begins again at each header.

// selfish is a run and what its headers say.
type selfish struct {
	run
	turn, threshold float64 // ns, percent
	closed          bool
}

func readSelfish(s *source, m *Measurement) {
	r := selfish{run: newRun(0)}
	for s.scan() {
		line := s.text
		switch {
		case line == "":
		case strings.ContainsAny(line, "#:"):
			r.header(s, m, line)
		default:
			r.row(s, m, line)
		}
	}
	if m.Trace == nil && r.empty() && r.told >= 0 {
		s.failSums(strconv.FormatFloat(100*r.told, 'g', 4, 64))
	}
	r.close(s, m)
}

// row adds a detour.
func (r *selfish) row(s *source, m *Measurement, line string) {
	f := strings.Fields(line)
	if len(f) != 2 {
		s.skip(notARow)
		return
	}
	start, why := seconds(f[0], perNano)
	length, why2 := seconds(f[1], perNano)
	if why = first(why, why2); why != "" {
		s.skip(why)
		return
	}
	if r.restarts(start) {
		r.close(s, m)
	}
	r.add(s, start, length)
}

// header reads a line that is not a row. Standard output has some without the #.
func (r *selfish) header(s *source, m *Measurement, line string) {
	number := func(label string) (float64, bool) {
		word, ok := after(line, label)
		x, why := value(strings.TrimSuffix(word, "%"))
		return x, ok && why == ""
	}
	switch {
	case strings.HasPrefix(line, "# Benchmark Method:"), strings.HasPrefix(line, "# Selfish Benchmark"):
		if !r.empty() {
			r.close(s, m)
		}
	case s.hostFact(line):
	default:
		if x, ok := number("Minimal cycle length [ns]:"); ok {
			r.turn = x
		} else if x, ok := number("Threshold: [% minimal cycle length]:"); ok {
			r.threshold = x
		} else if x, ok := number("CPU overhead due to noise:"); ok {
			r.told, r.closed = x/100, true
		} else if x, ok := number("Measurement period:"); ok {
			r.period(x)
		} else if line[0] == '#' {
			s.skip(comment)
		} else {
			s.skip(notARow)
		}
	}
}

// period sets the span to the time that the tool gives, to a hundredth of a second. The
// end of the last detour is more precise, unless that was skipped.
func (r *selfish) period(x float64) {
	end := 0.0
	if n := len(r.detours); n > 0 {
		end = r.detours[n-1].End()
	}
	if x > end+0.005 && x <= maxTime {
		r.span = x
	}
}

// close finishes a run and begins the next.
func (r *selfish) close(s *source, m *Measurement) {
	if !r.empty() && !r.closed {
		s.note("a run ends without its overhead before line %d; the file may be cut off", s.line+1)
	}
	r.finish(s, m)
	m.resolve(r.turn * (r.threshold/100 - 1) / perNano)
	*r = selfish{run: newRun(r.id), turn: r.turn, threshold: r.threshold}
}
