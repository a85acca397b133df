package measured

// Some tools do not watch for detours but repeat a quantum: one of fixed work,
// whose time they note, or one of fixed time, whose work they note. What a
// quantum takes longer than its work needs without noise is then one detour. When
// in the quantum it was is not known: it is put at its beginning.

// fixedWork makes a run of quanta of the same work that took these times. Work
// without noise takes the shortest of them.
func (r *run) fixedWork(s *source, times []float64) {
	if len(times) == 0 {
		return
	}
	least := times[0]
	for _, t := range times {
		least = min(least, t)
	}
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

// A quantum of fixed time began at a time, and got some work done.
type quantum struct{ start, work float64 }

// fixedTime makes a run of quanta of about the same time. Each lasts until the
// next begins; the last has no end, and is left out. It returns the time that one
// unit of work takes without noise, the least of all quanta that are not much
// shorter than the others. Less than that is not seen.
func (r *run) fixedTime(s *source, quanta []quantum) (unit float64) {
	n := len(quanta) - 1
	if n < 1 {
		return 0
	}
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
