package packet

import (
	"fmt"
	"math"

	"jitterfly/collectives/network"
)

// A Problem is one pattern of messages on a mesh or torus of routers. What it shares with the
// engine of flows is in SI units; what is of packets is in flits and cycles. A cycle is the time
// that a flit takes on a link.
//
// Of the embedded problem Latency is what the first flit of a message waits at its source before
// the network; HopLatency, PortBandwidth and Sharing are of flows and have no effect.
type Problem struct {
	network.Problem
	Flit     float64 // bytes of a flit
	Flits    int     // flits of a packet; the last packet of a message may have fewer
	Channels int     // virtual channels of each link and of each controller
	Buffer   int     // flits that the buffer of one channel has room for
	Hop      int     // cycles from when a flit leaves a router to when the next one has it
	Credit   int     // cycles from when a flit leaves a buffer to when the sender knows
	Crossbar Crossbar
	Rule     ChannelRule
}

// Crossbar selects how many flits of one input port a router moves in a cycle.
type Crossbar int

const (
	// Port moves at most one flit of each input port.
	Port Crossbar = iota
	// Full moves flits of all channels of a port, to different outputs.
	Full
)

// ChannelRule selects the virtual channels that a packet may take.
type ChannelRule int

const (
	// Class separates the packets that cross the wrap link of a torus's dimension from those
	// that do not, which keeps both from waiting in a circle. On meshes, and at controllers, a
	// packet may take any channel.
	Class ChannelRule = iota
	// Destination gives all packets to a node the same channel everywhere: the node's number
	// modulo the number of channels.
	Destination
)

// Limits of what is simulated.
const (
	maxOutputs  = 64      // of a router
	maxChannels = 1 << 28 // of all routers
	maxFlits    = 1 << 30 // of a message, of a packet, of a buffer, of a time in cycles
)

// Check returns an error if a number is impossible, if the topology is neither a mesh nor a
// torus, or if packets could wait for each other in a circle.
func (p *Problem) Check() error {
	grid, ok := p.Topology.(*network.Grid)
	if !ok {
		return fmt.Errorf("packets are simulated on meshes and tori, and %s is neither; "+
			"flows are on every topology", p.Topology)
	}
	if err := p.Problem.Check(); err != nil {
		return err
	}
	if !(p.Flit > 0) || math.IsInf(p.Flit, 1) {
		return fmt.Errorf("a flit of %g bytes is impossible; it must be more than 0 and finite", p.Flit)
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"flits in a packet", p.Flits}, {"virtual channels", p.Channels},
		{"flits in a buffer", p.Buffer}, {"cycles for a hop", p.Hop},
		{"cycles for a credit", p.Credit},
	} {
		if n.value < 1 || n.value > maxFlits {
			return fmt.Errorf("%d %s are impossible; write 1 to 2^30", n.value, n.name)
		}
	}
	if flits := p.Bytes / p.Flit; flits > maxFlits {
		return fmt.Errorf("messages of %.3g flits are too long; the most is 2^30", flits)
	}
	return p.checkRouters(grid)
}

// checkRouters returns an error if routers cannot be as the problem says.
func (p *Problem) checkRouters(grid *network.Grid) error {
	nodes, phases := grid.Nodes(), p.Pattern.Phases()
	outputs := 2*len(grid.Sides()) + p.controllers()
	switch {
	case p.controllers() > max(1, phases):
		return fmt.Errorf("%d controllers are more than the %d messages of a node; write at most %d",
			p.controllers(), phases, phases)
	case outputs > maxOutputs:
		return fmt.Errorf("a router of %d dimensions and %d controllers has %d ports; the most is %d",
			len(grid.Sides()), p.controllers(), outputs, maxOutputs)
	case float64(nodes)*float64(outputs)*float64(p.Channels) > maxChannels:
		return fmt.Errorf("%d virtual channels on each of %d ports of %d routers are too many; "+
			"the most is 2^28 in all", p.Channels, outputs, nodes)
	case grid.Torus() && p.Rule == Class && p.Channels < 2:
		return fmt.Errorf("a torus needs at least 2 virtual channels, one for packets that cross " +
			"the wrap link, or packets wait for each other in a circle")
	case grid.Torus() && p.Rule == Destination && p.Channels < nodes:
		return fmt.Errorf("on a torus channels by destination must be as many as its %d nodes, not %d, "+
			"or packets wait for each other in a circle", nodes, p.Channels)
	}
	return nil
}

