package network

import (
	"fmt"
	"math"
	"reflect"
)

// A Problem is one pattern of messages on one machine. All fields are in SI units.
type Problem struct {
	Topology Topology
	Pattern  Pattern
	Bytes    float64 // length of each message

	Latency    float64 // α: latency of the first byte of a message on any route [s]
	HopLatency float64 // additional latency for each link of the topology on the route [s]
	Bandwidth  float64 // of each link [B/s]
	// PortBandwidth is the bandwidth [B/s] of the two links between a node and the
	// network, one for what it sends and one for what it receives. 0 means no limit, which
	// an all-to-all that uses all links of a mesh or torus at once needs.
	PortBandwidth float64
	Sharing       Sharing
	// NodeLatency [s] and NodeBandwidth [B/s] are of messages inside a node of [Ranks]. Those have
	// no latency per hop, no stalls and no ports.
	NodeLatency, NodeBandwidth float64

	// Controllers is the number of messages that a node sends at the same time (NCT in
	// paper 002); 0 means 1.
	Controllers int
	Sync        Sync
	// SendWork and ReceiveWork are the times [s] that a node's processor needs to send a
	// message and to receive one that has arrived. It does one thing at a time, in the
	// order of arrival. EarlyWork is the additional time [s] for a message that arrives
	// before the node has begun its phase.
	SendWork, ReceiveWork, EarlyWork float64
	// Gap is the least time [s] between two messages of one controller, from posting to
	// posting.
	Gap float64
	// Stalls is the number of times that a message waits for its receiver to make room,
	// and for the sender to learn of it: each time for twice the latency of its route.
	Stalls float64
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

// Sync selects what a node waits for before it sends. The messages of a node form one
// queue in the order of the phases, and a message occupies its controller until it arrives.
type Sync int

const (
	// None lets every idle controller send the next message.
	None Sync = iota
	// Local sends in groups of as many phases as there are controllers: the next group
	// begins when all messages of the last one have arrived and the node has received
	// all messages of the last one's phases.
	Local
	// LocalController lets a controller send the next message when its last one has
	// arrived and the node has received the message of the same phase. With one
	// controller it is the same as Local.
	LocalController
	// LocalCount lets an idle controller send the message of phase p, counted from 0, when the
	// node has received as many messages as there are in the phases up to p minus the number of
	// controllers, whichever they are.
	LocalCount
)

// Check returns an error if a number is negative or not finite, if the bandwidth is 0, or
// if the pattern and the topology differ in their number of nodes.
func (p *Problem) Check() error {
	for _, q := range []struct {
		name  string
		value float64
		zero  bool
	}{
		{"message length", p.Bytes, true},
		{"latency", p.Latency, true},
		{"latency per hop", p.HopLatency, true},
		{"bandwidth", p.Bandwidth, false},
		{"bandwidth of ports", p.PortBandwidth, true},
		{"work to send", p.SendWork, true},
		{"work to receive", p.ReceiveWork, true},
		{"work on what is early", p.EarlyWork, true},
		{"gap", p.Gap, true},
		{"latency inside nodes", p.NodeLatency, true},
		{"bandwidth inside nodes", p.NodeBandwidth, !p.several()},
		{"number of stalls", p.Stalls, true},
	} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) || q.value == 0 && !q.zero {
			least := "more than 0"
			if q.zero {
				least = "at least 0"
			}
			return fmt.Errorf("a %s of %g is impossible; it must be %s and finite",
				q.name, q.value, least)
		}
	}
	nodes := p.Topology.Nodes()
	if p.Pattern.Nodes() != nodes {
		return fmt.Errorf("the pattern is of %d nodes, but %s has %d",
			p.Pattern.Nodes(), p.Topology, nodes)
	}
	if p.Controllers < 0 || p.Controllers > maxLinks/nodes {
		return fmt.Errorf("%d controllers on each of %d nodes are impossible; write 1 to %d",
			p.Controllers, nodes, maxLinks/nodes)
	}
	return nil
}

// controllers returns the number of controllers of a node.
func (p *Problem) controllers() int { return max(1, p.Controllers) }

// links returns the number of links, ports included.
func (p *Problem) links() int {
	links := p.Topology.Links()
	if p.PortBandwidth > 0 {
		links += 2 * p.Topology.Nodes()
	}
	return links
}

// longest returns the largest number of links of a route, ports included.
func (p *Problem) longest() int {
	longest := p.Topology.Diameter()
	if p.PortBandwidth > 0 {
		longest += 2
	}
	return longest
}

// route appends the links from one node to another to links, and returns them with the
// latency [s] of a message's first byte.
func (p *Problem) route(links []int32, from, to int) (route []int32, latency float64) {
	before := len(links)
	if p.inside(from, to) {
		return p.Topology.Route(links, from, to), p.NodeLatency
	}
	if p.PortBandwidth == 0 {
		links = p.Topology.Route(links, from, to)
		return links, p.latency(len(links) - before)
	}
	first := p.Topology.Links()
	links = p.Topology.Route(append(links, int32(first+from)), from, to)
	return append(links, int32(first+p.Topology.Nodes()+to)), p.latency(len(links) - before - 1)
}

