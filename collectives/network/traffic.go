package network

import "math"

// A traffic stores which flow is on which link, and the rates of flows. A flow has the
// number of its slot, and keeps its route when it leaves.
type traffic struct {
	links   []link
	routes  []int32 // of all flows, longest elements each
	hops    []int32 // the number of links of each flow's route
	longest int
	shares  []share
	changed []int32 // the flows whose rate may have changed since the engine read it
}

// A link has a bandwidth [B/s] and the flows on it.
type link struct {
	bandwidth float64
	share     order // of each flow, with equal sharing
	flows     []int32
}

// A share is the rate of a flow as computed by a sharing.
type share struct {
	rate   order
	ties   int32 // with equal sharing, the number of links of the route with this share
	listed bool  // in traffic.changed
}

// An order is the bit pattern of a number that is not negative, whose integer order is
// the order of the numbers. Compilers compare and select integers with fewer branches than
// floating-point numbers, and branches in these loops are predicted badly.
type order uint64

// orderOf returns the order of x, which is at least 0.
func orderOf(x float64) order { return order(math.Float64bits(x)) }

// number returns the number whose order is o.
func (o order) number() float64 { return math.Float64frombits(uint64(o)) }

// never is the order of +∞.
const never order = 0x7ff << 52

// roomOnLink is the number of flows for which each link has memory from the start.
const roomOnLink = 4

// newTraffic returns links of these bandwidths without flows, for that many flows whose
// routes have at most longest links.
func newTraffic(flows, longest int, bandwidths []float64) *traffic {
	t := &traffic{
		links:   make([]link, len(bandwidths)),
		routes:  make([]int32, flows*longest),
		hops:    make([]int32, flows),
		longest: longest,
		shares:  make([]share, flows),
		changed: make([]int32, 0, flows),
	}
	room := make([]int32, roomOnLink*len(bandwidths))
	for l, bandwidth := range bandwidths {
		t.links[l] = link{bandwidth: bandwidth, flows: room[roomOnLink*l:][:0:roomOnLink]}
	}
	return t
}

// clear removes all flows.
func (t *traffic) clear() {
	for l := range t.links {
		t.links[l].flows = t.links[l].flows[:0]
	}
	clear(t.shares)
	t.changed = t.changed[:0]
}

// room returns an empty slice with capacity for the route of a flow, to append to.
func (t *traffic) room(flow int32) []int32 {
	return t.routes[int(flow)*t.longest:][:0:t.longest]
}

// route returns the links that a flow crosses.
func (t *traffic) route(flow int32) []int32 {
	return t.routes[int(flow)*t.longest:][:t.hops[flow]]
}

// list adds a flow to the changed ones, if it is not there yet.
func (t *traffic) list(flow int32) {
	if s := &t.shares[flow]; !s.listed {
		s.listed = true
		t.changed = append(t.changed, flow)
	}
}

// A sharing computes the rate of each flow.
type sharing interface {
	// join adds a flow to the links of its route and leave removes it. Rates are
	// undefined from then until settle.
	join(flow int32)
	leave(flow int32)
	// settle computes the rates and lists the flows whose rate changed.
	settle()
	// clear removes all flows.
	clear()
}
