package formats

import "slices"

// Some tools repeat a quantum: of fixed work, whose time they record, or of fixed time, whose work
// they record. The time that a quantum takes beyond its noise-free time is one detour. Its time
// within the quantum is not known; it starts with the quantum.

// fixedWork sets the run to the detours of quanta of the same work that took these
// times. The shortest of them is the time without noise.
func (r *run) fixedWork(s *source, times []float64) {
	least := slices.Min(times)
	if least <= 0 {
		s.fail("a quantum took no time at all; use one that takes many ticks of the clock")
		return
	}
	now := 0.0
	for _, t := range times {
		if t > least {
			r.add(s, now, t-least)
		}
		now += t
	}
	r.span = now
}

// A quantum of fixed time has its start and the work done in it.
type quantum struct{ start, work float64 }

// fixedTime sets the run to the detours of quanta of about the same time. Each lasts
// until the next begins; the last has no end, and is left out. It returns the time of
// one unit of work without noise, which is the resolution: the least of all quanta
// that are not much shorter than the others.
func (r *run) fixedTime(s *source, quanta []quantum) (unit float64) {
	n := len(quanta) - 1
	begin := quanta[0].start
	usual := (quanta[n].start - begin) / float64(n)
	for i, q := range quanta[:n] {
		t := quanta[i+1].start - q.start
		if q.work > 0 && t >= usual/2 && (unit == 0 || t/q.work < unit) {
			unit = t / q.work
		}
	}
	if unit <= 0 {
		s.fail("no work was done in any quantum; are the columns time and count?")
		return 0
	}
	for i, q := range quanta[:n] {
		if lost := quanta[i+1].start - q.start - q.work*unit; lost > unit {
			r.add(s, q.start-begin, lost)
		}
	}
	r.span = quanta[n].start - begin
	return unit
}
