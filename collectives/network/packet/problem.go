package packet

import (
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

// grid returns the topology, which is a grid.
func (p *Problem) grid() *network.Grid { return p.Topology.(*network.Grid) }

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
	return p.Latency + p.Stall(p.latency(hops))
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

// FlitHops returns how often flits move from a router to another or to their receiver; about, if
// there are more than a million messages.
func (p *Problem) FlitHops() float64 {
	nodes, hops, counted := p.Topology.Nodes(), 0, 0
	all := nodes * p.Pattern.Phases()
	step := all>>20 | 1
	for i := 0; i < all; i += step {
		if to := p.Pattern.To(i/nodes, i%nodes); to != network.NoNode {
			hops += p.grid().Hops(i%nodes, to) + 1
			counted++
		}
	}
	each := float64(hops) / float64(max(1, counted))
	return each * p.Pattern.Messages() * float64(p.MessageFlits())
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
