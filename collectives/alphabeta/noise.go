package alphabeta

import (
	"jitterfly/noise"
)

// Detours delay the processors of one trial; [noise.Detours] documents them.
type Detours interface {
	Finish(lo int, t []float64, work float64)
}

// Delays delay the messages of one trial; [noise.Delays] documents them.
type Delays interface {
	Delay(exchange, lo int, arrive []float64, transit float64)
}

// Noise is what delays one trial, and what it can tell an executor.
type Noise struct {
	Detours Detours
	Delays  Delays

	listed  noise.SparseDetours  // nil if the detours cannot list whom they preempt
	gaps    noise.GapDetours     // nil if they know no gaps
	passing noise.PassingDetours // nil if they drop nothing
	delayed noise.SparseDelays   // nil if the delays cannot list what they delay
}

// NewNoise returns the noise, with the capabilities that its two parts have.
func NewNoise(detours Detours, delays Delays) *Noise {
	n := &Noise{Detours: detours, Delays: delays}
	n.listed, _ = detours.(noise.SparseDetours)
	n.gaps, _ = detours.(noise.GapDetours)
	n.passing, _ = detours.(noise.PassingDetours)
	n.delayed, _ = delays.(noise.SparseDelays)
	return n
}

// notListed says why it is not known what the noise touches, if it is not.
func (n *Noise) notListed() string {
	switch {
	case n.listed == nil:
		return "the detours cannot list whom they preempt"
	case n.delayed == nil:
		return "the network's noise delays every message"
	}
	return ""
}

// notBatched says why the noise cannot be that of several trials, if it cannot.
func (n *Noise) notBatched() string {
	if _, ok := n.Detours.(noise.Batch); !ok {
		return "the detours are drawn for one trial at a time"
	}
	if _, ok := n.Delays.(noise.Batch); !ok {
		return "the network's noise is drawn for one trial at a time"
	}
	return ""
}

// rare reports whether few messages of all rounds are delayed.
func (n *Noise) rare(plan *Plan) bool {
	for i := range plan.rounds {
		if !n.delayed.Rare(plan.rounds[i].transit) {
			return false
		}
	}
	return true
}

// sparse reports whether a trial of the plan can begin with the sparse executor.
func (n *Noise) sparse(plan *Plan) bool {
	return plan.notSparse == "" && n.listed != nil && n.delayed != nil && n.rare(plan)
}
