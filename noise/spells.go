package noise

import (
	"math"

	"jitterfly/internal/rng"
)

// Spells are times in which a node is slow, and all of its ranks with it. They last for exponential
// times, and so do the times between them. A trial begins at a random moment of both. A piece of
// work that begins in a spell is slow as a whole, and so is a message that leaves in one; others are
// not.
type Spells struct {
	Interval float64 // from the end of one to the beginning of the next, on average [s]
	Duration float64 // on average [s]
}

// share returns the share of time that spells take.
func (s Spells) share() float64 { return s.Duration / (s.Interval + s.Duration) }

// spelling is the spells of the nodes of trials.
type spelling struct {
	Spells
	keys  []rng.Key // of each trial
	size  int       // ranks of a trial
	ranks int       // of all trials
	node  int       // ranks of a node
	last  []spell   // of each node, the one that it was last asked about
}

// A spell, or a time between two of them, of a node.
type spell struct {
	since, until float64 // [s]
	number       int     // from 1; 0 is not drawn
	slow         bool
}

func (s *spelling) draw(size, node int, trials []rng.Key) {
	s.size, s.node, s.ranks = size, node, size*len(trials)
	if s.Spells == (Spells{}) {
		return
	}
	s.keys = derive(s.keys[:0], trials, spellChild)
	n := len(trials) * ((size-1)/node + 1)
	s.last = append(s.last[:0], make([]spell, n)...)
}

// at reports whether the node of a rank is in a spell at a time [s].
func (s *spelling) at(rank int, time float64) bool {
	trial := rank / s.size
	node := (rank - trial*s.size) / s.node
	at := &s.last[trial*((s.size-1)/s.node+1)+node]
	if at.number > 0 && at.since <= time && time < at.until {
		return at.slow
	}
	key := s.keys[trial].Derive(uint64(node))
	length := func(slow bool, number int) float64 {
		mean := s.Interval
		if slow {
			mean = s.Duration
		}
		return -mean * math.Log1p(-key.Uniform(number))
	}
	if at.number == 0 || time < at.since {
		slow := key.Uniform(0) < s.share()
		*at = spell{math.Inf(-1), length(slow, 1), 1, slow}
	}
	for time >= at.until {
		slow, number := !at.slow, at.number+1
		*at = spell{at.until, at.until + length(slow, number), number, slow}
	}
	return at.slow
}
