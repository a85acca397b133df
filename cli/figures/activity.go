package figures

import (
	"jitterfly/collectives"
)

// A kind is what a rank does for some time.
type kind int

const (
	computing kind = iota
	detour         // the system has taken the processor away
	waiting        // for a message
	held           // for a message that noise holds
	saved          // what a redundant copy has spared the rank
	kinds
)

func (k kind) String() string {
	return [...]string{"computing", "detour", "waiting", "waiting for a message that noise holds", "spared by a redundant copy"}[k]
}

// An activity is what a rank does from one time to another.
type activity struct {
	kind     kind
	from, to float64
}

// A message is one that is drawn.
type message struct{ from, to collectives.Point }

// activities are what each rank does in a trial, in the order of time, and of each the
// redundant copy that won in the end. A rank has a detour before the work that it delays, though it
// may be in the middle.
func activities(rec *collectives.Recording) (ranks [][]activity, copies []message) {
	ranks = make([][]activity, len(rec.Start))
	for r, start := range rec.Start {
		does := then(nil, detour, 0, start)
		var won []message
		for _, steps := range rec.Rounds {
			s := &steps[r]
			switch {
			case s.Spare && s.Won:
				does = cut(does, s.After)
				does = then(does, saved, s.After, s.Before)
				won = []message{{collectives.Point{Rank: s.From, Time: s.Sent}, collectives.Point{Rank: r, Time: s.Arrive}}}
			case !s.Spare:
				does = step(does, s)
			}
		}
		ranks[r] = does
		copies = append(copies, won...)
	}
	return ranks, copies
}

// step adds what a rank does in a step of the algorithm proper.
func step(does []activity, s *collectives.Step) []activity {
	ready := s.Before
	if s.Won {
		free := max(s.Before, s.Arrive-s.Held)
		does = then(does, waiting, s.Before, free)
		does = then(does, held, free, s.Arrive)
		ready = s.Arrive
	}
	if s.Lost > 0 {
		does = then(does, detour, ready, s.After-s.Work)
		ready = s.After - s.Work
	}
	if s.Work > 0 {
		does = then(does, computing, ready, s.After)
	}
	return does
}

// then adds an activity, if it takes any time.
func then(does []activity, k kind, from, to float64) []activity {
	if to <= from {
		return does
	}
	if n := len(does) - 1; n >= 0 && does[n].kind == k && does[n].to == from {
		does[n].to = to
		return does
	}
	return append(does, activity{k, from, to})
}

// cut ends the activities at a time.
func cut(does []activity, at float64) []activity {
	for len(does) > 0 && does[len(does)-1].from >= at {
		does = does[:len(does)-1]
	}
	if n := len(does) - 1; n >= 0 {
		does[n].to = min(does[n].to, at)
	}
	return does
}
