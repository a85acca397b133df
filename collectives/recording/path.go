package recording

import "slices"

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
	// Forwarded reports whether it was sent in place of a partial result, not as a
	// redundant copy.
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
