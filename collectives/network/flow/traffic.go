package flow

import "math"

// A traffic stores which flow is on which link, and the rates of flows. A flow has the
// number of its slot, and keeps its route when it leaves.
type traffic struct {
	links   []link
	routes  []int32 // of all flows, longest elements each
	hops    []int32 // the number of links of each flow's route
	longest int
	shares  []share
	moment  uint32  // the number of the moment, which flows are marked with
	changed []int32 // flows whose rate changed in this moment
}

// A link has a bandwidth [B/s] and the flows on it. It fills one cache line, since most of
// the time of a large simulation goes to fetching links.
type link struct {
	bandwidth float64
	share     order // of each flow, with equal sharing
	flows     []int32
	room      [6]int32 // memory of flows while they are few
}

// A share is the rate of a flow as computed by a sharing.
type share struct {
	rate   order
	ties   int32  // with equal sharing, the number of links of the route with this share
	marked uint32 // the last moment at which the flow was marked
}

// An order is the bit pattern of a number that is not negative, whose integer order is
// the order of the numbers. Compilers compare and select integers with fewer branches than
// floating-point numbers, and branches in these loops are predicted badly.
type order uint64

// orderOf returns the order of x, which is at least 0.
func orderOf(x float64) order { return order(math.Float64bits(x)) }

func (o order) number() float64 { return math.Float64frombits(uint64(o)) }

// never is the order of +∞.
const never order = 0x7ff << 52

// newTraffic returns links of these bandwidths without flows, for that many flows whose
// routes have at most longest links.
func newTraffic(flows, longest int, bandwidths []float64) *traffic {
	t := &traffic{
		links:   make([]link, len(bandwidths)),
		routes:  make([]int32, flows*longest),
		hops:    make([]int32, flows),
		longest: longest,
		shares:  make([]share, flows),
	}
	for l, bandwidth := range bandwidths {
		link := &t.links[l]
		link.bandwidth, link.flows = bandwidth, link.room[:0]
	}
	return t
}

func (t *traffic) clear() {
	for l := range t.links {
		link := &t.links[l]
		link.flows = link.flows[:0]
	}
	clear(t.shares)
	t.changed = t.changed[:0]
	t.moment = 0
}

// room returns an empty slice with capacity for the route of a flow, to append to.
func (t *traffic) room(flow int32) []int32 {
	return t.routes[int(flow)*t.longest:][:0:t.longest]
}

func (t *traffic) route(flow int32) []int32 {
	return t.routes[int(flow)*t.longest:][:t.hops[flow]]
}

func (l *link) remove(place int) {
	last := len(l.flows) - 1
	l.flows[place] = l.flows[last]
	l.flows = l.flows[:last]
}

// A sharing computes the rate of each flow.
type sharing interface {
	// join adds a flow to the links of its route and leave removes it. Rates are undefined from
	// then until settle.
	join(flow int32)
	leave(flow int32)
	// settle computes the rates of flows, and appends those whose rate changed to the traffic's
	// changed ones.
	settle()
	// clear removes all flows.
	clear()
}
