package recording

import "slices"

// An Activity is what a track does from one time to another.
type Activity struct {
	Kind     Kind
	From, To float64
}

// A Track is what a rank, or a part of one, does: activities in the order of time that do
// not overlap.
type Track struct {
	Rank int
	// Role names the part of the rank; it is empty for a rank with a single track.
	Role       string
	Activities []Activity
}

// Add appends an activity, or extends the last one if that has the same kind and ends at from. It
// does nothing if to is not after from.
func (l *Track) Add(k Kind, from, to float64) {
	if to <= from {
		return
	}
	if n := len(l.Activities) - 1; n >= 0 && l.Activities[n].Kind == k && l.Activities[n].To == from {
		l.Activities[n].To = to
		return
	}
	l.Activities = append(l.Activities, Activity{k, from, to})
}

// Cut removes what activities do after a time. It returns the activity under way at that time,
// without activities the zero value.
func (l *Track) Cut(at float64) (cut Activity) {
	for n := len(l.Activities) - 1; n >= 0 && l.Activities[n].From >= at; n-- {
		l.Activities = l.Activities[:n]
	}
	if n := len(l.Activities) - 1; n >= 0 {
		cut = l.Activities[n]
		l.Activities[n].To = min(cut.To, at)
	}
	return cut
}

// End returns when the last activity ends, 0 without activities.
func (l *Track) End() float64 {
	if n := len(l.Activities); n > 0 {
		return l.Activities[n-1].To
	}
	return 0
}

// A Kind is what an activity takes time for.
type Kind int8

// The kinds of activities. Waiting, Blocked, Saved, Latency, Flowing and Stalled occur only in
// tracks, Wire and Queueing only on the critical path.
const (
	Computing Kind = iota
	Sending        // a processor posts messages, or waits until they have left
	Receiving      // a processor receives one
	Polling        // a processor polls its connections
	Detour         // a detour preempts the processor
	Latency        // the first byte of a message is in transit
	Flowing        // a message arrives as fast as its links allow
	Sharing        // a message arrives slower, since others share its links
	Waiting        // a rank waits for a message
	Blocked        // a controller waits for its processor, or for the gap
	Stalled        // a controller waits for room in a buffer
	Delayed        // noise delays a message
	Saved          // work that a redundant copy made unnecessary
	Wire           // a message is in transit, without the time of Sharing and Delayed
	Queueing       // a message waits for the link or the gap
	Kinds          // the number of kinds
)

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
