package flow

// equal splits the bandwidth of each link equally among the flows on it. A flow runs at the
// smallest share on its route, and what it leaves of its larger shares is unused (Suzuki et
// al., section 2.1).
//
// A flow that joins or leaves changes the shares of the links on its route only. So only
// the flows on these links are visited, and only those without a bottleneck elsewhere change
// their rate. To find them without visiting their routes, each flow counts its bottlenecks.
type equal struct {
	*traffic
	loose []int32 // flows that have lost their last bottleneck
}

func (e *equal) join(flow int32) {
	route := e.route(flow)
	for _, l := range route {
		link := &e.links[l]
		link.share = orderOf(link.bandwidth / float64(len(link.flows)+1))
	}
	e.findBottlenecks(flow)
	e.list(flow)
	for _, l := range route {
		link := &e.links[l]
		e.lower(link.flows, link.share)
		link.flows = append(link.flows, flow)
	}
}

// lower reduces the share of flows on one of their links.
//
//go:noinline // so that its variables stay in registers
func (e *equal) lower(flows []int32, share order) {
	shares := e.shares
	for _, flow := range flows {
		s := &shares[flow]
		s.ties += one(s.rate == share)
		if s.rate > share {
			s.rate, s.ties = share, 1
			e.list(flow)
		}
	}
}

func (e *equal) leave(flow int32) {
	e.shares[flow].rate = 0 // so that untie finds no bottleneck of this flow
	route := e.route(flow)
	for _, l := range route {
		link := &e.links[l]
		link.remove(e.untie(link.flows, link.share, flow))
	}
	for _, l := range route {
		link := &e.links[l]
		link.share = orderOf(link.bandwidth / float64(len(link.flows)))
	}
	for _, other := range e.loose {
		e.findBottlenecks(other)
		e.list(other)
	}
	e.loose = e.loose[:0]
}

// untie removes a link from the bottlenecks of all its flows that run at its share, and
// returns the index of flow in flows.
//
//go:noinline // so that its variables stay in registers
func (e *equal) untie(flows []int32, share order, flow int32) (place int) {
	shares := e.shares
	for i, other := range flows {
		s := &shares[other]
		tied := one(s.rate == share)
		s.ties -= tied
		if s.ties < tied {
			e.loose = append(e.loose, other)
		}
		if other == flow {
			place = i
		}
	}
	return place
}

// settle implements [sharing]: join and leave have done it all.
func (*equal) settle() {}

// findBottlenecks sets the rate of a flow and counts its bottlenecks.
func (e *equal) findBottlenecks(flow int32) {
	links, route := e.links, e.route(flow)
	rate, ties := never, int32(0)
	for _, l := range route {
		rate = min(rate, links[l].share)
	}
	for _, l := range route {
		ties += one(links[l].share == rate)
	}
	e.shares[flow].rate, e.shares[flow].ties = rate, ties
}

// list lists a flow whose rate may have changed, once in a moment.
func (e *equal) list(flow int32) {
	if s := &e.shares[flow]; s.marked != e.moment {
		s.marked = e.moment
		e.changed = append(e.changed, flow)
	}
}

// one returns 1 if the condition is true, else 0. It compiles to no branch.
func one(condition bool) int32 {
	if condition {
		return 1
	}
	return 0
}
