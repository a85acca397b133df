package noise

import (
	"iter"
	"slices"

	"jitterfly/internal/rng"
)

// SlowMessages is the noise of a network in which messages to nodes of some classes of a fleet take
// longer: 1/NetworkSpeed of the time in transit that they take without noise, if they leave in a spell.
// Nodes and spells are the same as for the fleet's detours. Only [Network.Delays]
// has it: the messages of [Network.Events]
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
	d.nodes.drawOthers(ranks, trials, func(m *members, size int, keys []rng.Key) {
		m.spells.draw(size, d.nodes.nodes, keys)
	})
	d.ranks = ranks
}

// DrawLater implements [LaterDelays]: the same nodes stay slow, in the same spells.
func (d *slowDelays) DrawLater(ranks int, trials ...rng.Key) { d.Delays.Draw(ranks, trials...) }

// DelayAt implements [TimedDelays].
func (d *slowDelays) DelayAt(lo int, leave, late []float64, post, transit float64) {
	for _, m := range d.nodes.others {
		longer := transit * (1/m.networkSpeed() - 1)
		if longer == 0 {
			continue
		}
		for k, i := range d.among(m.ranks, lo, len(late)) {
			if m.inSpell(int(m.places[k]), leave[i]+post) {
				late[i] += longer
			}
		}
	}
}

// among yields the indices in list of those ranks of the fleet that are among the n ranks from lo,
// and their places there.
func (d *slowDelays) among(list []int32, lo, n int) iter.Seq2[int, int] {
	return func(yield func(k, i int) bool) {
		if d.place == nil {
			k, _ := slices.BinarySearch(list, int32(lo))
			for k < len(list) && int(list[k]) < lo+n && yield(k, int(list[k])-lo) {
				k++
			}
			return
		}
		for i := range n {
			first := (lo + i) / d.ranks * d.ranks // of the trial
			k, found := slices.BinarySearch(list, int32(first+d.place(lo+i-first)))
			if found && !yield(k, i) {
				return
			}
		}
	}
}

var (
	_ Network     = SlowMessages{}
	_ TimedDelays = (*slowDelays)(nil)
	_ LaterDelays = (*slowDelays)(nil)
)
