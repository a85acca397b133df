package packet

import (
	"fmt"
	"math"
	"reflect"

	"jitterfly/collectives/network"
)

// A Network is a collective on a mesh or torus of routers. It is a [network.Network]. Quantities
// that all engines have are in SI units, quantities of packets in flits and cycles. A cycle is the
// time that a flit takes on a link.
//
// Latency of the embedded scenario is the time that the first flit of a message waits at its source
// before the network.
type Network struct {
	network.Scenario
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
	// Class separates the packets that cross the wrap link of a torus's dimension from the other
	// packets, which keeps both from waiting in a circle. On meshes, and at controllers, a packet may
	// take any channel.
	Class ChannelRule = iota
	// Destination gives all packets to a node the same channel everywhere: the node's number
	// modulo the number of channels.
	Destination
)

func (p *Network) grid() *network.Grid { return p.Topology.(*network.Grid) }

// Width implements [network.Network].
func (p *Network) Width() int { return p.Senders() }

// Explain implements [network.Network].
func (p *Network) Explain() string {
	return fmt.Sprintf("packets, flit by flit through routers, one trial at a time: %.3g flit-hops each",
		p.FlitHops())
}

// Engine implements [network.Network].
func (p *Network) Engine() network.Engine { return NewEngine(*p) }

// Cycle returns the time [s] that a flit takes on a link.
func (p *Network) Cycle() float64 { return p.Flit / p.Bandwidth }

// messageFlits returns the flits of a message: at least the one that carries its header.
func (p *Network) messageFlits(bytes float64) int { return max(1, int(math.Ceil(bytes/p.Flit))) }

// packets returns the number of packets of a message, and the flits of the last one.
func (p *Network) packets(bytes float64) (n, last int) {
	flits := p.messageFlits(bytes)
	n = (flits-1)/p.Flits + 1
	return n, flits - (n-1)*p.Flits
}

// room returns how many packets the buffer of one channel can have at once: the first with at
// least one flit, others whole, and one whose channel is reserved.
func (p *Network) room() int {
	shortest := p.Flits
	for i := range p.Schedule.Rounds {
		if r := &p.Schedule.Rounds[i]; len(r.Sources) > 0 {
			_, last := p.packets(r.Bytes)
			shortest = min(shortest, last)
		}
	}
	return 2 + (p.Buffer-1)/shortest
}

// start returns the time [s] from posting a message to its first flit in the network, over a
// route of that many links.
func (p *Network) start(hops int, bytes float64) float64 {
	flit := p.Latency + float64(float64(hops*p.Hop+1)*p.Cycle()) // the time of one over the route
	return p.Latency + p.Stall(flit, bytes)
}

// MessageTime implements [network.Network]: F + H + 1 cycles, and what its hosts need.
func (p *Network) MessageTime(bytes float64) float64 {
	cycles := float64(p.messageFlits(bytes) + p.Hop + 1)
	return p.SendWork + p.start(1, bytes) + float64(cycles*p.Cycle()) + p.ReceiveWork
}

// workOfFlitHop is about how many messages of a schedule in rounds take as long to simulate as one
// flit that moves to another router.
const workOfFlitHop = 2

// Work implements [network.Network].
func (p *Network) Work() float64 { return workOfFlitHop * p.FlitHops() }

// FlitHops returns how often flits move from a router to another or to their receiver in a trial;
// about, if there are more than a million messages.
func (p *Network) FlitHops() float64 {
	plan, ranks, hops, counted := p.Sequence(), p.Ranks(), 0.0, 0
	room := make([]int32, 0, p.Topology.Diameter())
	all := ranks * len(plan.Exchanges)
	step := all>>20 | 1
	for i := 0; i < all; i += step {
		if to := plan.To(i/ranks, i%ranks); to != network.NoRank {
			flits := p.messageFlits(plan.Exchanges[i/ranks].Bytes)
			hops += float64(flits * (len(p.Topology.Route(room, i%ranks, to)) + 1))
			counted++
		}
	}
	return hops / float64(max(1, counted)) * plan.All()
}

