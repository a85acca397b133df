package network

// A crossbar is a number of nodes around one non-blocking switch: a message crosses the
// link from its sender to the switch and the link from the switch to its receiver.
type crossbar struct{ shape }

func (c *crossbar) Route(links []int32, from, to int) []int32 {
	return append(links, int32(from), int32(c.nodes+to))
}
