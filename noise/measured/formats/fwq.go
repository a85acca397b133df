package formats

import "cmp"

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
			c := s.count(0)
			if !s.ok() {
				return
			}
			if r.speed == 0 {
				s.fail("cycles before the line with their clock; put the line with GHz at the top")
			}
			keep(s, &r.times, float64(c)/r.speed)
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
	if len(r.times) > 0 && s.err == nil {
		c := newRun(r.core)
		c.fixedWork(s, r.times)
		c.finish(s, m, 1/r.speed)
	}
	r.times = nil
}
