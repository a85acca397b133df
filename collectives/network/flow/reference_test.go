package flow_test

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
)

// reference simulates a problem as docs/model/topologies.md describes it, and computes everything
// again at every moment.
type reference struct {
	flow.Network
	host     network.Host
	delays   network.Delays
	now      float64
	plan     network.Sequence
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
	r.arrived, r.plan = map[[2]int]bool{}, r.Sequence()
	for n := range r.Ranks() {
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
			return phase < 0 || r.plan.From(phase, n) == network.NoRank || r.arrived[[2]int{phase, n}]
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
		for r.Sync == network.Local && node.next < len(r.plan.Exchanges) && all() {
			for i := range node.controllers {
				r.next(n, i)
			}
		}
		for i, c := range node.controllers {
			for r.Sync != network.Local && node.next < len(r.plan.Exchanges) && !c.busy &&
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
		if r.plan.From(phase, n) != network.NoRank {
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
	if node.next == len(r.plan.Exchanges) {
		return
	}
	c.phase, c.to = node.next, r.plan.To(node.next, n)
	node.next++
	if c.to == network.NoRank {
		return
	}
	bytes := r.plan.Exchanges[c.phase].Bytes
	c.busy, c.left, c.rate = true, bytes, 0
	node.free = r.host.Finish(n, max(r.now, node.free), r.SendWork)
	c.route = nil
	inside := r.Placement.PerNode > 1 && n/r.Placement.PerNode == c.to/r.Placement.PerNode
	if inside {
		c.route = []int{r.Topology.Links() + c.to}
	} else {
		each := max(1, r.Placement.PerNode)
		for _, l := range r.Topology.Route(nil, n/each, c.to/each) {
			c.route = append(c.route, int(l))
		}
	}
	latency := r.Latency + float64(len(c.route))*r.HopLatency
	if turn, sends := 2*latency+r.Reading, r.Window/r.Bandwidth; r.Window > 0 && turn > sends {
		for left := bytes - r.Window; left > 0; left -= r.Window {
			latency += turn - sends
		}
	}
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
	if ports := r.ports(); r.PortBandwidth > 0 && !inside {
		c.route = append(c.route, ports+n, ports+len(r.nodes)+c.to)
	}
}

// ports returns the number of the first port.
func (r *reference) ports() int {
	if r.Placement.PerNode > 1 {
		return r.Topology.Links() + len(r.nodes)
	}
	return r.Topology.Links()
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
		switch {
		case l < r.Topology.Links():
			return r.Bandwidth
		case l < r.ports():
			return r.NodeBandwidth
		}
		return r.PortBandwidth
	}
	if r.Sharing == flow.Equal {
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

// finished is a host that stores when each node's processor completed each piece of work.
type finished struct {
	network.Host
	at [][]float64
}

func newFinished(host network.Host, nodes int) *finished {
	return &finished{host, make([][]float64, nodes)}
}

func (f *finished) Finish(node int, t, work float64) float64 {
	end := f.Host.Finish(node, t, work)
	f.at[node] = append(f.at[node], end)
	return end
}

// differs returns the first time at which the two differ by more than a relative tolerance, or
// +∞.
func (f *finished) differs(other *finished, tolerance float64) float64 {
	first := math.Inf(1)
	for node, times := range f.at {
		others := other.at[node]
		for i := range max(len(times), len(others)) {
			switch {
			case i >= len(times):
				first = min(first, others[i])
			case i >= len(others):
				first = min(first, times[i])
			case math.Abs(times[i]-others[i]) > tolerance*times[i]:
				first = min(first, times[i], others[i])
			}
		}
	}
	return first
}

// runAsReference simulates a problem with the engine and with the reference, and compares when
// each piece of work is completed.
//
// What is simulated can be chaotic (docs/model/topologies.md): then a difference in the last bit
// grows exponentially, and as the two compute the same times by different sums, they agree only at
// first. Whether it is chaotic the reference itself shows, by how far it differs from itself with
// bandwidths that are higher by much more than rounding, 1e-13. Up to until, when that makes a
// difference of 1e-11, which is mostly never, the two must agree to 1e-9.
func runAsReference(
	t rapid.TB, p flow.Network, host network.Host, delays *events,
) (got network.Result, until float64) {
	t.Helper()
	simulate := func(p flow.Network) *finished {
		f := newFinished(host, p.Ranks())
		(&reference{Network: p, host: f, delays: delays.again()}).run()
		return f
	}
	want, until := simulate(p), math.Inf(1)
	f := newFinished(host, p.Ranks())
	got = run(t, p, f, delays.again())
	if differs := want.differs(f, 1e-9); !math.IsInf(differs, 1) {
		faster := p
		for _, b := range []*float64{&faster.Bandwidth, &faster.PortBandwidth, &faster.NodeBandwidth} {
			*b *= 1 + 1e-13
		}
		if until = want.differs(simulate(faster), 1e-11); differs < until {
			t.Fatalf("%s: work is completed at other times, the first at %v s", p.Topology, differs)
		}
	}
	return got, until
}
