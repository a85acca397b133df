package network

import "math"

// Traffic is who is on which link. A flow has a number, and keeps its route when it
// leaves.
type traffic struct {
	links   []link
	routes  []int32 // of all flows, longest links each
	hops    []int32 // how many of them each flow's route has
	longest int
	shares  []share
	changed []int32 // the flows whose share may have changed since they were listed last
}

// A link is what it can carry, and the flows on it.
type link struct {
	bandwidth float64
	share     order // of each flow, with equal sharing
	flows     []int32
}

// A share is the rate that a flow is to have.
type share struct {
	rate   order
	ties   int32 // with equal sharing, how many links of the route give just this rate
	listed bool  // among the changed
}

// An order is a number that is not negative, as its bits. Those of different numbers
// are in their order, and compilers compare and select integers with fewer
// branches, which in the loops here are badly predicted.
type order uint64

func orderOf(x float64) order { return order(math.Float64bits(x)) }

func (o order) number() float64 { return math.Float64frombits(uint64(o)) }

// never is +∞.
const never order = 0x7ff << 52

// roomOnLink is for how many flows on a link there is room from the beginning.
const roomOnLink = 4

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

// clear takes all flows away.
func (t *traffic) clear() {
	for l := range t.links {
		t.links[l].flows = t.links[l].flows[:0]
	}
	clear(t.shares)
	t.changed = t.changed[:0]
}

// room is where the route of a flow is written.
func (t *traffic) room(flow int32) []int32 {
	return t.routes[int(flow)*t.longest:][:0:t.longest]
}

// route is the links that a flow crosses.
func (t *traffic) route(flow int32) []int32 {
	return t.routes[int(flow)*t.longest:][:t.hops[flow]]
}

// list notes that a flow's share may have changed.
func (t *traffic) list(flow int32) {
	if s := &t.shares[flow]; !s.listed {
		s.listed = true
		t.changed = append(t.changed, flow)
	}
}

// sharing decides what rate each flow has.
type sharing interface {
	// join puts a flow on its route, leave takes it away. Between them and
	// settle, shares mean nothing.
	join(flow int32)
	leave(flow int32)
	// settle brings the shares up to date.
	settle()
	// clear takes all flows away.
	clear()
}
