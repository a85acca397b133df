package network

import "fmt"

// A Pattern is a sequence of phases. In each of them a node sends at most one message
// and receives at most one.
type Pattern interface {
	// Nodes returns the number of nodes.
	Nodes() int
	// Phases returns the number of phases.
	Phases() int
	// To returns the node that a node sends to in a phase, or [NoNode].
	To(phase, node int) int
	// From returns the node that a node receives from in a phase, or [NoNode].
	From(phase, node int) int
	// Messages returns the number of messages of all phases.
	Messages() float64
}

// NoNode is the partner of a node that does not send, or does not receive, in a phase.
const NoNode = -1

// Patterns lists the patterns that depend on the topology alone: all-to-alls, in which
// every node sends one message to every other.
var Patterns = []struct {
	Name    string
	Pattern func(Topology) (Pattern, error)
}{
	{"a2a", func(t Topology) (Pattern, error) { return A2A(t.Nodes()), checkSize("a2a", t) }},
	{"a2a-levels", A2ALevels},
	{"a2and", A2AND},
	{"a2at", A2AT},
}

// FindPattern returns the pattern of that name on a topology. It fails if the name is not in
// [Patterns] or the pattern is not defined on the topology.
func FindPattern(name string, t Topology) (Pattern, error) {
	for _, p := range Patterns {
		if p.Name == name {
			return p.Pattern(t)
		}
	}
	return nil, fmt.Errorf("no pattern is named %q", name)
}

// A2A is the linear all-to-all of a number of nodes (Takaue et al., section 2.2): in
// phase i node r sends to node r + i + 1, modulo the number of nodes.
type A2A int

// Nodes implements [Pattern].
func (a A2A) Nodes() int { return int(a) }

// Phases implements [Pattern].
func (a A2A) Phases() int { return int(a) - 1 }

// To implements [Pattern].
func (a A2A) To(phase, node int) int {
	to := node + phase + 1
	if to >= int(a) {
		to -= int(a)
	}
	return to
}

// From implements [Pattern].
func (a A2A) From(phase, node int) int {
	from := node - phase - 1
	if from < 0 {
		from += int(a)
	}
	return from
}

// Messages implements [Pattern].
func (a A2A) Messages() float64 { return float64(a) * float64(a-1) }

// Offsets is a pattern on a grid in which all nodes send by the same offset of coordinates
// in a phase, modulo the sides, on a mesh as on a torus.
type Offsets struct {
	sides   []int
	nodes   int
	offsets []int32 // of each phase, one for each side, at least 0 and below the side
}

// add appends a phase with this offset, unless every node would send to itself.
func (o *Offsets) add(offset ...int) {
	moves := false
	for d, side := range o.sides {
		around := (offset[d]%side + side) % side
		moves = moves || around > 0
		o.offsets = append(o.offsets, int32(around))
	}
	if !moves {
		o.offsets = o.offsets[:len(o.offsets)-len(o.sides)]
	}
}

// Nodes implements [Pattern].
func (o *Offsets) Nodes() int { return o.nodes }

// Phases implements [Pattern].
func (o *Offsets) Phases() int { return len(o.offsets) / len(o.sides) }

// To implements [Pattern].
func (o *Offsets) To(phase, node int) int {
	to, stride := 0, 1
	for d, side := range o.sides {
		at := node%side + int(o.offsets[phase*len(o.sides)+d])
		if at >= side {
			at -= side
		}
		to += at * stride
		node /= side
		stride *= side
	}
	return to
}

// From implements [Pattern].
func (o *Offsets) From(phase, node int) int {
	from, stride := 0, 1
	for d, side := range o.sides {
		at := node%side - int(o.offsets[phase*len(o.sides)+d])
		if at < 0 {
			at += side
		}
		from += at * stride
		node /= side
		stride *= side
	}
	return from
}

// Messages implements [Pattern].
func (o *Offsets) Messages() float64 { return float64(o.nodes) * float64(o.Phases()) }

// maxAllToAll is the largest number of nodes of an all-to-all, at which one trial takes
// hours.
const maxAllToAll = 1 << 16

// checkSize fails if the topology has too many nodes for an all-to-all.
func checkSize(pattern string, t Topology) error {
	if t.Nodes() > maxAllToAll {
		return fmt.Errorf("%s is among at most %d nodes, and %s has %d",
			pattern, maxAllToAll, t, t.Nodes())
	}
	return nil
}

// newOffsets returns a pattern without phases for a grid. It fails for other topologies, and
// for grids with too many nodes.
func newOffsets(pattern string, t Topology) (*Offsets, error) {
	if r, ok := t.(Ranks); ok {
		return nil, fmt.Errorf("%s is for one rank on each node of %s, not %d; a2a and a2a-levels are "+
			"for any", pattern, t, r.Each)
	}
	g, ok := t.(*Grid)
	if !ok {
		return nil, fmt.Errorf("%s needs a mesh or a torus, and %s is neither", pattern, t)
	}
	return &Offsets{sides: g.sides, nodes: g.nodes}, checkSize(pattern, t)
}

var (
	_ Pattern = A2A(0)
	_ Pattern = (*Offsets)(nil)
)
