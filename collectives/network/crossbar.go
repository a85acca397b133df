package network

// A crossbar is a number of nodes around one non-blocking switch: a message crosses the
// link from its sender to the switch and the link from the switch to its receiver.
type crossbar int

func (c crossbar) String() string { return name("crossbar", int(c)) }
func (c crossbar) Nodes() int     { return int(c) }
func (c crossbar) Links() int     { return 2 * int(c) }
func (c crossbar) Diameter() int  { return 2 }

func (c crossbar) Route(links []int32, from, to int) []int32 {
	return append(links, int32(from), int32(int(c)+to))
}

var _ Topology = crossbar(0)