// latency returns the latency [s] of a message's first byte over that many links of the
// topology, including the message's stalls.
func (p *Problem) latency(hops int) float64 {
	once := p.Latency + float64(float64(hops)*p.HopLatency)
	return once + float64(2*p.Stalls*once)
}

// MessageTime returns a lower bound [s] of the time from when a node can send a message to
// when its receiver has received it.
func (p *Problem) MessageTime() float64 {
	wire := p.latency(1) + p.Bytes/p.Bandwidth
	if p.several() {
		wire = min(wire, p.NodeLatency+p.Bytes/p.NodeBandwidth)
	}
	return p.SendWork + wire + p.ReceiveWork
}

// several reports whether there are several ranks on a node.
func (p *Problem) several() bool {
	_, ok := p.Topology.(Ranks)
	return ok
}

// inside reports whether two nodes of the pattern are ranks on one node of the topology.
func (p *Problem) inside(from, to int) bool {
	r, ok := p.Topology.(Ranks)
	return ok && r.inside(from, to)
}

// alone returns the rate [B/s] of a message without others.
func (p *Problem) alone(from, to int) float64 {
	switch {
	case p.inside(from, to):
		return p.NodeBandwidth
	case p.PortBandwidth > 0:
		return min(p.Bandwidth, p.PortBandwidth)
	}
	return p.Bandwidth
}

// EveryNodeSends reports whether all nodes send a message in every phase, and there is one.
func (p *Problem) EveryNodeSends() bool {
	sent := p.Pattern.Messages()
	return sent > 0 && sent == float64(p.Topology.Nodes())*float64(p.Pattern.Phases())
}

// bandwidths returns the bandwidth [B/s] of every link, ports included.
func (p *Problem) bandwidths() []float64 {
	bandwidths, shared := make([]float64, p.links()), p.Topology.Links()
	if r, ok := p.Topology.(Ranks); ok {
		shared = r.On.Links()
	}
	for l := range bandwidths {
		switch {
		case l < shared:
			bandwidths[l] = p.Bandwidth
		case l < p.Topology.Links():
			bandwidths[l] = p.NodeBandwidth
		default:
			bandwidths[l] = p.PortBandwidth
		}
	}
	return bandwidths
}

// LowerBound returns a lower bound [s] of the completion time for any order of messages and
// any noise: a link carries one byte after the other, a processor does one thing after the
// other, and a controller has one message at a time, which takes no less than alone. Its
// run time is proportional to the total length of all routes.
func (p *Problem) LowerBound() float64 {
	bandwidths := p.bandwidths()
	nodes := p.Topology.Nodes()
	crossing := make([]float64, len(bandwidths)) // messages on each link
	sent := make([]float64, nodes)               // messages of each node
	busy := make([]float64, nodes)               // their total time, each alone [s]
	received := make([]float64, nodes)
	route := make([]int32, 0, p.longest())
	for phase := range p.Pattern.Phases() {
		for from := range nodes {
			to := p.Pattern.To(phase, from)
			if to == NoNode {
				continue
			}
			links, latency := p.route(route, from, to)
			for _, l := range links {
				crossing[l]++
			}
			sent[from]++
			received[to]++
			busy[from] += latency + p.Bytes/p.alone(from, to)
		}
	}
	bound, first := 0.0, p.latency(1) // least latency of a message
	if p.several() {
		first = min(first, p.NodeLatency)
	}
	for l, n := range crossing {
		if n > 0 {
			bound = max(bound, first+n*p.Bytes/bandwidths[l])
		}
	}
	for node, n := range sent {
		working := float64(n*p.SendWork) + float64(received[node]*p.ReceiveWork)
		bound = max(bound, busy[node]/float64(p.controllers()), working)
		if n > 0 {
			most := math.Ceil(n / float64(p.controllers())) // messages of some controller
			bound = max(bound, float64((most-1)*p.Gap)+p.MessageTime())
		}
	}
	return bound
}

// Memory returns an estimate of the bytes that an [Engine] of the problem allocates, with a
// pattern of that many phases; [Problem.Pattern] may be nil.
func (p *Problem) Memory(phases int) float64 {
	nodes, links := float64(p.Topology.Nodes()), float64(p.links())
	slots := nodes * float64(p.controllers())
	size := func(v any) float64 { return float64(reflect.TypeOf(v).Size()) }
	const index = 4
	// Lists have up to twice the capacity needed: of a moment in which all slots change, and of
	// flows on links.
	lists := 2 * (size(arrival{}) + 4*index + float64(p.longest())*(size(change{})+index))
	bytes := links*(size(link{})+2*index) +
		slots*(size(slot{})+8+size(share{})+index*float64(p.longest()+1)+8*fan/(fan-1)+lists) +
		nodes*(size(node{})+2*index)
	if p.Sync == Local || p.Sync == LocalController {
		bytes += nodes * float64(phases) / 8
	}
	if p.Gap > 0 {
		bytes += 8 * slots
	}
	if p.Sharing == MaxMin {
		bytes += links * (size(linkState{}) + 2*index + 8*block/(block-1))
		bytes += slots * (size(fairFlow{}) + 2*2*index)
	}
	return bytes
}
