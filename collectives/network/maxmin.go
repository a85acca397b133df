package network

import "math"

// maxmin computes max–min fair rates: no flow could be faster except at the expense of one
// that is not faster than itself. So each flow has a bottleneck, a full link on which no
// flow is faster, and this determines all rates.
//
// Flows that join or leave change the rates of few others. The rates of some flows, the
// free ones, are recomputed by progressive filling: all of them grow at the same pace, and
// those on a link that becomes full stop (Bertsekas and Gallager, Data Networks, section
// 6.5.2). The other flows keep their rates. Free are at first the flows that joined, those
// that may have to yield to them, and those with a bottleneck that some flow left. After
// each filling the flows become free that are now faster than the free ones on a full link,
// and those without a bottleneck; filling repeats until there are none.
//
// Links with the same free flows become full in the order of what each has left for them, whatever
// the others do. So they form a group (groups.go), and of each only the link with the least left
// matters: on a torus, consecutive links of a route mostly have the same flows.
type maxmin struct {
	*traffic
	states  []linkState
	flows   []fairFlow
	touched []int32 // links that flows have joined or left since the last settle
	free    []int32 // free flows
	region  []int32 // links with free flows
	groups  groups  // of the links of the region
}

// A fairFlow is the state of one flow.
type fairFlow struct {
	rate    float64 // [B/s]
	neck    int32   // its bottleneck, or one of them
	free    bool
	growing bool // free, and not stopped yet by a full link
}

// A linkState is the state of one link.
type linkState struct {
	carried float64 // sum of the rates of its flows [B/s]
	fastest float64 // largest rate of its flows
	left    float64 // bandwidth that flows which are not free leave, in the region
	key     uint64  // sum of the keys of its free flows, in the region
	group   int32   // in the region
	free    int32   // number of free flows, in the region
	touched bool
	inside  bool // in the region
	wasFull bool // before the filling
}

const (
	// sameRate is the relative difference up to which two rates count as the same, a
	// little more than the error of rounding.
	sameRate = 1e-13
	// fullness is the fraction of its bandwidth from which a link counts as full.
	fullness = 1 - 1e-12
)

// newMaxMin returns the sharing for traffic without flows.
func newMaxMin(t *traffic) *maxmin {
	return &maxmin{
		traffic: t,
		states:  make([]linkState, len(t.links)),
		flows:   make([]fairFlow, len(t.shares)),
	}
}

// clear implements [sharing].
func (m *maxmin) clear() {
	m.traffic.clear()
	clear(m.states)
	clear(m.flows)
	m.touched, m.free, m.region = m.touched[:0], m.free[:0], m.region[:0]
}

// join implements [sharing].
func (m *maxmin) join(flow int32) {
	m.shares[flow].rate, m.flows[flow].rate = 0, 0
	m.release(flow)
	for _, l := range m.route(flow) {
		m.links[l].flows = append(m.links[l].flows, flow)
		m.touch(l)
	}
}

// leave implements [sharing].
func (m *maxmin) leave(flow int32) {
	for _, l := range m.route(flow) {
		flows, last := m.links[l].flows, len(m.links[l].flows)-1
		for i := range flows {
			if flows[i] == flow {
				flows[i] = flows[last]
				break
			}
		}
		m.links[l].flows = flows[:last]
		m.touch(l)
	}
}

// touch adds a link to the touched ones, if it is not there yet.
func (m *maxmin) touch(l int32) {
	if !m.states[l].touched {
		m.states[l].touched = true
		m.touched = append(m.touched, l)
	}
}

// release adds a flow to the free ones, if it is not there yet.
func (m *maxmin) release(flow int32) {
	if f := &m.flows[flow]; !f.free {
		f.free = true
		m.free = append(m.free, flow)
	}
}

// settle implements [sharing].
func (m *maxmin) settle() {
	for _, l := range m.touched {
		m.states[l].touched = false
		m.begin(l)
	}
	m.region = m.region[:0]
	for surveyed := 0; surveyed < len(m.free); m.spread() {
		m.survey(m.free[surveyed:])
		surveyed = len(m.free)
		m.fill()
	}
	for _, l := range m.region {
		m.states[l].inside = false
	}
	for _, flow := range m.free {
		f, s := &m.flows[flow], &m.shares[flow]
		f.free = false
		if before := s.rate.number(); math.Abs(f.rate-before) > sameRate*f.rate {
			s.rate = orderOf(f.rate)
			m.list(flow)
		} else {
			f.rate = before
		}
	}
	m.touched, m.free = m.touched[:0], m.free[:0]
}

