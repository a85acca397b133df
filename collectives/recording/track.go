package recording

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
