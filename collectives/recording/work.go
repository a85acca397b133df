package recording

import "slices"

// A Part is a part of a processor's work.
type Part struct {
	Kind    Kind
	Seconds float64
}

// Work adds work [s] of a processor that began at from and ended at end, and returns the moment of
// its end, or from if it took no time. The parts of the work add up to it. A delay is added as one
// detour before the work, also where it came during the work. The index of the track is the index
// of the moments; a nil track adds no activities.
func (l *Track) Work(index int, from *Moment, end, work float64, parts ...Part) *Moment {
	m := from
	then := func(k Kind, to float64) {
		if m.Track != index {
			m = m.Then(index, k, m.Time)
		}
		if l != nil {
			l.Add(k, m.Time, to)
		}
		m = m.Then(index, k, to)
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

// Significant returns a duration, or 0 where it is so short that it may be a rounding error.
func Significant(seconds float64) float64 {
	if seconds < 1e-12 {
		return 0
	}
	return seconds
}
