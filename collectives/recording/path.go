package recording

import "slices"

// A Moment is when something has got on.
type Moment struct {
	// Track is where, by its place in the recording, or [Transit].
	Track int
	Time  float64
	// Cause is the moment that it followed on, and Kind what took so long; at the
	// launch there is none.
	Cause *Moment
	Kind  Kind
}

// Transit is the lane of moments of messages that are under way.
const Transit = -1

// Then is a moment that follows on this one. The rounding of times makes none of
// no time at all.
func (m *Moment) Then(lane int, k Kind, at float64) *Moment {
	return &Moment{lane, at, m, k}
}

// A Point is a lane at a time.
type Point struct {
	Track int
	Time  float64
}

// A Message is one from a lane to another.
type Message struct{ From, To Point }

// A Path leads from the beginning of a trial to its end.
type Path struct {
	// Points come in pairs: between the two of a pair it is in one lane, and from a
	// pair to the next it is a message, or, at one time, goes on in another lane of
	// the same rank.
	Points []Point
	// Spent are the seconds of each kind. They add up to the completion.
	Spent [Kinds]float64
}

// CriticalPath is the way by which the collective took as long as it did: what the last
// rank waited for, what the sender of that had waited for, and so on.
func (rec *Recording) CriticalPath() Path {
	var w Path
	var seen []Point
	for m := rec.End; m != nil; m = m.Cause {
		if m.Cause != nil {
			w.Spent[m.Kind] += m.Time - m.Cause.Time
		}
		if m.Track != Transit {
			seen = append(seen, Point{m.Track, m.Time})
		}
	}
	slices.Reverse(seen)
	for from := 0; from < len(seen); {
		to := from
		for to+1 < len(seen) && seen[to+1].Track == seen[from].Track {
			to++
		}
		w.Points = append(w.Points, seen[from], seen[to])
		from = to + 1
	}
	return w
}
