package network

import "math"

// equal sharing splits the bandwidth of each link equally among the flows on it; a
// flow runs at the smallest share on its route, and what it leaves of the others
// nobody has (Suzuki et al., section 2.1).
//
// Who joins or leaves changes the shares of the links on its route only, so only the
// flows there are looked at, and only those that have no bottleneck elsewhere change.
// To know these without looking at their routes, each flow counts its bottlenecks.
type equal struct{ *traffic }

func (e equal) join(flow int32) {
	own, ties := math.Inf(1), int32(0)
	for _, l := range e.route(flow) {
		link := &e.links[l]
		share := link.bandwidth / float64(len(link.flows)+1)
		link.share = share
		e.lower(link.flows, share)
		link.flows = append(link.flows, flow)
		if share < own {
			own, ties = share, 1
		} else if share == own {
			ties++
		}
	}
	e.shares[flow].rate, e.shares[flow].ties = own, ties
	e.list(flow)
}

// lower gives flows a smaller share of one of their links.
func (e equal) lower(flows []int32, share float64) {
	shares := e.shares
	for _, flow := range flows {
		s := &shares[flow]
		if s.rate < share {
			continue
		}
		if s.rate == share {
			s.ties++
			continue
		}
		s.rate, s.ties = share, 1
		if !s.listed {
			e.list(flow)
		}
	}
}

func (e equal) leave(flow int32) {
	e.shares[flow].rate = 0 // so that none of its links seems its bottleneck
	for _, l := range e.route(flow) {
		link := &e.links[l]
		flows, last := link.flows, len(link.flows)-1
		place, raised := untie(e.shares, flows, link.share, flow)
		flows[place] = flows[last]
		link.flows = flows[:last]
		link.share = link.bandwidth / float64(last)
		if !raised {
			continue
		}
		for _, other := range link.flows {
			if e.shares[other].ties == 0 {
				e.raise(other)
			}
		}
	}
}

// untie takes the link from the bottlenecks of all flows that have its share. It says
// where among them one flow is, and whether others have no bottleneck left.
func untie(shares []share, flows []int32, share float64, flow int32) (place int, raised bool) {
	for i, other := range flows {
		if s := &shares[other]; s.rate == share {
			s.ties--
			if s.ties == 0 {
				raised = true
			}
		}
		if other == flow {
			place = i
		}
	}
	return place, raised
}

// raise finds the bottlenecks of a flow that has lost its last.
func (e equal) raise(flow int32) {
	rate, ties := math.Inf(1), int32(0)
	for _, l := range e.route(flow) {
		if share := e.links[l].share; share < rate {
			rate, ties = share, 1
		} else if share == rate {
			ties++
		}
	}
	e.shares[flow].rate, e.shares[flow].ties = rate, ties
	e.list(flow)
}

func (equal) settle() {}

var _ sharing = equal{}
