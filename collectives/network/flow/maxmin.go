package flow

import "slices"

// maxmin computes max–min fair rates: no flow could be faster except at the expense of one
// that is not faster than itself. So each flow has a bottleneck, a full link on which no
// flow is faster, and this determines all rates.
//
// Flows that join or leave change the rates of few others. The rates of some flows, the free ones,
// are recomputed by progressive filling: all of them grow at the same pace, the water level, and
// those on a link that becomes full stop (Bertsekas and Gallager, Data Networks, section 6.5.2).
// The other flows keep their rates. Free are at first the flows that joined, and flows that have
// their bottleneck on a link that some flow left. The others are freed when the water is known to
// reach them:
//
//   - A link becomes full while a flow that is not free is faster than the water. It yields.
//   - A free flow stops at a lower rate than it had. Flows that have their bottleneck on one of
//     its links can be faster.
//
// Both are faster than the water, so that they grow on with the others as if they had been free
// from the beginning, and nothing has to be filled twice.
type maxmin struct {
	*traffic
	states  []linkState
	flows   []fairFlow
	joined  []int32 // flows that joined since the last settle
	free    []int32 // flows that are or were growing in this settle
	growing int     // number of free flows that no full link has stopped
	region  []int32 // links with free flows
	levels  minima  // of the region's links: the water level at which each becomes full
	loose   []int32 // bottlenecks of which a flow has left, or has become slower
}

type fairFlow struct {
	rate    float64 // [B/s]; while it is growing, the one before
	neck    int32   // its bottleneck, or one of them
	free    bool
	growing bool
}

type linkState struct {
	left    float64 // bandwidth [B/s] that flows which are not growing leave
	growing int32   // number of growing flows
	necks   int32   // number of flows that are not free and have their bottleneck here
	place   int32   // index in the region plus 1, or 0
}

// sameRate is the relative difference up to which two rates count as the same, a little more
// than the error of rounding.
const sameRate = 1e-13

func newMaxMin(t *traffic) *maxmin {
	m := &maxmin{
		traffic: t,
		states:  make([]linkState, len(t.links)),
		flows:   make([]fairFlow, len(t.shares)),
		levels:  newMinima(len(t.links)),
	}
	m.clear()
	return m
}

func (m *maxmin) clear() {
	m.traffic.clear()
	for l := range m.states {
		m.states[l] = linkState{left: m.links[l].bandwidth}
	}
	clear(m.flows)
	m.joined, m.loose = m.joined[:0], m.loose[:0]
}

func (m *maxmin) join(flow int32) {
	m.shares[flow].rate, m.flows[flow].rate = 0, 0
	m.joined = append(m.joined, flow)
	for _, l := range m.route(flow) {
		m.links[l].flows = append(m.links[l].flows, flow)
	}
}

func (m *maxmin) leave(flow int32) {
	m.states[m.flows[flow].neck].necks--
	for _, l := range m.route(flow) {
		link, s := &m.links[l], &m.states[l]
		s.left = link.bandwidth
		place := 0
		for i, other := range link.flows {
			if other == flow {
				place = i
			} else { // summed anew, so that errors of rounding do not add up
				s.left -= m.flows[other].rate
			}
		}
		link.remove(place)
		if s.necks > 0 {
			m.loose = append(m.loose, l)
		}
	}
}

func (m *maxmin) settle() {
	for _, flow := range m.joined {
		m.release(flow)
	}
	m.joined = m.joined[:0]
	m.loosen()
	for water := 0.0; m.growing > 0; {
		place, level := m.levels.first(len(m.region))
		water = max(water, level)
		m.saturate(m.region[place], water)
	}
	for _, flow := range m.free {
		f, s := &m.flows[flow], &m.shares[flow]
		f.free = false
		m.states[f.neck].necks++
		if rate := orderOf(f.rate); rate != s.rate {
			s.rate = rate
			m.changed = append(m.changed, flow)
		}
	}
	for _, l := range m.region {
		m.states[l].place = 0
	}
	m.levels.clear(len(m.region))
	m.free, m.region = m.free[:0], m.region[:0]
}