// LowerBound implements [network.Network]: a link and a controller carry one flit a cycle, a
// processor does one thing after the other, and what a message brings cannot be sent before. Only
// the last holds where ranks need not wait for all messages. Its run time is proportional to the
// total length of all routes.
func (p *Network) LowerBound() float64 {
	plan, ranks := p.Sequence(), p.Ranks()
	chain := func() float64 {
		return plan.Chain(func(_, _ int, bytes float64) float64 { return p.MessageTime(bytes) })
	}
	if plan.Redundant() {
		return chain()
	}
	crossing := make([]float64, p.Topology.Links()) // flits on each link
	sent, received := make([]float64, ranks), make([]float64, ranks)
	ejected := make([]float64, ranks) // flits
	room := make([]int32, 0, p.Topology.Diameter())
	plan.Walk(func(exchange, from, to int) {
		flits := float64(p.messageFlits(plan.Exchanges[exchange].Bytes))
		for _, l := range p.Topology.Route(room, from, to) {
			crossing[l] += flits
		}
		sent[from]++
		received[to]++
		ejected[to] += flits
	})
	shortest, cycle, controllers := plan.Shortest(), p.Cycle(), float64(p.Senders())
	after := float64(float64(p.Hop+1) * cycle) // from when the last flit has left a router
	first := p.SendWork + p.start(1, shortest)
	bound := 0.0
	for _, flits := range crossing {
		if flits > 0 {
			bound = max(bound, first+float64(flits*cycle)+after+p.ReceiveWork)
		}
	}
	flits := float64(p.messageFlits(shortest))
	for rank, n := range sent {
		if ejected[rank] > 0 {
			each := math.Ceil(ejected[rank] / controllers)
			bound = max(bound, first+float64(each*cycle)+after+p.ReceiveWork)
		}
		bound = max(bound, float64(n*p.SendWork)+float64(received[rank]*p.ReceiveWork))
		if n > 0 {
			most := math.Ceil(n / controllers) // messages of some controller
			each := max(p.Gap, p.start(1, shortest)+float64(flits*cycle))
			bound = max(bound, float64((most-1)*each)+p.MessageTime(shortest))
		}
	}
	if plan.Direct {
		return bound
	}
	return max(bound, chain())
}

// Memory implements [network.Network].
func (p *Network) Memory() float64 {
	plan, nodes := p.Sequence(), float64(p.Ranks())
	slots := nodes * float64(p.Width())
	outputs := nodes*float64(2*len(p.grid().Sides())) + slots
	channels, room := outputs*float64(p.Channels), float64(p.room())
	size := func(v any) float64 { return float64(reflect.TypeOf(v).Size()) }
	words := (outputs/nodes*float64(p.Channels) + 63) / 64
	// What moves in a cycle is at most a flit of each output and one of each controller. Slices
	// that grow have up to twice what they need.
	inTransit := 4 * (outputs + slots) * float64(max(p.Hop, p.Credit)+1) * 2
	of := func(bytes float64) float64 { return float64(p.messageFlits(bytes)/p.Flits + 1) }
	packets := 0.0
	for _, m := range plan.Traffic(of) {
		packets = min(channels*room, packets+m.Count*m.Transit)
	}
	bytes := channels*(size(channel{})+4*room+size(span{})) + // buffers
		slots*(float64(p.Channels)*size(channel{})+size(slot{})+size(network.Slot{})+2*size(wakeup{})) +
		outputs*(2*8*words+8+4+4+4+1) + nodes*(size(router{})) +
		2*inTransit + 2*packets*(size(parcel{})+4) +
		2*min(packets+slots, plan.All())*(size(message{})+4) + p.Scenario.Memory()
	return bytes
}

var _ network.Network = (*Network)(nil)
