package network

import "math"

// maxmin sharing is max–min fair: no flow could be faster but at the expense of one
// that is not faster than itself. So each flow has a bottleneck, a full link on
// which no flow is faster, and this determines all rates.
//
// Flows that join or leave change few others. The rates of some flows, the free
// ones, are found anew by filling: all grow at once, and those on a link that is
// full stop (Bertsekas and Gallager, Data Networks, section 6.5.2). The others
// keep theirs. Free are at first those that joined and those that may have to make
// room for them, or had their bottleneck where somebody left. When they are filled,
// others become free that are now faster than the free ones on a full link, or that
// have no bottleneck any more, until there are none.
type maxmin struct {
	*traffic
	states  []linkState
	flows   []fairFlow
	touched []int32 // links that flows have joined or left since the last settle
	free    []int32 // flows
	region  []int32 // links with free flows
	filling heap
}

// A fairFlow is what a flow knows of itself.
type fairFlow struct {
	rate    float64
	neck    int32 // its bottleneck, or one of them
	free    bool
	growing bool
}

// A linkState is what a link knows of the flows on it.
type linkState struct {
	carried float64 // the sum of their rates
	fastest float64 // the largest
	left    float64 // in a filling: what is left for the free that still grow
	full    float64 // rate at which free flows stopped because of this link, or +∞
	growing int32   // how many free flows still grow
	touched bool
	inside  bool // in the region
	wasFull bool // before a filling
}

const (
	// alike is how far apart, relative to their size, rates can be that are one: a
	// little more than what rounding makes of them.
	alike = 1e-13
	// fullness is how much of its bandwidth a full link carries at least.
	fullness = 1 - 1e-12
)

func newMaxMin(t *traffic) *maxmin {
	return &maxmin{
		traffic: t,
		states:  make([]linkState, len(t.links)),
		flows:   make([]fairFlow, len(t.shares)),
	}
}

func (m *maxmin) clear() {
	m.traffic.clear()
	clear(m.states)
	clear(m.flows)
	m.touched, m.free, m.region = m.touched[:0], m.free[:0], m.region[:0]
}

func (m *maxmin) join(flow int32) {
	m.shares[flow].rate, m.flows[flow].rate = 0, 0
	m.release(flow)
	for _, l := range m.route(flow) {
		m.links[l].flows = append(m.links[l].flows, flow)
		m.touch(l)
	}
}

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

func (m *maxmin) touch(l int32) {
	if !m.states[l].touched {
		m.states[l].touched = true
		m.touched = append(m.touched, l)
	}
}

// release frees a flow.
func (m *maxmin) release(flow int32) {
	if f := &m.flows[flow]; !f.free {
		f.free = true
		m.free = append(m.free, flow)
	}
}

func (m *maxmin) settle() {
	for _, l := range m.touched {
		m.states[l].touched = false
		m.begin(l)
	}
	for more := len(m.free) > 0; more; more = m.spread() {
		m.survey()
		m.fill()
	}
	for _, flow := range m.free {
		f, s := &m.flows[flow], &m.shares[flow]
		f.free = false
		if before := s.rate.number(); math.Abs(f.rate-before) > alike*f.rate {
			s.rate = orderOf(f.rate)
			m.list(flow)
		} else {
			f.rate = before
		}
	}
	m.touched, m.free = m.touched[:0], m.free[:0]
}

// begin frees the flows that a touched link concerns, as far as it can tell.
func (m *maxmin) begin(l int32) {
	s, flows, bandwidth := &m.states[l], m.links[l].flows, m.links[l].bandwidth
	wasFull := m.isFull(l)
	m.measure(l)
	bar := math.Inf(1)
	if wasFull { // by flows that may have left
		bar = s.fastest
	}
	if even := bandwidth / float64(len(flows)); bandwidth-s.carried < even { // not enough for one that joined
		bar = min(bar, even)
	}
	bar *= 1 - alike
	for _, flow := range flows {
		if m.flows[flow].rate >= bar {
			m.release(flow)
		}
	}
}

// measure finds what a link carries.
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

// survey finds the region, and what there is for the free flows.
func (m *maxmin) survey() {
	m.region = m.region[:0]
	for _, flow := range m.free {
		rate := m.flows[flow].rate
		m.flows[flow].growing = true
		for _, l := range m.route(flow) {
			s := &m.states[l]
			if !s.inside {
				s.inside = true
				m.region = append(m.region, l)
				s.full, s.wasFull = math.Inf(1), m.isFull(l)
				s.left, s.growing = m.links[l].bandwidth-s.carried, 0
			}
			s.left += rate
			s.growing++
		}
	}
	m.filling.clear()
	for _, l := range m.region {
		s := &m.states[l]
		m.filling.add(l, max(0, s.left)/float64(s.growing))
	}
	m.filling.order()
}

// fill finds the rates of the free flows while the others keep theirs.
func (m *maxmin) fill() {
	water := 0.0 // the rate of all that grow
	for left := len(m.free); left > 0; {
		l, level := m.filling[0].link, m.filling[0].level
		s := &m.states[l]
		if s.growing == 0 {
			m.filling.drop()
			continue
		}
		if now := max(0, s.left) / float64(s.growing); now > level {
			m.filling.raise(now) // flows that stopped elsewhere made room
			continue
		}
		m.filling.drop()
		if level > water*(1+alike) {
			water = level
		}
		s.full = water
		for _, flow := range m.links[l].flows {
			f := &m.flows[flow]
			if !f.growing {
				continue
			}
			f.growing, f.rate, f.neck = false, water, l
			left--
			for _, k := range m.route(flow) {
				m.states[k].left -= water
				m.states[k].growing--
			}
		}
	}
}

// spread frees the flows that the rates of the free ones leave without a bottleneck,
// and says whether there are any. These can be only on links that are full, or were.
func (m *maxmin) spread() bool {
	full := m.region[:0]
	for _, l := range m.region {
		s := &m.states[l]
		s.inside = false
		s.carried = m.links[l].bandwidth - s.left
		if s.wasFull || m.isFull(l) {
			m.measure(l)
			full = append(full, l)
		}
	}
	before := len(m.free)
	for _, l := range full {
		most := m.states[l].full * (1 + alike)
		for _, flow := range m.links[l].flows {
			f := &m.flows[flow]
			if !f.free && (f.rate > most || f.neck == l && !m.hasBottleneck(flow)) {
				m.release(flow)
			}
		}
	}
	return len(m.free) > before
}

// hasBottleneck looks for a bottleneck of a flow that is not free.
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

// isFull says whether a link carries all that it can.
func (m *maxmin) isFull(l int32) bool { return m.states[l].carried >= fullness*m.links[l].bandwidth }

// isBottleneck says whether a link is full, and a flow of that rate on it the fastest.
func (m *maxmin) isBottleneck(l int32, rate float64) bool {
	return m.isFull(l) && rate >= m.states[l].fastest*(1-alike)
}

var _ sharing = (*maxmin)(nil)
