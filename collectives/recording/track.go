package recording

// An Activity is what goes on in a lane from one time to another.
type Activity struct {
	Kind     Kind
	From, To float64
}

// A Track is what one thing does that belongs to a rank: activities in the order of
// time, of which no two overlap.
type Track struct {
	// Rank is the one it belongs to, Role what it is of that; a rank alone has none.
	Rank       int
	Role       string
	Activities []Activity
}

// Add adds an activity, if it takes any time.
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

// Cut ends all activities at a time.
func (l *Track) Cut(at float64) {
	for n := len(l.Activities) - 1; n >= 0 && l.Activities[n].From >= at; n-- {
		l.Activities = l.Activities[:n]
	}
	if n := len(l.Activities) - 1; n >= 0 {
		l.Activities[n].To = min(l.Activities[n].To, at)
	}
}

// End is when the last activity ends.
func (l *Track) End() float64 {
	if n := len(l.Activities); n > 0 {
		return l.Activities[n-1].To
	}
	return 0
}
