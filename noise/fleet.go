package noise

import (
	"slices"
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
func (c *Class) speed() float64 {
	if c.Speed == 0 {
		return 1
	}
	return c.Speed
}

// Slowness implements [OS].
func (f Fleet) Slowness() float64 {
	most := 0.0
	for _, c := range f.Classes {
		most = max(most, 1/c.speed()-1)
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

// empty reports whether no node belongs to the class.
func (c *Class) empty() bool { return c.Share == 0 && len(c.Nodes) == 0 }

// Reduced returns an equivalent jitter without classes that have no node. It is not a fleet if all
// nodes belong to one class that is not slower.
func (f Fleet) Reduced() OS {
	f.Classes = slices.DeleteFunc(slices.Clone(f.Classes), func(c Class) bool { return c.empty() })
	usual := f.usual()
	for i, c := range f.Classes {
		if i != usual && !c.Drained || i == usual && c.Slower() {
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

// Tail implements [OS]. The delay of slower processors is not a detour: see [Fleet.Slowness].
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

// Superpositions implements [OS].
func (f Fleet) Superpositions() (all []Superposition) {
	for _, c := range f.Classes {
		all = append(all, c.OS.Superpositions()...)
	}
	return all
}

var _ OS = Fleet{}