// begin frees the flows of a touched link whose rate a flow that joined or left may change.
func (m *maxmin) begin(l int32) {
	s, flows, bandwidth := &m.states[l], m.links[l].flows, m.links[l].bandwidth
	wasFull := m.isFull(l)
	m.measure(l)
	bar := math.Inf(1)
	if wasFull { // perhaps by flows that have left
		bar = s.fastest
	}
	// If a flow joined and less than an even share is left, faster flows must yield.
	if even := bandwidth / float64(len(flows)); bandwidth-s.carried < even {
		bar = min(bar, even)
	}
	bar *= 1 - sameRate
	for _, flow := range flows {
		if m.flows[flow].rate >= bar {
			m.release(flow)
		}
	}
}

// measure computes the sum and the maximum of the rates on a link.
func (m *maxmin) measure(l int32) {
	flows := m.flows
	carried, fastest := 0.0, 0.0
	for _, flow := range m.links[l].flows {
		rate := flows[flow].rate
		carried += rate
		if rate > fastest {
			fastest = rate
		}
	}
	m.states[l].carried, m.states[l].fastest = carried, fastest
}

// survey adds the links of newly freed flows to the region, and what they leave to free flows.
func (m *maxmin) survey(freed []int32) {
	for _, flow := range freed {
		rate, key := m.flows[flow].rate, keyOf(flow)
		for _, l := range m.route(flow) {
			s := &m.states[l]
			if !s.inside {
				s.inside = true
				m.region = append(m.region, l)
				s.wasFull = m.isFull(l)
				s.left, s.free, s.key = m.links[l].bandwidth-s.carried, 0, 0
			}
			s.left += rate
			s.key += key
			s.free++
		}
	}
	m.groups.clear(len(m.region))
	for _, l := range m.region {
		s := &m.states[l]
		s.group = m.groups.add(l, s)
	}
	for _, flow := range m.free {
		m.flows[flow].growing = true
	}
}

// fill computes the rates of the free flows, with those of the others unchanged.
func (m *maxmin) fill() {
	m.groups.order()
	water := 0.0 // rate of all growing flows
	for left := len(m.free); left > 0; {
		g, level := m.groups.first()
		if level > water*(1+sameRate) {
			water = level
		}
		group := &m.groups.all[g]
		group.full = water
		left -= m.stop(group.link, water)
		m.groups.raise()
	}
}

// stop stops the growing flows of a link that has become full, and returns their number.
func (m *maxmin) stop(l int32, water float64) int {
	stopped := 0
	for _, flow := range m.links[l].flows {
		f := &m.flows[flow]
		if !f.growing {
			continue
		}
		f.growing, f.rate, f.neck = false, water, l
		stopped++
		last := int32(-1)
		for _, k := range m.route(flow) {
			if g := m.states[k].group; g != last {
				m.groups.stop(g, flow, water)
				last = g
			}
		}
	}
	return stopped
}

// spread frees the flows that have lost their bottleneck to the new rates of the free ones. They
// can only be on links that are full, or were.
func (m *maxmin) spread() {
	for _, l := range m.region {
		s := &m.states[l]
		s.carried = m.links[l].bandwidth - (s.left - m.groups.all[s.group].taken)
		if s.wasFull || m.isFull(l) {
			m.measure(l)
		}
	}
	for _, l := range m.region {
		s := &m.states[l]
		if !s.wasFull && !m.isFull(l) {
			continue
		}
		s.wasFull = m.isFull(l)
		most := math.Inf(1)
		if group := &m.groups.all[s.group]; group.link == l {
			most = group.full * (1 + sameRate)
		}
		for _, flow := range m.links[l].flows {
			f := &m.flows[flow]
			if !f.free && (f.rate > most || f.neck == l && !m.hasBottleneck(flow)) {
				m.release(flow)
			}
		}
	}
}

// hasBottleneck reports whether a flow has a bottleneck, and stores it as the flow's neck.
func (m *maxmin) hasBottleneck(flow int32) bool {
	f := &m.flows[flow]
	if m.isBottleneck(f.neck, f.rate) {
		return true
	}
	for _, l := range m.route(flow) {
		if m.isBottleneck(l, f.rate) {
			f.neck = l
			return true
		}
	}
	return false
}

// isFull reports whether a link carries its whole bandwidth, but for rounding.
func (m *maxmin) isFull(l int32) bool {
	return m.states[l].carried >= fullness*m.links[l].bandwidth
}

// isBottleneck reports whether a link is full and none of its flows faster than rate.
func (m *maxmin) isBottleneck(l int32, rate float64) bool {
	return m.isFull(l) && rate >= m.states[l].fastest*(1-sameRate)
}

var _ sharing = (*maxmin)(nil)
