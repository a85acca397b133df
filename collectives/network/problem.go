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

	Latency    float64 // α: seconds before the first byte of a message, on any route
	HopLatency float64 // as much more for each link of the topology on its route
	Bandwidth  float64 // bytes per second on each link
	// PortBandwidth is that of the link by which a node hands its messages to the
	// network, and of that by which it is handed them; at 0 they are no limit, as
	// they must be for the links of a mesh or torus to be all busy.
	PortBandwidth float64
	Sharing       Sharing

	// Controllers is NCT, how many messages a node sends at once; 0 is 1.
	Controllers int
	Sync        Sync
	// SendWork and ReceiveWork are how long the processor of a node works to
	// send a message, and to take one that has arrived. It does one thing at a
	// time, first come first served. EarlyWork is how much longer it works on a
	// message that comes before the node has begun the phase of it.
	SendWork, ReceiveWork, EarlyWork float64
	// Gap is the least time between two messages of one controller, from posting
	// to posting.
	Gap float64
	// Stalls is how often a message waits until its receiver has made room for the
	// rest and the sender has heard of that: each time for the latency of its
	// route, there and back.
	Stalls float64
}

// Sharing is how flows share links.
type Sharing int

const (
	// Equal splits the bandwidth of each link equally; a flow runs at the
	// smallest share on its route (Suzuki et al.).
	Equal Sharing = iota
	// MaxMin gives what a flow cannot use of its share to the others: no flow
	// could be faster but at the expense of one that is not faster than itself.
	MaxMin
)

// Sync is what a node waits for before it sends. Its messages stand in one queue in
// the order of the phases, and a message is with its controller until it has arrived.
type Sync int

const (
	// None lets every controller that is free send the next message.
	None Sync = iota
	// Local sends in groups of as many phases as there are controllers: the next
	// group begins when all messages of the last have arrived, and all that the
	// node receives in its phases have been received.
	Local
	// LocalController lets a controller send the next message when its own of
	// some phase has arrived, and what the node receives in that phase has been
	// received. With one controller it is the same as Local.
	LocalController
)

// Check says what is wrong with a problem.
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
		{"number of stalls", p.Stalls, true},
	} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) || q.value == 0 && !q.zero {
			least := "more than 0"
			if q.zero {
				least = "at least 0"
			}
			return fmt.Errorf("a %s of %g is impossible; it must be %s and finite", q.name, q.value, least)
		}
	}
	nodes := p.Topology.Nodes()
	if p.Pattern.Nodes() != nodes {
		return fmt.Errorf("the pattern is of %d nodes, but %s has %d", p.Pattern.Nodes(), p.Topology, nodes)
	}
	if p.Controllers < 0 || p.Controllers > maxLinks/nodes {
		return fmt.Errorf("%d controllers on each of %d nodes are impossible; write 1 to %d", p.Controllers, nodes, maxLinks/nodes)
	}
	return nil
}

// controllers is how many a node has.
func (p *Problem) controllers() int { return max(1, p.Controllers) }

// links is how many there are, ports included.
func (p *Problem) links() int {
	links := p.Topology.Links()
	if p.PortBandwidth > 0 {
		links += 2 * p.Topology.Nodes()
	}
	return links
}

// longest is how many links a route can have.
func (p *Problem) longest() int {
	longest := p.Topology.Diameter()
	if p.PortBandwidth > 0 {
		longest += 2
	}
	return longest
}

// route appends the links from one node to another, and says how long the first
// byte of a message takes.
func (p *Problem) route(links []int32, from, to int) (route []int32, latency float64) {
	before := len(links)
	if p.PortBandwidth == 0 {
		links = p.Topology.Route(links, from, to)
		return links, p.latency(len(links) - before)
	}
	first := p.Topology.Links()
	links = p.Topology.Route(append(links, int32(first+from)), from, to)
	return append(links, int32(first+p.Topology.Nodes()+to)), p.latency(len(links) - before - 1)
}

// latency is how long the first byte of a message takes over so many links of
// the topology, and how long the message stalls.
func (p *Problem) latency(hops int) float64 {
	once := p.Latency + float64(float64(hops)*p.HopLatency)
	return once + float64(2*p.Stalls*once)
}

// MessageTime is the least time from when a node can send a message to when another has
// taken it.
func (p *Problem) MessageTime() float64 {
	return p.SendWork + p.latency(1) + p.Bytes/p.Bandwidth + p.ReceiveWork
}

// bandwidths are those of all links, ports included.
func (p *Problem) bandwidths() []float64 {
	bandwidths := make([]float64, p.links())
	for l := range bandwidths {
		bandwidths[l] = p.Bandwidth
		if l >= p.Topology.Links() {
			bandwidths[l] = p.PortBandwidth
		}
	}
	return bandwidths
}

// LowerBound is a time below which the problem cannot complete, whatever the order and
// the noise: a link carries one byte after the other, a processor does one
// thing after the other, and a controller has one message at a time, which is
// not faster than alone. Unlike a trial it takes time in proportion to
// the lengths of all routes.
func (p *Problem) LowerBound() float64 {
	bandwidths := p.bandwidths()
	narrowest := p.Bandwidth
	if p.PortBandwidth > 0 {
		narrowest = min(narrowest, p.PortBandwidth)
	}
	nodes := p.Topology.Nodes()
	crossing := make([]float64, len(bandwidths)) // messages on each link
	sent := make([]float64, nodes)               // messages, and
	busy := make([]float64, nodes)               // time they take alone
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
			busy[from] += latency + p.Bytes/narrowest
		}
	}
	least := 0.0
	for l, n := range crossing {
		if n > 0 {
			least = max(least, p.latency(1)+n*p.Bytes/bandwidths[l])
		}
	}
	for node, n := range sent {
		least = max(least, busy[node]/float64(p.controllers()), float64(n*p.SendWork)+float64(received[node]*p.ReceiveWork))
		if n > 0 { // some controller has so many messages
			least = max(least, float64((math.Ceil(n/float64(p.controllers()))-1)*p.Gap)+p.MessageTime())
		}
	}
	return least
}

// Memory estimates how many bytes an [Engine] of the problem takes, with a pattern
// of so many phases; [Problem.Pattern] need not be there yet.
func (p *Problem) Memory(phases int) float64 {
	nodes, links := float64(p.Topology.Nodes()), float64(p.links())
	slots := nodes * float64(p.controllers())
	size := func(v any) float64 { return float64(reflect.TypeOf(v).Size()) }
	const index = 4
	onLinks := 2 * index * float64(p.longest()) // lists have up to twice the room they need
	bytes := links*(size(link{})+roomOnLink*index) +
		slots*(size(slot{})+8+size(share{})+onLinks+index*float64(p.longest()+3)+8*fan/(fan-1)) +
		nodes*(size(node{})+index)
	if p.Sync != None {
		bytes += nodes * float64(phases) / 8
	}
	if p.Gap > 0 {
		bytes += 8 * slots
	}
	if p.Sharing == MaxMin {
		bytes += links*(size(linkState{})+size(leveled{})+2*index) + slots*(size(fairFlow{})+index)
	}
	return bytes
}
