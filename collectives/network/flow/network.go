package flow

import (
	"math"
	"reflect"
	"slices"

	"jitterfly/collectives/network"
)

// A Network is a collective on a topology whose links messages share. It is a [network.Network].
type Network struct {
	network.Scenario
	HopLatency float64 // additional latency for each link of the topology on the route [s]
	// PortBandwidth is the bandwidth [B/s] of the two links between a rank and the
	// network, one for what it sends and one for what it receives. 0 means no limit, which
	// an all-to-all that uses all links of a mesh or torus at once needs.
	PortBandwidth float64
	Sharing       Sharing
	// NodeLatency [s] and NodeBandwidth [B/s] apply to messages inside a node of several ranks. They
	// have no latency per hop, no stalls and no ports, and each is alone on a link to its receiver.
	NodeLatency, NodeBandwidth float64
}

// Sharing selects how flows share links.
type Sharing int

const (
	// Equal splits the bandwidth of each link equally; a flow runs at the
	// smallest share on its route (Suzuki et al.).
	Equal Sharing = iota
	// MaxMin gives what a flow cannot use of its share to the others: no flow could be
	// faster except at the expense of one that is not faster than itself.
	MaxMin
)

// mostOnTheWay is how many messages of a rank are on their way at most, where they depend on
// others.
const mostOnTheWay = 16

// Width implements [network.Network]: where messages depend on others, they share links instead of
// waiting for a controller.
func (p *Network) Width() int {
	if p.Schedule.Direct {
		return p.Senders()
	}
	exchanges := 0
	for i := range p.Schedule.Rounds {
		exchanges += len(p.Schedule.Rounds[i].Sources)
	}
	return max(1, min(exchanges, mostOnTheWay))
}

// Explain implements [network.Network].
func (p *Network) Explain() string {
	return "flows that share the topology's links, one trial at a time"
}

// workOfMessage is about how many messages of a schedule in rounds take as long to simulate as one
// flow.
const workOfMessage = 50

// Work implements [network.Network].
func (p *Network) Work() float64 {
	plan := p.Sequence()
	return workOfMessage * plan.All()
}

// Engine implements [network.Network].
func (p *Network) Engine() network.Engine { return NewEngine(*p) }

// inner returns the number of links of the topology and inside nodes: the last are those inside
// nodes, one for each rank.
func (p *Network) inner() int {
	if p.Placement.Several() {
		return p.Topology.Links() + p.Ranks()
	}
	return p.Topology.Links()
}

// longest returns the largest number of links of a route, ports included.
func (p *Network) longest() int {
	longest := max(1, p.Topology.Diameter())
	if p.PortBandwidth > 0 {
		longest += 2
	}
	return longest
}

// route appends the links from one rank to another to links, and returns them with the
// latency [s] of the first byte of a message.
func (p *Network) route(links []int32, from, to int, bytes float64) (route []int32, latency float64) {
	if p.Placement.Inside(from, to) {
		return append(links, int32(p.Topology.Links()+to)), p.NodeLatency
	}
	before, first := len(links), p.inner()
	if p.PortBandwidth > 0 {
		links = append(links, int32(first+from))
		before++
	}
	links = p.Topology.Route(links, p.Placement.Node(from), p.Placement.Node(to))
	latency = p.latency(len(links)-before, bytes)
	if p.PortBandwidth > 0 {
		links = append(links, int32(first+p.Ranks()+to))
	}
	return links, latency
}

// latency returns the latency [s] of a message's first byte over that many links of the
// topology, and what its sender waits for the window.
func (p *Network) latency(hops int, bytes float64) float64 {
	once := p.Latency + float64(float64(hops)*p.HopLatency)
	return once + p.Stall(once, bytes)
}

// MessageTime implements [network.Network].
func (p *Network) MessageTime(bytes float64) float64 {
	wire := p.latency(1, bytes) + bytes/p.Bandwidth
	if p.Placement.Several() {
		wire = min(wire, p.NodeLatency+bytes/p.NodeBandwidth)
	}
	return p.SendWork + wire + p.ReceiveWork
}

