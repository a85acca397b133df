package network

// Crossbar is a number of nodes around one non-blocking switch: a message crosses the
// link from its sender to the switch and the link from the switch to its receiver.
type Crossbar int

// String implements [Topology].
func (c Crossbar) String() string { return name("crossbar", int(c)) }

// Nodes implements [Topology].
func (c Crossbar) Nodes() int { return int(c) }

// Links implements [Topology].
func (c Crossbar) Links() int { return 2 * int(c) }

// Diameter implements [Topology].
func (c Crossbar) Diameter() int { return 2 }

// Route implements [Topology].
func (c Crossbar) Route(links []int32, from, to int) []int32 {
	return append(links, int32(from), int32(int(c)+to))
}

var _ Topology = Crossbar(0)
