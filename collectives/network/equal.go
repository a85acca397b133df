package network

// equal sharing splits the bandwidth of each link equally among the flows on it; a
// flow runs at the smallest share on its route, and what it leaves of the others
// nobody has (Suzuki et al., section 2.1).
//
// Who joins or leaves changes the shares of the links on its route only, so only the
// flows there are looked at, and only those that have no bottleneck elsewhere change.
// To know these without looking at their routes, each flow counts its bottlenecks.
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
	e.seek(flow)
	for _, l := range route {
		link := &e.links[l]
		e.lower(link.flows, link.share)
		link.flows = append(link.flows, flow)
	}
}

// lower gives flows a smaller share of one of their links.
//
//go:noinline // so that its variables stay in registers
func (e *equal) lower(flows []int32, share order) {
	shares := e.shares
	for _, flow := range flows {
		s := &shares[flow]
		s.ties += one(s.rate == share)
		if s.rate > share {
			s.rate, s.ties = share, 1
			if !s.listed {
				e.list(flow)
			}
		}
	}
}

func (e *equal) leave(flow int32) {
	e.shares[flow].rate = 0 // so that none of its links seems its bottleneck
	route := e.route(flow)
	for _, l := range route {
		link := &e.links[l]
		place := e.untie(link.flows, link.share, flow)
		last := len(link.flows) - 1
		link.flows[place] = link.flows[last]
		link.flows = link.flows[:last]
	}
	for _, l := range route {
		link := &e.links[l]
		link.share = orderOf(link.bandwidth / float64(len(link.flows)))
	}
	for _, other := range e.loose {
		e.seek(other)
	}
	e.loose = e.loose[:0]
}

// untie takes the link from the bottlenecks of all flows that have its share, and
// says where among them one flow is.
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

// seek finds the bottlenecks of a flow.
func (e *equal) seek(flow int32) {
	links, route := e.links, e.route(flow)
	rate, ties := never, int32(0)
	for _, l := range route {
		rate = min(rate, links[l].share)
	}
	for _, l := range route {
		ties += one(links[l].share == rate)
	}
	e.shares[flow].rate, e.shares[flow].ties = rate, ties
	e.list(flow)
}

// one is 1 if the condition holds, else 0. It compiles to no branch.
func one(condition bool) int32 {
	if condition {
		return 1
	}
	return 0
}

func (*equal) settle() {}

var _ sharing = (*equal)(nil)
