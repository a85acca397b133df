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
