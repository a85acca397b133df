package formats

import (
	"math"

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
	r.detours = append(r.detours, noise.Detour{Start: start, Length: length})
	s.record()
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
	if r.empty() || s.err != nil {
		return
	}
	core, merged, err := noise.NewCore(r.id, r.span, r.detours)
	if err != nil {
		s.fail("%v; does the tool use these units?", err)
		return
	}
	if m.Trace == nil {
		m.Trace = &noise.Trace{}
	}
	m.Trace.Cores = append(m.Trace.Cores, core)
	m.resolve(resolution)
	m.Merged += merged
	if r.disorder > 0 {
		s.note("%d detours of core %d were not in the order of their times", r.disorder, r.id)
	}
	r.check(s, core)
}

// check notes a difference between the overhead and the one that the tool gives, a
// percentage with two digits after the point.
func (r *run) check(s *source, core noise.Core) {
	if got := core.Overhead(); r.overhead >= 0 && math.Abs(got-r.overhead) > 0.00006+0.01*r.overhead {
		s.note("the tool gives an overhead of %.4g%%, the detours of core %d give %.4g%%",
			100*r.overhead, r.id, 100*got)
	}
}

// resolve raises the resolution of the trace to a run's resolution [s].
func (m *Measurement) resolve(seconds float64) {
	if m.Trace != nil && seconds > m.Trace.Resolution && seconds < MaxLength {
		m.Trace.Resolution = seconds
	}
}
