// Package recording represents what happened in one trial of a collective: what every rank
// did at each time, and the critical path. Every engine records into the same types.
//
// A trial is a graph of moments. Each [Moment] was caused by an earlier one, on the same
// rank or at the sender of a message, and an activity of one [Kind] took the time between
// them. The chain of causes from the last moment back to the start is the critical path,
// which [Recording.CriticalPath] returns. A [Track] lists the activities of one rank, or of
// a part of it such as a processor, for pictures.
package recording

import (
	"context"
	"slices"

	"jitterfly/internal/rng"
)

// A Recorder is a runner of an engine that can record a trial.
type Recorder interface {
	// Record simulates the trial that the key names up to a checkpoint, and returns what every
	// rank did, and when.
	Record(ctx context.Context, key rng.Key, checkpoint int) (*Recording, error)
}

// A Recording is what happened in one trial. Times are in seconds from the start.
type Recording struct {
	// Ranks is the number of ranks. Each has the same number of consecutive tracks.
	Ranks  int
	Tracks []Track
	// End is the last moment, at the completion time.
	End *Moment
	// Copies are the redundant copies from which ranks continued in the end.
	Copies []Message
	// Messages are, in rounds, the messages for which ranks waited, without redundant copies.
	Messages []Message
	// Polls is how often ranks polled their connections, and Reads how often they read from one.
	Polls, Reads int
}

// A Moment is a time at which an activity ended.
type Moment struct {
	// Track is the index of its track in the recording, or [Transit].
	Track int
	Time  float64
	// Cause is the moment at which the activity began, nil at the start, and Kind is the
	// kind of the activity.
	Cause *Moment
	Kind  Kind
}

// Transit is the Track of moments of messages in transit, which belong to no track.
const Transit = -1

// Then returns the moment at which an activity ends that began at m.
func (m *Moment) Then(track int, k Kind, at float64) *Moment {
	return &Moment{track, at, m, k}
}

// A Point is a time on a track, given by its index.
type Point struct {
	Track int
	Time  float64
}

// A Message is a message from one track to another.
type Message struct {
	From, To Point
	// Forwarded reports whether it was sent in place of a partial result, not as a redundant copy.
	Forwarded bool
}

// A Path leads from the beginning of a trial to its end.
type Path struct {
	// Points come in pairs. The two points of a pair are on one track. From a pair to the
	// next the path follows a message, or changes the track of a rank without taking time.
	Points []Point
	// Spent is the time [s] of each kind. The sum is the completion time.
	Spent [Kinds]float64
}

// CriticalPath returns the chain of causes of the completion time: the last moment, what it
// waited for, what that had waited for, and so on back to the start.
func (rec *Recording) CriticalPath() Path {
	var path Path
	var points []Point
	for m := rec.End; m != nil; m = m.Cause {
		if m.Cause != nil {
			path.Spent[m.Kind] += m.Time - m.Cause.Time
		}
		if m.Track != Transit {
			points = append(points, Point{m.Track, m.Time})
		}
	}
	slices.Reverse(points)
	for from := 0; from < len(points); {
		to := from
		for to+1 < len(points) && points[to+1].Track == points[from].Track {
			to++
		}
		path.Points = append(path.Points, points[from], points[to])
		from = to + 1
	}
	return path
}

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
