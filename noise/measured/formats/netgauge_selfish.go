package formats

import (
	"strconv"
	"strings"
)

// Netgauge's selfish benchmark reads a clock in a loop and records each turn that takes longer than
// a threshold. Its file is written by write_results_selfish in ptrn_noise.c: headers, then "start
// ns<TAB>length ns", then the overhead and the period. The shortest turn is already taken off the
// lengths. Where files were put together, the time begins again at each header.

// selfish is a run and what its headers say.
type selfish struct {
	run
	turn, threshold float64 // ns, percent
	closed          bool
}

func readSelfish(s *source, m *Measurement) {
	r := selfish{run: newRun(0)}
	s.each(
		rule{"", func(s *source) {
			if strings.Contains(s.text, ":") {
				r.header(s)
			} else {
				r.row(s, m)
			}
		}},
		rule{`^# (?:Benchmark Method:|Selfish Benchmark)`, func(s *source) {
			if !r.empty() {
				r.close(s, m)
			}
		}},
		rule{anyLine, r.header},
	)
	r.close(s, m)
}

func (r *selfish) row(s *source, m *Measurement) {
	if !s.has(2) {
		return
	}
	if start, length := s.seconds(0, perNano), s.seconds(1, perNano); s.ok() {
		if r.restarts(start) {
			r.close(s, m)
		}
		r.add(s, start, length)
	}
}

const selfishHeader expression = `(Minimal cycle length \[ns\]|Threshold: \[% minimal cycle length\]|` +
	`CPU overhead due to noise|Measurement period):\s*(\S+)`

// header reads a line that is not a row. Standard output has some without the #.
func (r *selfish) header(s *source) {
	if s.fields = hostHeader.regexp().FindStringSubmatch(s.text); s.fields != nil {
		readHost(s)
		return
	}
	x, name, why := 0.0, "", notANumber
	if f := selfishHeader.regexp().FindStringSubmatch(s.text); f != nil {
		name = f[1]
		x, why = value(strings.TrimSuffix(f[2], "%"))
	}
	switch {
	case why != "" && s.text[0] == '#':
		s.refuse(comment)
	case why != "":
		s.refuse(notARow)
	case name == "CPU overhead due to noise":
		r.overhead, r.closed = x/100, true
		s.onlySum(strconv.FormatFloat(x, 'g', 4, 64))
	case name == "Measurement period":
		r.period(x)
	case name == "Minimal cycle length [ns]":
		r.turn = x
	default:
		r.threshold = x
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

func (r *selfish) close(s *source, m *Measurement) {
	if !r.empty() && !r.closed {
		s.note("a run ends without its overhead before line %d; the file may be cut off", s.line+1)
	}
	r.finish(s, m, r.turn*(r.threshold/100-1)/perNano)
	*r = selfish{run: newRun(r.id), turn: r.turn, threshold: r.threshold}
}
