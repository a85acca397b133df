package noise

import (
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// A Fleet is OS jitter of nodes that differ. Every node belongs to one [Class], whose detours its
// ranks have; all classes but one can also be slower.
//
// The nodes of a class are drawn anew in each trial, for each node independently, so that at least
// one of N nodes belongs to a class of share p with probability 1 − (1 − p)^N; or nodes are named.
// If the share of a class grows, its nodes stay in it and others join.
//
// The first class that has a share and is not drained is the usual one. The nodes of drained
// classes belong to it.
type Fleet struct {
	Classes []Class
	Node    int // ranks of a node; 0 is 1
}

// A Class is what some nodes of a fleet have in common.
type Class struct {
	OS OS
	// Share is the probability that a node without a name in any class belongs to this one. Shares of
	// a fleet sum to 1.
	Share float64
	Nodes []Span // that are always of the class
	// Speed divides the time of all work of a node's processors: above 0 and at most 1; 0 is 1.
	Speed float64
	// NetworkSpeed divides the time in transit of messages to a node, in [SlowMessages]: above 0 and
	// at most 1; 0 is 1. The usual class has 1.
	NetworkSpeed float64
	// Spells, unless they are zero, are when the class has its speeds. Otherwise it always has.
	Spells  Spells
	Drained bool
}

// A Span is the nodes from First to Last, which are numbered from 0.
type Span struct{ First, Last int }

// speed returns the class's speed.
func (c *Class) speed() float64 { return orOne(c.Speed) }

func (c *Class) networkSpeed() float64 { return orOne(c.NetworkSpeed) }

func orOne(speed float64) float64 {
	if speed == 0 {
		return 1
	}
	return speed
}

// Slowness returns by how much more of its time work, or a message, takes at most because nodes are
// slow.
func Slowness(os OS) float64 {
	most := 0.0
	if f, ok := os.(Fleet); ok {
		for _, c := range f.Classes {
			most = max(most, 1/min(c.speed(), c.networkSpeed())-1)
		}
	}
	return most
}

// Overtakes reports whether work that begins later than other work of the same length on the same
// node can be done earlier, as it can when a spell ends between their beginnings.
func Overtakes(os OS) bool {
	f, ok := os.(Fleet)
	return ok && slices.ContainsFunc(f.Classes, func(c Class) bool { return c.Spells != (Spells{}) })
}

// usual returns the index of the usual class.
func (f *Fleet) usual() int {
	return max(0, slices.IndexFunc(f.Classes, func(c Class) bool { return c.Share > 0 && !c.Drained }))
}

// empty reports whether no node belongs to the class.
func (c *Class) empty() bool { return c.Share == 0 && len(c.Nodes) == 0 }

// Reduced returns the jitter without what makes no difference: classes that have no node, and the
// fleet itself if all nodes belong to one class that is not slower.
func (f Fleet) Reduced() OS {
	f.Classes = slices.DeleteFunc(slices.Clone(f.Classes), func(c Class) bool { return c.empty() })
	usual := f.usual()
	for i, c := range f.Classes {
		if i != usual && !c.Drained || i == usual && c.speed() < 1 {
			return f
		}
	}
	return f.Classes[usual].OS
}

// Hit implements [OS].
func (f Fleet) Hit() float64 {
	hit := 0.0
	for _, c := range f.Classes {
		hit = max(hit, c.OS.Hit())
	}
	return hit
}

// parts calls add for each class with the part of the ranks that belong to it on average.
func (f *Fleet) parts(ranks int, add func(c *Class, part float64)) {
	named, usual := 0.0, f.usual()
	for i := range f.Classes {
		named += f.Classes[i].named(ranks, f.Node)
	}
	for i := range f.Classes {
		c := &f.Classes[i]
		if c.Drained {
			c = &f.Classes[usual]
		}
		add(c, f.Classes[i].named(ranks, f.Node)+max(0, 1-named)*f.Classes[i].Share)
	}
}

// named returns the part of the ranks that are on nodes which the class names.
func (c *Class) named(ranks, node int) float64 {
	nodes, n := int(groups(ranks, node)), 0
	for _, s := range c.Nodes {
		n += max(0, min(s.Last+1, nodes)-s.First)
	}
	return float64(n) / float64(nodes)
}

// Tail implements [OS]. The delay of slower processors is not a detour: see [Slowness].
func (f Fleet) Tail(ranks int, span float64, pieces int, h float64) float64 {
	sum := 0.0
	f.parts(ranks, func(c *Class, part float64) { sum += part * c.OS.Tail(ranks, span, pieces, h) })
	return sum
}

// Underway implements [OS].
func (f Fleet) Underway(ranks int, h float64) float64 {
	sum := 0.0
	f.parts(ranks, func(c *Class, part float64) { sum += part * c.OS.Underway(ranks, h) })
	return sum
}

// Superpositions returns the superposed parts of jitter: for a fleet the parts of all classes.
func Superpositions(os OS) []Superposition {
	switch os := os.(type) {
	case Superposition:
		return []Superposition{os}
	case Bernoulli:
		return Superpositions(os.Other)
	case Fleet:
		var all []Superposition
		for _, c := range os.Classes {
			all = append(all, Superpositions(c.OS)...)
		}
		return all
	}
	return nil
}

// Detours implements [OS].
func (f Fleet) Detours(room []float64) Detours {
	d := f.division()
	d.base.detours = d.base.OS.Detours(room)
	for _, m := range d.others {
		if !m.Drained {
			m.detours = m.OS.Detours(make([]float64, len(room)))
		}
	}
	return d
}

// division returns the classes, for divide to find their members, without detours.
func (f Fleet) division() *fleetDetours {
	d := &fleetDetours{Fleet: f, nodes: max(1, f.Node)}
	usual := f.usual()
	for i := range f.Classes {
		c := &f.Classes[i]
		m := &members{Class: c, spells: spelling{Spells: c.Spells}}
		if i == usual {
			d.base = m
		} else {
			d.others = append(d.others, m)
		}
	}
	return d
}

// fleetDetours are the detours of each class. The usual class draws detours for all ranks, so that
// what happens on a node does not depend on others being of another class. The other classes draw
// them for their members alone, in the order of ranks: who is the n-th member of a class has its
// n-th detours.
type fleetDetours struct {
	Fleet
	nodes  int        // ranks of a node
	base   *members   // of the usual class, which has no list of them
	others []*members // of the other ones; drained classes have none
	keys   []rng.Key
	times  []float64 // of the members among the ranks of a pass [s]
	passed []float64
}

// members are the ranks of a class in the trials that are simulated, and their detours.
type members struct {
	*Class
	detours  Detours
	ranks    []int32 // in ascending order
	places   []int32 // of each in the detours
	from, to int     // which of them are among the ranks of a pass
	spells   spelling
	slow     []slow
}

// slow is one of the ranks of a pass that is in a spell.
type slow struct {
	i     int
	start float64
}

// fleetChild is the child of a trial's key whose numbers say which class each node belongs to, and
// whose children are the keys of classes beside the usual one.
const fleetChild = 0x666c6565

// Draw implements [Detours].
func (d *fleetDetours) Draw(ranks int, trials ...rng.Key) {
	d.divide(ranks, trials)
	d.base.draw(ranks, d.nodes, trials)
	d.drawOthers(ranks, trials, func(m *members, size int, keys []rng.Key) { m.draw(size, d.nodes, keys) })
}

// drawOthers calls draw for each other class that has members, with the ranks of a trial to draw for
// and the keys of the class.
func (d *fleetDetours) drawOthers(
	ranks int, trials []rng.Key, draw func(m *members, size int, keys []rng.Key),
) {
	for i, m := range d.others {
		if len(m.ranks) == 0 {
			continue
		}
		d.keys = d.keys[:0]
		for _, trial := range trials {
			d.keys = append(d.keys, trial.Derive(fleetChild).Derive(uint64(i)))
		}
		// A few sizes, so that little is arranged anew; and all ranks where several trials fit in a
		// block, so that each has the detours that it has alone.
		size := ranks
		if ranks > Block {
			size = min(ranks, ((len(m.ranks)-1)/Block+1)*Block)
		}
		draw(m, size, d.keys)
	}
}

// divide finds the members of classes in the trials.
func (d *fleetDetours) divide(ranks int, trials []rng.Key) {
	for _, m := range d.others {
		m.ranks, m.places = m.ranks[:0], m.places[:0]
	}
	for n, trial := range trials {
		d.assign(n, ranks, trial.Derive(fleetChild).Counter())
	}
}

func (m *members) draw(size, node int, trials []rng.Key) {
	m.detours.Draw(size, trials...)
	m.spells.draw(size, node, trials)
}

// assign finds the members of classes in the n-th trial.
func (d *fleetDetours) assign(n, ranks int, numbers rng.Counter) {
	shares := 0.0
	for _, m := range d.others {
		shares += m.Share
	}
	before := make([]int, len(d.others)) // members in earlier trials
	for i, m := range d.others {
		before[i] = len(m.ranks)
	}
	for node := range (ranks-1)/d.nodes + 1 {
		of, named := d.named(node)
		if u := rng.Unit(numbers.Word(node)); !named && u < shares {
			of = d.drawn(u)
		}
		if of < 0 || d.others[of].Drained {
			continue
		}
		m := d.others[of]
		for r := node * d.nodes; r < min(ranks, (node+1)*d.nodes); r++ {
			m.places = append(m.places, int32(n*ranks+len(m.ranks)-before[of]))
			m.ranks = append(m.ranks, int32(n*ranks+r))
		}
	}
}

// named returns which of the other classes names a node, −1 for the usual one, and whether any
// does.
func (d *fleetDetours) named(node int) (of int, named bool) {
	for i, m := range d.others {
		if m.names(node) {
			return i, true
		}
	}
	return -1, d.base.names(node)
}

// names reports whether a node is always of the class.
func (c *Class) names(node int) bool {
	return slices.ContainsFunc(c.Nodes, func(s Span) bool { return s.First <= node && node <= s.Last })
}

// drawn returns which of the other classes has a number below the sum of their shares.
func (d *fleetDetours) drawn(u float64) int {
	for i, m := range d.others {
		if u -= m.Share; u < 0 {
			return i
		}
	}
	return -1 // the sum is rounded
}

// Finish implements [Detours].
func (d *fleetDetours) Finish(lo int, t []float64, work float64) {
	d.FinishPiece(Piece{}, lo, t, work)
}

// FinishPiece implements [PieceDetours]. The usual class finishes the work of all ranks, and then
// the others the detours of their members, whose times are kept.
func (d *fleetDetours) FinishPiece(p Piece, lo int, t []float64, work float64) {
	d.times = d.times[:0]
	for _, m := range d.others {
		m.from, _ = slices.BinarySearch(m.ranks, int32(lo))
		m.to = m.from
		for ; m.to < len(m.ranks) && int(m.ranks[m.to]) < lo+len(t); m.to++ {
			d.times = append(d.times, t[int(m.ranks[m.to])-lo])
		}
	}
	if len(d.times) < len(t) {
		d.base.finish(p, lo, t, work)
	}
	at := 0
	for _, m := range d.others {
		for from := m.from; from < m.to; {
			to := m.run(from)
			times := d.times[at:][:to-from]
			m.finish(p, int(m.places[from]), times, work)
			for j, x := range times {
				t[int(m.ranks[from+j])-lo] = x
			}
			at, from = at+to-from, to
		}
	}
}

// run returns the end of the members from one on that have consecutive places of one block.
func (m *members) run(from int) int {
	first, to := int(m.places[from]), from+1
	for to < m.to && int(m.places[to]) == first+to-from && int(m.places[to])%Block != 0 {
		to++
	}
	return to
}

// finish is FinishPiece for members from a place on.
func (m *members) finish(p Piece, place int, t []float64, work float64) {
	speed := m.speed()
	if speed == 1 || work == 0 {
		Finish(m.detours, p, place, t, work)
		return
	}
	if m.Spells == (Spells{}) {
		Finish(m.detours, p, place, t, work/speed)
		return
	}
	m.slow = m.slow[:0]
	for i, start := range t {
		if m.inSpell(place+i, start) {
			m.slow = append(m.slow, slow{i, start})
		}
	}
	if len(m.slow) < len(t) {
		Finish(m.detours, p, place, t, work)
	}
	for _, s := range m.slow {
		t[s.i] = s.start
		Finish(m.detours, p, place+s.i, t[s.i:s.i+1], work/speed)
	}
}

// inSpell reports whether the member at a place is slower at a time [s].
func (m *members) inSpell(place int, time float64) bool {
	return m.Spells == (Spells{}) || m.spells.at(place, time)
}

// Pass implements [PassingDetours].
func (d *fleetDetours) Pass(t []float64) {
	if passing, ok := d.base.detours.(PassingDetours); ok {
		passing.Pass(t)
	}
	for _, m := range d.others {
		passing, ok := m.detours.(PassingDetours)
		if !ok || len(m.ranks) == 0 {
			continue
		}
		d.passed = append(d.passed[:0], t...)
		fill(d.passed, math.Inf(1)) // of places without a member
		for i, r := range m.ranks {
			d.passed[m.places[i]] = t[r]
		}
		passing.Pass(d.passed)
	}
}

// Preempted implements [SparseDetours]. All ranks of a class are among them that is slower, or
// whose detours cannot be listed.
func (d *fleetDetours) Preempted(upto float64, ranks []int) []int {
	places, all := d.base.preempted(upto, ranks)
	if ranks = places; all {
		for r := range d.base.spells.ranks {
			ranks = append(ranks, r)
		}
	}
	for _, m := range d.others {
		if len(m.ranks) == 0 {
			continue
		}
		places, all := m.preempted(upto, nil)
		for _, place := range places {
			if i, found := slices.BinarySearch(m.places, int32(place)); found {
				ranks = append(ranks, int(m.ranks[i]))
			}
		}
		for i := 0; all && i < len(m.ranks); i++ {
			ranks = append(ranks, int(m.ranks[i]))
		}
	}
	return ranks
}

// preempted appends the places that are preempted, or reports that all may be.
func (m *members) preempted(upto float64, places []int) (some []int, all bool) {
	listed, ok := m.detours.(SparseDetours)
	if !ok || m.speed() < 1 {
		return places, true
	}
	return listed.Preempted(upto, places), false
}

var (
	_ OS             = Fleet{}
	_ SparseDetours  = (*fleetDetours)(nil)
	_ PassingDetours = (*fleetDetours)(nil)
	_ PieceDetours   = (*fleetDetours)(nil)
)
