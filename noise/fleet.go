package noise

import (
	"cmp"
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// A Fleet is OS jitter of nodes that differ. Every node belongs to one [Class], and its ranks have
// the detours of the class. A class can also be slower.
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

// A Class has the detours and the speed that some nodes of a fleet have in common.
type Class struct {
	Name string // "" if it has none
	// OS is the jitter of the class's nodes. Profiles have components in its place.
	OS OS
	// Share is the probability that a node without a name in any class belongs to this one. Shares of
	// a fleet sum to 1.
	Share float64
	Nodes []Span // that are always of the class
	// Speed divides the time of all work of a node's processors: above 0 and at most 1; 0 is 1.
	Speed   float64
	Drained bool
}

// A Span is the nodes from First to Last, which are numbered from 0.
type Span struct{ First, Last int }

// Slower reports whether work takes longer on the class's nodes.
func (c *Class) Slower() bool { return c.speed() < 1 }

// speed returns the class's speed.
func (c *Class) speed() float64 { return cmp.Or(c.Speed, 1) }

// Slowness implements [OS].
func (f Fleet) Slowness() float64 { return f.most(func(c *Class) float64 { return 1/c.speed() - 1 }) }

// most returns the largest number of a class.
func (f Fleet) most(of func(c *Class) float64) (most float64) {
	for i := range f.Classes {
		most = max(most, of(&f.Classes[i]))
	}
	return most
}

// Grouped implements [OS].
func (f Fleet) Grouped(ranks int) bool {
	return grouped(f.Node, ranks) || slices.ContainsFunc(f.Classes,
		func(c Class) bool { return len(c.Nodes) > 0 || c.OS.Grouped(ranks) })
}

// BytesPerRank implements [OS]: classes list their members.
func (f Fleet) BytesPerRank() float64 { return float64(len(f.Classes)) * (BytesPerList + 16) }

// usual returns the index of the usual class.
func (f *Fleet) usual() int {
	return max(0, slices.IndexFunc(f.Classes, func(c Class) bool { return c.Share > 0 && !c.Drained }))
}

// Reduced returns an equivalent jitter without classes that have no node. It is not a fleet if all
// nodes belong to one class that is not slower.
func (f Fleet) Reduced() OS {
	f.Classes = slices.DeleteFunc(slices.Clone(f.Classes),
		func(c Class) bool { return c.Share == 0 && len(c.Nodes) == 0 })
	usual := f.usual()
	for i, c := range f.Classes {
		if i != usual && !c.Drained || i == usual && c.Slower() {
			return f
		}
	}
	return f.Classes[usual].OS
}

// Hit implements [OS].
func (f Fleet) Hit() float64 { return f.most(func(c *Class) float64 { return c.OS.Hit() }) }

// sum returns the sum of a number of each class, times the part of the ranks that belong to it on average.
func (f *Fleet) sum(ranks int, of func(c *Class) float64) (sum float64) {
	named, usual := 0.0, f.usual()
	for i := range f.Classes {
		named += f.Classes[i].named(ranks, f.Node)
	}
	for i := range f.Classes {
		c := &f.Classes[i]
		if c.Drained {
			c = &f.Classes[usual]
		}
		part := f.Classes[i].named(ranks, f.Node) + max(0, 1-named)*f.Classes[i].Share
		sum += part * of(c)
	}
	return sum
}

// named returns the part of the ranks that are on nodes which the class names.
func (c *Class) named(ranks, node int) float64 {
	nodes, n := int(groups(ranks, node)), 0
	for _, s := range c.Nodes {
		n += max(0, min(s.Last+1, nodes)-s.First)
	}
	return float64(n) / float64(nodes)
}

// Tail implements [OS]. The delay of slower processors is not a detour: see [Fleet.Slowness].
func (f Fleet) Tail(ranks int, span float64, pieces int, h float64) float64 {
	return f.sum(ranks, func(c *Class) float64 { return c.OS.Tail(ranks, span, pieces, h) })
}

// Underway implements [OS].
func (f Fleet) Underway(ranks int, h float64) float64 {
	return f.sum(ranks, func(c *Class) float64 { return c.OS.Underway(ranks, h) })
}

// Superpositions implements [OS].
func (f Fleet) Superpositions() (all []Superposition) {
	for _, c := range f.Classes {
		all = append(all, c.OS.Superpositions()...)
	}
	return all
}

// Detours implements [OS].
func (f Fleet) Detours(room []float64) Detours {
	d := &fleetDetours{Fleet: f, nodes: max(1, f.Node)}
	usual := f.usual()
	for i := range f.Classes {
		m := &members{Class: &f.Classes[i]}
		if i == usual {
			d.base, m.detours = m, m.OS.Detours(room)
			continue
		}
		if !m.Drained {
			m.detours = m.OS.Detours(make([]float64, len(room)))
		}
		d.others = append(d.others, m)
		d.shares += m.Share
	}
	d.named = make([]*members, len(room)/d.nodes+1)
	for _, m := range slices.Backward(append(d.others, d.base)) {
		for _, s := range m.Nodes {
			for node := s.First; node <= min(s.Last, len(d.named)-1); node++ {
				d.named[node] = m
			}
		}
	}
	return d
}

// fleetDetours are the detours of each class. The usual class draws detours for all ranks, so that
// the detours of a node do not depend on the classes of other nodes. The other classes draw detours
// for their members alone, in the order of ranks: the n-th member of a class has its n-th detours.
type fleetDetours struct {
	Fleet
	nodes  int        // ranks of a node
	ranks  int        // of the trial
	base   *members   // of the usual class, which has no list of them
	others []*members // of the other ones; drained classes have none
	shares float64    // of the other ones together
	named  []*members // the first class that names each node, or else the usual one if that does
	times  []float64  // of the members among the ranks of a pass [s]
	passed []float64
}

// members are the ranks of a class in the trial, and their detours.
type members struct {
	*Class
	detours  Detours
	ranks    []int32 // in ascending order, by their numbers in the detours
	from, to int     // which of them are among the ranks of a pass
}

// fleetChild is the child of a trial's key whose numbers say which class each node belongs to, and
// whose children are the keys of the classes other than the usual one.
const fleetChild = 0x666c6565

// Draw implements [Detours].
func (d *fleetDetours) Draw(ranks int, trial rng.Key) {
	key := trial.Derive(fleetChild)
	d.ranks = ranks
	d.assign(key.Counter())
	d.base.detours.Draw(ranks, trial)
	for i, m := range d.others {
		if len(m.ranks) > 0 { // a few sizes, so that little is arranged anew
			m.detours.Draw(min(ranks, ((len(m.ranks)-1)/Block+1)*Block), key.Derive(uint64(i)))
		}
	}
}

// assign finds the members of classes.
func (d *fleetDetours) assign(numbers rng.Counter) {
	for _, m := range d.others {
		m.ranks = m.ranks[:0]
	}
	for node := range (d.ranks-1)/d.nodes + 1 {
		m := d.named[node]
		if m == nil {
			m = d.classOf(rng.Unit(numbers.Word(node)))
		}
		if m == d.base || m.Drained {
			continue
		}
		for r := node * d.nodes; r < min(d.ranks, (node+1)*d.nodes); r++ {
			m.ranks = append(m.ranks, int32(r))
		}
	}
}

// classOf returns the class that has the number u of a node.
func (d *fleetDetours) classOf(u float64) *members {
	if u >= d.shares {
		return d.base
	}
	for _, m := range d.others {
		if u -= m.Share; u < 0 {
			return m
		}
	}
	return d.base // the sum of shares is rounded
}

// Finish implements [Detours]. The usual class finishes the work of all ranks, and then
// the others the detours of their members, whose times are kept.
func (d *fleetDetours) Finish(p Piece, lo int, t []float64, work float64) {
	d.times = d.times[:0]
	for _, m := range d.others {
		m.from, _ = slices.BinarySearch(m.ranks, int32(lo))
		n, _ := slices.BinarySearch(m.ranks[m.from:min(len(m.ranks), m.from+len(t))], int32(lo+len(t)))
		m.to = m.from + n
		at := len(d.times)
		d.times = slices.Grow(d.times, m.to-m.from)[:at+m.to-m.from]
		for i, r := range m.ranks[m.from:m.to] {
			d.times[at+i] = t[int(r)-lo]
		}
	}
	if len(d.times) < len(t) {
		d.base.finish(p, lo, t, work)
	}
	at := 0
	for _, m := range d.others {
		for from := m.from; from < m.to; {
			to := min(m.to, from+Block-from%Block)
			times := d.times[at:][:to-from]
			m.finish(p, from, times, work)
			for j, r := range m.ranks[from:to] {
				t[int(r)-lo] = times[j]
			}
			at, from = at+to-from, to
		}
	}
}

// finish is Finish for members from a number on.
func (m *members) finish(p Piece, from int, t []float64, work float64) {
	m.detours.Finish(p, from, t, work/m.speed())
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
		vector.Fill(d.passed, math.Inf(1)) // of numbers without a member
		for i, r := range m.ranks {
			d.passed[i] = t[r]
		}
		passing.Pass(d.passed)
	}
}

// Swap implements [PassingDetours].
func (d *fleetDetours) Swap(known *Known) {
	if len(known.of) != 1+len(d.others) { // nothing, or of another fleet
		known.of = make([]Known, 1+len(d.others))
	}
	for i := range known.of {
		m := d.base
		if i > 0 {
			m = d.others[i-1]
		}
		if passing, ok := m.detours.(PassingDetours); ok && (i == 0 || len(m.ranks) > 0) {
			passing.Swap(&known.of[i])
		}
	}
}

// Preempts implements [SparseDetours]. A class that is slower counts as preempted, as does one whose
// detours do not know.
func (d *fleetDetours) Preempts(upto float64) bool {
	preempted := func(m *members) bool {
		sparse, ok := m.detours.(SparseDetours)
		return !ok || m.Slower() || sparse.Preempts(upto)
	}
	return preempted(d.base) || slices.ContainsFunc(d.others, func(m *members) bool {
		return len(m.ranks) > 0 && preempted(m)
	})
}

var (
	_ SparseDetours  = (*fleetDetours)(nil)
	_ PassingDetours = (*fleetDetours)(nil)
)