// alone returns the rate [B/s] of a message without others.
func (p *Network) alone(from, to int) float64 {
	switch {
	case p.Placement.Inside(from, to):
		return p.NodeBandwidth
	case p.PortBandwidth > 0:
		return min(p.Bandwidth, p.PortBandwidth)
	}
	return p.Bandwidth
}

// bandwidths returns the bandwidth [B/s] of every link, ports included.
func (p *Network) bandwidths() []float64 {
	all := slices.Repeat([]float64{p.Bandwidth}, p.Topology.Links())
	all = append(all, slices.Repeat([]float64{p.NodeBandwidth}, p.inner()-len(all))...)
	if p.PortBandwidth > 0 {
		all = append(all, slices.Repeat([]float64{p.PortBandwidth}, 2*p.Ranks())...)
	}
	return all
}

// LowerBound implements [network.Network]. Links, processors and controllers serve one byte, piece of
// work or message after the other, a message takes no less than alone, and its content cannot be
// sent before it arrives. Only the last holds where ranks need not wait for all messages. The run
// time of LowerBound is proportional to the total length of all routes.
func (p *Network) LowerBound() float64 {
	plan, ranks := p.Sequence(), p.Ranks()
	room := make([]int32, 0, p.longest())
	chain := func() float64 {
		return plan.Chain(func(from, to int, bytes float64) float64 {
			_, latency := p.route(room, from, to, bytes)
			return p.SendWork + latency + bytes/p.alone(from, to) + p.ReceiveWork
		})
	}
	if plan.Redundant() {
		return chain()
	}
	bandwidths := p.bandwidths()
	crossing := make([]float64, len(bandwidths)) // bytes on each link
	sent := make([]float64, ranks)               // messages of each rank
	busy := make([]float64, ranks)               // their total time, each alone [s]
	received := make([]float64, ranks)
	plan.Walk(func(exchange, from, to int) {
		bytes := plan.Exchanges[exchange].Bytes
		route, latency := p.route(room, from, to, bytes)
		for _, l := range route {
			crossing[l] += bytes
		}
		sent[from]++
		received[to]++
		busy[from] += latency + bytes/p.alone(from, to)
	})
	shortest := plan.Shortest()
	bound, first := 0.0, p.latency(1, shortest) // least latency of a message
	if p.Placement.Several() {
		first = min(first, p.NodeLatency)
	}
	for l, bytes := range crossing {
		if bytes > 0 {
			bound = max(bound, first+bytes/bandwidths[l])
		}
	}
	for rank, n := range sent {
		bound = max(bound, float64(n*p.SendWork)+float64(received[rank]*p.ReceiveWork))
		if !plan.Direct {
			continue
		}
		bound = max(bound, busy[rank]/float64(p.Senders()))
		if n > 0 {
			most := math.Ceil(n / float64(p.Senders())) // messages of some controller
			bound = max(bound, float64((most-1)*p.Gap)+p.MessageTime(shortest))
		}
	}
	if plan.Direct {
		return bound
	}
	return max(bound, chain())
}

// Memory implements [network.Network].
func (p *Network) Memory() float64 {
	ranks, links := float64(p.Ranks()), float64(len(p.bandwidths()))
	slots := ranks * float64(p.Width())
	size := func(v any) float64 { return float64(reflect.TypeOf(v).Size()) }
	const index = 4
	// Lists have up to twice the capacity needed: of a moment in which all slots change, and of
	// flows on links.
	lists := 2 * 4 * index
	bytes := links*(size(link{})+2*index) +
		slots*(size(slot{})+size(network.Slot{})+size(share{})+index*float64(p.longest()+1)+
			8*fan/(fan-1)+float64(lists)) +
		p.Scenario.Memory()
	if p.Sharing == MaxMin {
		bytes += links * (size(linkState{}) + 2*index + 8*block/(block-1))
		bytes += slots * (size(fairFlow{}) + 2*2*index)
	}
	return bytes
}

var _ network.Network = (*Network)(nil)
