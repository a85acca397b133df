package formats

import (
	"regexp"
	"strings"
)

// FTQ counts how often it gets through a piece of work in each quantum of time.
// Since 2014 it writes one file: headers, then "ns count". Before, it wrote
// "ticks count", or both columns in files of their own, <name>_times.dat and
// <name>_counts.dat, without a header. Those two can be put together again:
//
//	(echo '# Ticks per ns: 2.4'; paste ftq_0_times.dat ftq_0_counts.dat) > ftq.txt
//
// A file that tells the ticks but no frequency, which new files begin with, is
// taken to have ticks in its first column.

var ftqCore = regexp.MustCompile(`^# thread \d+, core (\d+)`)

// An ftq is the state of reading a run.
type ftq struct {
	core       int
	ticks      float64 // per ns
	nano, body bool    // the times are in ns; rows have been read
	quanta     []quantum
}

func readFTQ(s *source, m *Measurement) {
	var r ftq
	for s.scan() {
		switch line := s.text; {
		case line == "":
		case line[0] == '#':
			if r.body && strings.HasPrefix(line, "# Frequency") {
				r.close(s, m)
			}
			r.header(s, line)
		default:
			r.row(s, m, line)
		}
	}
	r.close(s, m)
}

func (r *ftq) header(s *source, line string) {
	name, text, _ := header(line)
	core := ftqCore.FindStringSubmatch(line)
	switch {
	case strings.HasPrefix(line, "# Frequency"):
		r.nano = true
	case name == "Ticks per ns":
		x, why := value(text)
		if why != "" || x == 0 || x > 1e6 {
			s.fail("%q is no clock; write # Ticks per ns: 2.4", printable(line, 60))
		}
		r.ticks = x
		s.fact("ticks per ns", text)
	case name == "model name", name == "cpu MHz":
		s.fact(name, text)
	case core != nil:
		if n, why := count(core[1]); why == "" {
			r.core = int(n)
		}
	default:
		s.skip(comment)
	}
}

func (r *ftq) row(s *source, m *Measurement, line string) {
	f := strings.Fields(line)
	if len(f) != 2 {
		s.skip(notARow)
		return
	}
	start, why := value(f[0])
	work, why2 := count(f[1])
	if why = first(why, why2); why != "" {
		s.skip(why)
		return
	}
	if r.nano {
		start /= perNano
	} else {
		start /= max(r.ticks, 1e-9) * perNano
	}
	if n := len(r.quanta); n > 0 && start <= r.quanta[n-1].start {
		r.close(s, m)
	}
	r.body = true
	r.quanta = append(r.quanta, quantum{start, float64(work)})
	s.record()
}

func (r *ftq) close(s *source, m *Measurement) {
	if len(r.quanta) > 1 && s.err == nil {
		c := newRun(r.core)
		unit := c.fixedTime(s, r.quanta)
		c.finish(s, m)
		m.resolve(unit)
	}
	r.quanta, r.body = nil, false
}

// matchesTicks reports whether the lines are one or two whole numbers and nothing else.
func matchesTicks(head []string) bool {
	f := strings.Fields(firstData(head))
	for _, word := range f {
		if _, why := count(word); why != "" && why != beyond {
			return false
		}
	}
	return len(f) == 1 || len(f) == 2
}

// readTicks fails: the unit of the numbers is not known.
func readTicks(s *source, _ *Measurement) {
	s.whole = true // enough to tell how many columns there are
	for s.scan() && (s.text == "" || s.text[0] == '#') {
		continue
	}
	if len(strings.Fields(s.text)) == 1 {
		s.fail(
			"one number a line, of unknown unit; if these are cycles of fwq, add a first line " +
				"such as GHz 2.4, and if they are times or counts of FTQ, join both with paste " +
				"under a line # Ticks per ns: 2.4")
		return
	}
	s.fail(
		"two numbers a line, of unknown unit; if these are of FTQ, add a first line such as # " +
			"Ticks per ns: 2.4, and if they are a trace of LogGOPSim, put a tab between them")
}
