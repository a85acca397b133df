package collectives

// Contention is how the messages of an all-to-all's round delay each other at the switch.
//
// Where the n ranks of a node send a share a of their packets to one node and the rest to the
// node before it, so do all other nodes, and two inputs of the switch have packets for each of its
// outputs. A packet that waits for its output is at the head of its input's queue, and blocks
// those behind it that go elsewhere (Naruse et al., paper 000, section 3.5).
type Contention int

const (
	// NoContention lets messages pass each other.
	NoContention Contention = iota
	// HoL is head-of-line blocking by the formula of paper 000, section 3.6: in each slot the
	// packets at the heads have destinations that are drawn anew.
	HoL
	// HoLQueue is head-of-line blocking in queues with memory: a packet at the head keeps its
	// destination until it is served. In each slot an output serves a random head that waits
	// for it, and the others stay.
	HoLQueue
)

// factor returns by how much longer packets are on the network if a node sends the share a of
// them to one node and the rest to another.
func (c Contention) factor(a float64) float64 {
	switch c {
	case HoL:
		return 1 / (1 - float64(a*(1-a)))
	case HoLQueue:
		return queueFactor(a)
	}
	return 1
}

// blocking returns the factor by which the bytes of a round take longer since its messages block
// each other, or 0 if they do not: in a rotation by i a share (i mod n)/n of what a node of n ranks
// sends goes to one node and the rest to the one before it. Where i < n or i > P − n a part of it
// stays inside the node, so that no output is full (section 3.4).
func (p Problem) blocking(from Peers) float64 {
	c, ok := from.(rotation)
	n := p.Node.size()
	if !ok || p.Contention == NoContention || c.By < n || c.By > c.Ranks-n || c.By%n == 0 {
		return 0
	}
	return p.Contention.factor(float64(c.By%n) / float64(n))
}

// queueFactor interpolates queueFactors, which changes it by less than 0.1%.
func queueFactor(a float64) float64 {
	last := len(queueFactors) - 1
	at := min(a, 1-a) * float64(2*last)
	i := min(int(at), last-1)
	part := at - float64(i)
	return float64((1-part)*queueFactors[i]) + float64(part*queueFactors[i+1])
}

// queueFactors are the slots that a packet takes with [HoLQueue], on average, if the share is
// 0/32, 1/32, …, 16/32: from the stationary distribution of the heads of 10 nodes, which 6 nodes
// have to five digits. It is at most 0.6% less on 3 nodes, the fewest that can send to two.
var queueFactors = [...]float64{
	1, 1.057135, 1.105165, 1.145943, 1.180784, 1.210659, 1.236302, 1.258279, 1.277036,
	1.292922, 1.306214, 1.317134, 1.325854, 1.332507, 1.337192, 1.339977, 1.340900,
}