// slower reports whether rate a is lower than b, by more than rounding.
func slower(a, b float64) bool { return a < b*(1-sameRate) }

// saturate treats a link that is full at a water level: faster flows that are not free become free;
// without such flows the growing ones stop.
func (m *maxmin) saturate(l int32, water float64) {
	free := len(m.free)
	flows := m.links[l].flows
	for _, flow := range flows {
		if f := &m.flows[flow]; !f.free && slower(water, f.rate) {
			m.releaseFixed(flow)
		}
	}
	if len(m.free) > free {
		return
	}
	for _, flow := range flows {
		if m.flows[flow].growing {
			m.stop(flow, l, water)
		}
	}
	m.loosen()
}

// loosen frees the flows with their bottleneck on a loose link.
func (m *maxmin) loosen() {
	for _, l := range m.loose {
		if m.states[l].necks == 0 {
			continue
		}
		for _, flow := range m.links[l].flows {
			if f := &m.flows[flow]; !f.free && f.neck == l {
				m.releaseFixed(flow)
			}
		}
	}
	m.loose = m.loose[:0]
}

// releaseFixed frees a flow that has a bottleneck.
func (m *maxmin) releaseFixed(flow int32) {
	m.states[m.flows[flow].neck].necks--
	m.release(flow)
}

// release lets a flow grow, and its links become part of the region.
func (m *maxmin) release(flow int32) {
	f := &m.flows[flow]
	f.free, f.growing = true, true
	m.free = append(m.free, flow)
	m.growing++
	for _, l := range m.route(flow) {
		s := &m.states[l]
		if s.place == 0 {
			m.region = append(m.region, l)
			s.place = int32(len(m.region))
		}
		s.left += f.rate
		s.growing++
		m.levels.set(s.place-1, s.level())
	}
}

// stop gives a growing flow the rate at which a link has become full, or leaves it the one that it
// had if that is the same.
func (m *maxmin) stop(flow, l int32, rate float64) {
	f := &m.flows[flow]
	slows := slower(rate, f.rate)
	if !slows && !slower(f.rate, rate) {
		rate = f.rate
	}
	f.growing, f.rate, f.neck = false, rate, l
	m.growing--
	for _, k := range m.route(flow) {
		s := &m.states[k]
		s.left -= rate
		s.growing--
		m.levels.set(s.place-1, s.level())
		if slows && s.necks > 0 {
			m.loose = append(m.loose, k)
		}
	}
}

// level returns the water level at which the link is full.
func (s *linkState) level() order {
	if s.growing == 0 {
		return never
	}
	return orderOf(max(0, s.left) / float64(s.growing))
}

// minima are numbers whose least is wanted again and again, while several others change each time.
// Each number above the first level is a lower bound of a block of the level below, which becomes
// its minimum when it is looked for.
type minima [][]order

// block is how many numbers have one bound.
const block = 16

func newMinima(n int) minima {
	var m minima
	for length := n; ; length = len(m[len(m)-1]) / block {
		m = append(m, slices.Repeat([]order{never}, (length+block-1)/block*block))
		if length <= block {
			return m
		}
	}
}

func (m minima) set(i int32, x order) {
	m[0][i] = x
	for _, bounds := range m[1:] {
		i /= block
		if bounds[i] <= x {
			return
		}
		bounds[i] = x
	}
}

// first returns the least of the first n numbers, and its index.
func (m minima) first(n int) (index int, number float64) {
	top := 0
	for ; n > block; n = (n + block - 1) / block {
		top++
	}
	for level := top; ; {
		at, x := 0, never
		for i, y := range m[level][index*block:][:block] {
			if y < x {
				at, x = i, y
			}
		}
		if level < top && x > m[level+1][index] {
			m[level+1][index] = x
			level, index = level+1, index/block // another block may have the least now
			continue
		}
		index = index*block + at
		if level == 0 {
			return index, x.number()
		}
		level--
	}
}

func (m minima) clear(n int) {
	for _, level := range m {
		for i := range level[:n] {
			level[i] = never
		}
		n = (n + block - 1) / block
	}
}
