package recording

import "slices"

// A Part is some of a processor's work.
type Part struct {
	Kind    Kind
	Seconds float64
}

// Work is the moment at which a processor, which from another moment on has done so much
// work, is done with it. The parts add up to the work. It has a detour before the work that
// it delays, though it may be in the middle. All of it goes into a lane, unless that is
// nil, whose place is given; work that takes no time is no moment of its own.
func (l *Track) Work(place int, from *Moment, end, work float64, parts ...Part) *Moment {
	m := from
	then := func(k Kind, to float64) {
		if m.Track != place {
			m = m.Then(place, k, m.Time)
		}
		if l != nil {
			l.Add(k, m.Time, to)
		}
		m = m.Then(place, k, to)
	}
	if begin := end - work; Significant(begin-from.Time) > 0 || work == 0 && end > from.Time {
		then(Detour, begin)
	}
	parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Seconds == 0 })
	for i, p := range parts {
		to := end
		if i+1 < len(parts) {
			to = min(end, m.Time+p.Seconds)
		}
		then(p.Kind, to)
	}
	return m
}

// Significant is a loss, less what rounding may make of none.
func Significant(seconds float64) float64 {
	if seconds < 1e-12 {
		return 0
	}
	return seconds
}
