package noise

import (
	"slices"

	"jitterfly/internal/rng"
)

// SlowMessages is the noise of a network in which messages to nodes of some classes of a fleet take
// longer: 1/NetworkSpeed of the time in transit that they take without noise. The nodes are the
// same as for the fleet's detours. Only [Network.Delays] has it: the messages of [Network.Events]
// share links, and their time depends on others.
type SlowMessages struct {
	Network
	Fleet Fleet
	Place func(r int) int // the fleet's rank that a rank is; nil is the same
}

// SlowsMessages reports whether messages to nodes of a class take longer.
func (f Fleet) SlowsMessages() bool {
	return slices.ContainsFunc(f.Classes, func(c Class) bool {
		return c.networkSpeed() < 1 && !c.Drained && !c.empty()
	})
}

// Delays implements [Network].
func (s SlowMessages) Delays(ranks int) Delays {
	return &slowDelays{Delays: s.Network.Delays(ranks), nodes: s.Fleet.division(), place: s.Place}
}

type slowDelays struct {
	Delays
	nodes *fleetDetours
	place func(r int) int
	ranks int // of a trial
}

// Draw implements [Delays].
func (d *slowDelays) Draw(ranks int, trials ...rng.Key) {
	d.Delays.Draw(ranks, trials...)
	d.nodes.divide(ranks, trials)
	d.ranks = ranks
}

// DrawLater implements [LaterDelays]: the same nodes stay slow.
func (d *slowDelays) DrawLater(ranks int, trials ...rng.Key) { d.Delays.Draw(ranks, trials...) }

// Delay implements [Delays].
func (d *slowDelays) Delay(exchange, lo int, arrive []float64, m Message) {
	d.Delays.Delay(exchange, lo, arrive, m)
	for _, c := range d.nodes.others {
		longer := float64(m.Transit * (1/c.networkSpeed() - 1))
		if d.place != nil {
			d.delayPlaced(c.ranks, longer, lo, arrive)
			continue
		}
		from, _ := slices.BinarySearch(c.ranks, int32(lo))
		for _, r := range c.ranks[from:] {
			if longer == 0 || int(r) >= lo+len(arrive) {
				break
			}
			arrive[int(r)-lo] += longer
		}
	}
}

// delayPlaced delays messages to those of the ranks from lo that are of the given ranks of the fleet.
func (d *slowDelays) delayPlaced(of []int32, longer float64, lo int, arrive []float64) {
	for i := range arrive {
		first := (lo + i) / d.ranks * d.ranks // of the trial
		if _, slow := slices.BinarySearch(of, int32(first+d.place(lo+i-first))); slow {
			arrive[i] += longer
		}
	}
}

var (
	_ Network     = SlowMessages{}
	_ LaterDelays = (*slowDelays)(nil)
)
