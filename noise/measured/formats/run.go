package formats

import (
	"math"
	"slices"

	"jitterfly/noise"
)

// A run is the detours of one core.
type run struct {
	id   int
	span float64 // 0 if the tool does not say
	// overhead is the share of the time that the tool gives; negative if it does not.
	overhead float64
	detours  []noise.Detour
	// disorder counts the detours that came later than one after them.
	disorder int
}

func newRun(id int) run { return run{id: id, overhead: -1} }

// add adds a detour, or skips it if its length is 0 or out of range. The tool chooses
// the time of 0.
func (r *run) add(s *source, start, length float64) {
	switch {
	case length == 0:
		s.skip(zeroLength)
		return
	case !(math.Abs(start) <= maxTime && length <= MaxLength):
		s.skip(beyond)
		return
	}
	if n := len(r.detours); n > 0 && start < r.detours[n-1].Start {
		r.disorder++
	}
	keep(s, &r.detours, noise.Detour{Start: start, Length: length})
}

// restarts reports whether a detour at start belongs to another run: the time is
// earlier by more than lines in the wrong order explain.
func (r *run) restarts(start float64) bool {
	n := len(r.detours)
	if n == 0 {
		return false
	}
	from, last := r.detours[0].Start, r.detours[n-1].Start
	return start < last && start <= from+(last-from)/2
}

// empty reports whether the run has neither detours nor a span.
func (r *run) empty() bool { return len(r.detours) == 0 && r.span <= 0 }

// finish adds the run to the trace of the measurement as a core, if it is not empty, with the
// length [s] below which the tool sees nothing.
func (r *run) finish(s *source, m *Measurement, resolution float64) {
	if r.empty() {
		return
	}
	core, merged, err := noise.NewCore(r.id, r.span, r.detours)
	if err != nil {
		s.fail("%v; does the tool use these units?", err)
	}
	m.Trace.Cores = append(m.Trace.Cores, core)
	m.resolve(resolution)
	m.Merged += merged
	if r.disorder > 0 {
		s.note("%d detours of core %d were not in the order of their times", r.disorder, r.id)
	}
	// The tool gives a percentage with two digits after the point.
	if got := core.Overhead(); r.overhead >= 0 && math.Abs(got-r.overhead) > 0.00006+0.01*r.overhead {
		s.note("the tool gives an overhead of %.4g%%, the detours of core %d give %.4g%%",
			100*r.overhead, r.id, 100*got)
	}
}

// resolve raises the resolution of the trace to a run's resolution [s].
func (m *Measurement) resolve(seconds float64) {
	if seconds > m.Trace.Resolution && seconds < MaxLength {
		m.Trace.Resolution = seconds
	}
}

// Some tools repeat a quantum: of fixed work, whose time they record, or of fixed time, whose work
// they record. The time that a quantum takes beyond its noise-free time is one detour. Its time
// within the quantum is not known; it starts with the quantum.

// fixedWork adds a core with the detours of quanta of the same work that took these times, by a clock
// of a resolution [s]. The shortest of the times is the time without noise.
func fixedWork(s *source, m *Measurement, core int, times []float64, resolution float64) {
	if len(times) == 0 {
		return
	}
	least := slices.Min(times)
	if least <= 0 {
		s.fail("a quantum took no time at all; use one that takes many ticks of the clock")
	}
	r, now := newRun(core), 0.0
	for _, t := range times {
		if t > least {
			r.add(s, now, t-least)
		}
		now += t
	}
	r.span = now
	r.finish(s, m, resolution)
}

// A quantum of fixed time has its start and the work done in it.
type quantum struct{ start, work float64 }

// fixedTime adds a core with the detours of quanta of about the same time. Each lasts
// until the next begins; the last has no end, and is left out. The resolution is the time of
// one unit of work without noise: the least of all quanta that are not much shorter than the others.
func fixedTime(s *source, m *Measurement, core int, quanta []quantum) {
	n := len(quanta) - 1
	if n < 1 {
		return
	}
	r, unit, begin := newRun(core), 0.0, quanta[0].start
	usual := (quanta[n].start - begin) / float64(n)
	for i, q := range quanta[:n] {
		t := quanta[i+1].start - q.start
		if q.work > 0 && t >= usual/2 && (unit == 0 || t/q.work < unit) {
			unit = t / q.work
		}
	}
	if unit <= 0 {
		s.fail("no work was done in any quantum; are the columns time and count?")
	}
	for i, q := range quanta[:n] {
		if lost := quanta[i+1].start - q.start - q.work*unit; lost > unit {
			r.add(s, q.start-begin, lost)
		}
	}
	r.span = quanta[n].start - begin
	r.finish(s, m, unit)
}