// controllers returns the number of controllers of a node.
func (p *Problem) controllers() int { return max(1, p.Controllers) }

// Cycle returns the time [s] that a flit takes on a link.
func (p *Problem) Cycle() float64 { return p.Flit / p.Bandwidth }

// MessageFlits returns the flits of a message: at least the one that carries its header.
func (p *Problem) MessageFlits() int { return max(1, int(math.Ceil(p.Bytes/p.Flit))) }

// packets returns the number of packets of a message, and the flits of the last one.
func (p *Problem) packets() (n, last int) {
	flits := p.MessageFlits()
	n = (flits-1)/p.Flits + 1
	return n, flits - (n-1)*p.Flits
}

// room returns how many packets the buffer of one channel can have at once: the first with at
// least one flit, others whole, and one whose channel is reserved.
func (p *Problem) room() int {
	n, last := p.packets()
	shortest := last
	if n > 1 {
		shortest = min(last, p.Flits)
	}
	return 2 + (p.Buffer-1)/shortest
}

// start returns the time [s] from posting a message to its first flit in the network, over a
// route of that many links.
func (p *Problem) start(hops int) float64 {
	return p.Latency + float64(2*p.Stalls*p.latency(hops))
}

// latency returns the time [s] of one flit over a route of that many links.
func (p *Problem) latency(hops int) float64 {
	return p.Latency + float64(float64(hops*p.Hop+1)*p.Cycle())
}

// MessageTime returns a lower bound [s] of the time from when a node can send a message to when
// its receiver has received it: F + H + 1 cycles, and what its hosts need.
func (p *Problem) MessageTime() float64 {
	cycles := float64(p.MessageFlits() + p.Hop + 1)
	return p.SendWork + p.start(1) + float64(cycles*p.Cycle()) + p.ReceiveWork
}

// FlitHops returns how often flits move from a router to another or to their receiver.
func (p *Problem) FlitHops() float64 {
	hops := 0.0
	p.messages(func(_, _ int, route []int32) { hops += float64(len(route) + 1) })
	return hops * float64(p.MessageFlits())
}

// messages calls f for every message, with the links of its route.
func (p *Problem) messages(f func(from, to int, route []int32)) {
	route := make([]int32, 0, p.Topology.Diameter())
	for phase := range p.Pattern.Phases() {
		for from := range p.Topology.Nodes() {
			if to := p.Pattern.To(phase, from); to != network.NoNode {
				f(from, to, p.Topology.Route(route, from, to))
			}
		}
	}
}

// LowerBound returns a lower bound [s] of the completion time for any order of messages and any
// noise: a link and a controller carry one flit a cycle, a processor does one thing after the
// other. Its run time is proportional to the total length of all routes.
func (p *Problem) LowerBound() float64 {
	nodes := p.Topology.Nodes()
	crossing := make([]float64, p.Topology.Links())
	sent, received := make([]float64, nodes), make([]float64, nodes)
	p.messages(func(from, to int, route []int32) {
		for _, l := range route {
			crossing[l]++
		}
		sent[from]++
		received[to]++
	})
	flits, cycle, controllers := float64(p.MessageFlits()), p.Cycle(), float64(p.controllers())
	after := float64(float64(p.Hop+1) * cycle) // from when the last flit has left a router
	first := p.SendWork + p.start(1)
	bound := 0.0
	for _, n := range crossing {
		if n > 0 {
			bound = max(bound, first+float64(n*flits*cycle)+after+p.ReceiveWork)
		}
	}
	for node, n := range sent {
		if m := received[node]; m > 0 {
			each := math.Ceil(m * flits / controllers)
			bound = max(bound, first+float64(each*cycle)+after+p.ReceiveWork)
		}
		bound = max(bound, float64(n*p.SendWork)+float64(received[node]*p.ReceiveWork))
		if n > 0 {
			most := math.Ceil(n / controllers) // messages of some controller
			each := max(p.Gap, p.start(1)+float64(flits*cycle))
			bound = max(bound, float64((most-1)*each)+p.MessageTime())
		}
	}
	return bound
}
