package network_test

import (
	"math"
	"slices"

	"jitterfly/collectives/network"
)

// reference simulates a problem as docs/model.md describes it, and computes everything
// again at every moment.
type reference struct {
	network.Problem
	host     network.Host
	delays   network.Delays
	now      float64
	nodes    []*referenceNode
	arrived  map[[2]int]bool // phase and node
	complete float64
}

type referenceNode struct {
	next        int // phase
	free        float64
	controllers []*referenceController
}

type referenceController struct {
	busy           bool
	phase          int
	to             int
	route          []int
	begins         float64 // when its message joins its links, or joins them again
	left, rate     float64
	transit, delay float64 // until the next event, and its length
	posted         []float64
}

// together is the relative difference up to which moments count as one.
const together = 1e-12

func (r *reference) run() float64 {
	r.arrived = map[[2]int]bool{}
	for n := range r.Topology.Nodes() {
		node := &referenceNode{free: r.host.Finish(n, 0, 0)}
		for c := range max(1, r.Controllers) {
			controller := &referenceController{phase: -1}
			controller.transit, controller.delay = r.delays.Next(n, c)
			node.controllers = append(node.controllers, controller)
		}
		r.nodes = append(r.nodes, node)
		r.complete = max(r.complete, node.free)
	}
	r.send()
	for {
		r.share()
		at := math.Inf(1)
		r.each(func(_, _ int, c *referenceController) {
			if c.busy && c.begins > r.now {
				at = min(at, c.begins)
			} else if c.busy {
				at = min(at, r.now+c.left/c.rate, r.now+c.transit)
			}
		})
		if math.IsInf(at, 1) {
			return r.complete
		}
		r.advance(at)
		r.send()
	}
}

func (r *reference) each(do func(node, controller int, c *referenceController)) {
	for n, node := range r.nodes {
		for i, c := range node.controllers {
			do(n, i, c)
		}
	}
}

// advance simulates one moment without the sending.
func (r *reference) advance(at float64) {
	until, passed := at*(1+together), at-r.now
	r.each(func(n, i int, c *referenceController) {
		switch {
		case !c.busy:
		case c.begins > r.now:
			if c.begins <= until {
				c.begins = at
			}
		case r.now+c.left/c.rate <= until:
			c.busy = false
			c.transit -= passed
			node := r.nodes[c.to]
			work := r.ReceiveWork
			if node.next <= c.phase {
				work += r.EarlyWork
			}
			node.free = r.host.Finish(c.to, max(at, node.free), work)
			r.complete = max(r.complete, node.free)
			r.arrived[[2]int{c.phase, c.to}] = true
		default:
			c.left -= c.rate * passed
			c.transit -= passed
			if c.transit <= until-at {
				c.begins = at + c.delay
				c.transit, c.delay = r.delays.Next(n, i)
			}
		}
	})
	r.now = at
}

// send lets all nodes send the messages that their sync allows.
func (r *reference) send() {
	for n, node := range r.nodes {
		received := func(phase int) bool {
			return phase < 0 || r.Pattern.From(phase, n) == network.NoNode || r.arrived[[2]int{phase, n}]
		}
		all := func() bool {
			for _, c := range node.controllers {
				if c.busy {
					return false
				}
			}
			for phase := range node.next {
				if !received(phase) {
					return false
				}
			}
			return true
		}
		for r.Sync == network.Local && node.next < r.Pattern.Phases() && all() {
			for i := range node.controllers {
				r.next(n, i)
			}
		}
		for i, c := range node.controllers {
			for r.Sync != network.Local && node.next < r.Pattern.Phases() && !c.busy &&
				(r.Sync != network.LocalController || received(c.phase)) &&
				(r.Sync != network.LocalCount || r.enough(n)) {
				r.next(n, i)
			}
		}
	}
}

// enough reports whether a node has received as many messages as those of the phases up to the
// next one minus the number of controllers.
func (r *reference) enough(n int) bool {
	node, short := r.nodes[n], 0
	for phase := range max(0, node.next-len(node.controllers)+1) {
		if r.Pattern.From(phase, n) != network.NoNode {
			short++
		}
	}
	for at := range r.arrived {
		if at[1] == n {
			short--
		}
	}
	return short <= 0
}

// next gives a controller the next message, if any.
func (r *reference) next(n, i int) {
	node, c := r.nodes[n], r.nodes[n].controllers[i]
	if node.next == r.Pattern.Phases() {
		return
	}
	c.phase, c.to = node.next, r.Pattern.To(node.next, n)
	node.next++
	if c.to == network.NoNode {
		return
	}
	c.busy, c.left, c.rate = true, r.Bytes, 0
	node.free = r.host.Finish(n, max(r.now, node.free), r.SendWork)
	c.route = nil
	for _, l := range r.Topology.Route(nil, n, c.to) {
		c.route = append(c.route, int(l))
	}
	latency := r.Latency + float64(len(c.route))*r.HopLatency
	for range int(r.Stalls) {
		latency += 2 * (r.Latency + float64(len(c.route))*r.HopLatency)
	}
	ranks, several := r.Topology.(network.Ranks)
	inside := several && n/ranks.Each == c.to/ranks.Each
	if inside {
		latency = r.NodeLatency
	}
	latency += r.delays.Extra(n, i)
	posted := node.free
	if before := len(c.posted); before > 0 {
		posted = max(posted, c.posted[before-1]+r.Gap)
	}
	c.posted = append(c.posted, posted)
	c.begins = posted + latency
	for c.transit < latency {
		c.begins += c.delay
		latency -= c.transit
		c.transit, c.delay = r.delays.Next(n, i)
	}
	c.transit -= latency
	if ports := r.Topology.Links(); r.PortBandwidth > 0 && !inside {
		c.route = append(c.route, ports+n, ports+len(r.nodes)+c.to)
	}
}

// share computes the rates.
func (r *reference) share() {
	flows := map[int][]*referenceController{} // on each link
	growing := map[*referenceController]bool{}
	r.each(func(_, _ int, c *referenceController) {
		if c.busy && c.begins <= r.now {
			growing[c] = true
			for _, l := range c.route {
				flows[l] = append(flows[l], c)
			}
		}
	})
	bandwidth := func(l int) float64 {
		ranks, several := r.Topology.(network.Ranks)
		switch {
		case several && l >= ranks.On.Links() && l < ranks.Links():
			return r.NodeBandwidth
		case l < r.Topology.Links():
			return r.Bandwidth
		}
		return r.PortBandwidth
	}
	if r.Sharing == network.Equal {
		for c := range growing {
			c.rate = math.Inf(1)
			for _, l := range c.route {
				c.rate = min(c.rate, bandwidth(l)/float64(len(flows[l])))
			}
		}
		return
	}
	for len(growing) > 0 {
		// The link that is full first, of all that have flows that grow.
		full, level := -1, math.Inf(1)
		for l, on := range flows {
			left, n := bandwidth(l), 0
			for _, c := range on {
				if growing[c] {
					n++
				} else {
					left -= c.rate
				}
			}
			if n > 0 && (left/float64(n) < level || left/float64(n) == level && l < full) {
				full, level = l, left/float64(n)
			}
		}
		for _, c := range slices.Clone(flows[full]) {
			if growing[c] {
				c.rate = level
				delete(growing, c)
			}
		}
	}
}
