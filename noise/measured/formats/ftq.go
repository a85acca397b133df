package formats

import (
	"cmp"
	"strings"
)

// FTQ counts how often it gets through a piece of work in each quantum of time.
// Since 2014 it writes one file: headers, then "ns count". Before, it wrote
// "ticks count", or both columns in files of their own, <name>_times.dat and
// <name>_counts.dat, without a header. Those two can be put together again:
//
//	(echo '# Ticks per ns: 2.4'; paste ftq_0_times.dat ftq_0_counts.dat) > ftq.txt
//
// A file that has the ticks but not the frequency, with which new files begin, is taken to have
// ticks in its first column.

type ftq struct {
	core   int
	ticks  float64 // per ns
	nano   bool    // the times are in ns
	quanta []quantum
}

func readFTQ(s *source, m *Measurement) {
	var r ftq
	s.each(
		rule{`^# Frequency`, func(s *source) {
			r.close(s, m)
			r.nano = true
		}},
		rule{`^[# ]*#[# ]*Ticks per ns *:(.*)$`, func(s *source) {
			text := strings.TrimSpace(s.fields[1])
			r.ticks = s.clock(text, "# Ticks per ns: 2.4")
			s.fact("ticks per ns", text)
		}},
		rule{`^[# ]*#[# ]*(model name|cpu MHz)\s*:(.*)$`, func(s *source) { s.fact(s.fields[1], s.fields[2]) }},
		rule{`^# thread \d+, core (\d+)`, func(s *source) { r.core = int(s.count(1)) }},
		rule{"", func(s *source) { r.row(s, m) }},
	)
	r.close(s, m)
}

// clock returns the frequency in a field. It fails if the field is not a frequency.
func (s *source) clock(field, example string) float64 {
	x, why := value(field)
	if why != "" || x == 0 || x > 1e6 {
		s.fail("%q is not a clock; write %s", printable(s.text, 60), example)
	}
	return x
}

func (r *ftq) row(s *source, m *Measurement) {
	s.has(2)
	per := perNano
	if !r.nano {
		per *= max(r.ticks, 1e-9)
	}
	start, work := s.value(0)/per, s.count(1)
	if n := len(r.quanta); n > 0 && start <= r.quanta[n-1].start {
		r.close(s, m)
	}
	keep(s, &r.quanta, quantum{start, float64(work)})
}

func (r *ftq) close(s *source, m *Measurement) {
	fixedTime(s, m, r.core, r.quanta)
	r.quanta = nil
}

// The fwq of LLNL notes how many cycles each quantum of fixed work took. fwq-th and fwq-mpi
// (LLNL/system-noise) begin with lines "Speed: thread 0, cycles …, seconds …, GHz 2.1" or "Speed
// Process 0 cycles … GHz 2.1", and put "Thread 0 running on CPUs 0" before the cycles of each, one
// a line. The older fwq writes the cycles alone, to which a line "GHz 2.4" must be added.

const (
	fwqSpeed expression = `(?i)^Speed:? +(?:thread|process) +(\d+),? .*GHz +([0-9.]+)`
	fwqGHz   expression = `(?i)\bGHz\b[ :=]*([0-9.]+)`
)

type fwq struct {
	speeds map[string]float64 // cycles in a second, by process
	speed  float64            // of the process that is being read
	core   int
	times  []float64
}

func readFWQ(s *source, m *Measurement) {
	r := fwq{speeds: map[string]float64{}}
	s.each(
		rule{`(?i)^(?:thread|process) +(\d+) running on CPUs +(\d*)`, func(s *source) {
			r.close(s, m)
			process, cpu := s.fields[1], s.fields[2] // it may be bound to none
			if speed, ok := r.speeds[process]; ok {
				r.speed = speed
			}
			if n, why := count(cmp.Or(cpu, process)); why == "" {
				r.core = int(n)
			}
		}},
		rule{fwqGHz, r.clock},
		rule{"", func(s *source) {
			s.fields[0] = s.text // there is one in a line
			keep(s, &r.times, float64(s.count(0))/r.speed)
			if r.speed == 0 {
				s.fail("cycles before the line with their clock; put the line with GHz at the top")
			}
		}},
	)
	r.close(s, m)
}

// clock sets the frequency of one process or of all.
func (r *fwq) clock(s *source) {
	r.speed = s.clock(s.fields[1], "GHz 2.4") * 1e9
	if of := fwqSpeed.regexp().FindStringSubmatch(s.text); of != nil {
		r.speeds[of[1]] = r.speed
		s.record()
	}
	s.fact("GHz", s.fields[1])
}

func (r *fwq) close(s *source, m *Measurement) {
	fixedWork(s, m, r.core, r.times, 1/r.speed)
	r.times = nil
}
