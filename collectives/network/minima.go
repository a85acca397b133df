package network

// minima are numbers of which the least is wanted again and again, while several others change
// each time. It has the tree of a [calendar], but a node above the numbers is a lower bound of its
// children, which becomes their minimum when it is looked for.
type minima calendar

// set sets the number of an index.
func (m *minima) set(i int32, x order) {
	m.levels[0][i] = x
	for _, bounds := range m.levels[1:] {
		i /= fan
		if bounds[i] <= x {
			return
		}
		bounds[i] = x
	}
}

// first returns the least number, and its index.
func (m *minima) first() (index int, number float64) {
	top := len(m.levels) - 1
	for level, i := top, 0; ; {
		children := (*[fan]order)(m.levels[level][i*fan:])
		x := least(children)
		if level < top && x > m.levels[level+1][i] {
			m.levels[level+1][i] = x
			level, i = level+1, i/fan // another node may have the least now
			continue
		}
		i *= fan
		for children[i%fan] != x {
			i++
		}
		if level == 0 {
			return i, x.number()
		}
		level--
	}
}

// clear sets the first n numbers to never.
func (m *minima) clear(n int) {
	for _, level := range m.levels {
		for i := range level[:n] {
			level[i] = never
		}
		n = (n + fan - 1) / fan
	}
}
