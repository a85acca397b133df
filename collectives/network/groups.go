package network

import "math"

// groups are the links of a region by their sets of free flows.
type groups struct {
	all   []group
	room  []int32
	table []int32 // part of room: group + 1 by the key of its set, with open addressing; 0 for none

	levels []float64 // of the groups: the rates at which they are full
	least  []float64 // of each block of levels
	raised []int32   // groups whose level has changed
}

// block is the number of groups whose levels have one minimum.
const block = 32

// A group is the links with one set of free flows.
type group struct {
	key     uint64  // of the set
	left    float64 // bandwidth left for growing flows on the link with the least
	taken   float64 // sum of the rates of its flows that have stopped
	full    float64 // rate at which the link stopped its flows, or +∞
	growing int32   // number of growing flows
	link    int32   // the one with the least left, of equals the lowest
	seen    int32   // flow that stopped last
	raised  bool    // in groups.raised
}

// level returns the rate at which the link is full if all of its flows grow on.
func (g *group) level() float64 {
	if g.growing == 0 {
		return math.Inf(1)
	}
	return max(0, g.left) / float64(g.growing)
}

// keyOf returns the key of a flow. Sets of flows are told apart by the sums of their keys, which
// are random words: two sets have the same with a probability of 2^−64.
func keyOf(flow int32) uint64 {
	z := uint64(flow+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// clear removes all groups, before those of that many links.
func (g *groups) clear(links int) {
	g.all = g.all[:0]
	n := 64
	for n < 2*links {
		n *= 2
	}
	if n > len(g.room) {
		g.room = make([]int32, n)
	}
	g.table = g.room[:n]
	clear(g.table)
}

// add adds a link to the group of its key, and returns the group's number.
func (g *groups) add(l int32, s *linkState) int32 {
	if last := len(g.all) - 1; last >= 0 && g.all[last].key == s.key {
		g.all[last].include(l, s)
		return int32(last)
	}
	mask := uint64(len(g.table) - 1)
	at := s.key & mask
	for ; g.table[at] != 0; at = (at + 1) & mask {
		if i := g.table[at] - 1; g.all[i].key == s.key {
			g.all[i].include(l, s)
			return i
		}
	}
	g.all = append(g.all, group{
		key: s.key, left: s.left, full: math.Inf(1), growing: s.free, link: l, seen: -1,
	})
	g.table[at] = int32(len(g.all))
	return int32(len(g.all) - 1)
}

// include adds a link to a group that has its free flows.
func (g *group) include(l int32, s *linkState) {
	if s.left < g.left || s.left == g.left && l < g.link {
		g.left, g.link = s.left, l
	}
}

// order computes the levels of all groups.
func (g *groups) order() {
	blocks := (len(g.all) + block - 1) / block
	for len(g.levels) < blocks*block {
		g.levels = append(g.levels, 0)
	}
	for len(g.least) < blocks {
		g.least = append(g.least, 0)
	}
	g.least = g.least[:blocks]
	for i := range g.levels[:blocks*block] {
		g.levels[i] = math.Inf(1)
		if i < len(g.all) {
			g.levels[i] = g.all[i].level()
		}
	}
	for b := range blocks {
		g.least[b] = minimum(g.levels[b*block : (b+1)*block])
	}
}

// minimum returns the least of some numbers.
func minimum(levels []float64) float64 {
	least := levels[0]
	for _, level := range levels[1:] {
		if level < least {
			least = level
		}
	}
	return least
}

// first returns the first of the groups with the lowest level.
func (g *groups) first() (group int, level float64) {
	at, level := 0, g.least[0]
	for b, l := range g.least {
		if l < level {
			at, level = b, l
		}
	}
	for i, l := range g.levels[at*block : (at+1)*block] {
		if l == level {
			return at*block + i, level
		}
	}
	panic("network: a block without its minimum")
}

// stop takes a flow that stops at a rate out of a group, if it has not yet.
func (g *groups) stop(i, flow int32, rate float64) {
	group := &g.all[i]
	if group.seen == flow {
		return
	}
	group.seen = flow
	group.left -= rate
	group.taken += rate
	group.growing--
	if !group.raised {
		group.raised = true
		g.raised = append(g.raised, i)
	}
}

// raise computes the levels of groups of which flows have stopped.
func (g *groups) raise() {
	for _, i := range g.raised {
		group := &g.all[i]
		group.raised = false
		before := g.levels[i]
		g.levels[i] = group.level()
		if b := int(i) / block; before == g.least[b] || g.levels[i] < g.least[b] {
			g.least[b] = minimum(g.levels[b*block : (b+1)*block])
		}
	}
	g.raised = g.raised[:0]
}
