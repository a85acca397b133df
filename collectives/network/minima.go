package network

// minima are numbers of which the least is wanted again and again, while others change. They
// are divided into blocks, each with a lower bound, which is made exact when it is the least.
type minima struct {
	numbers []order
	bounds  []order
	length  int
}

// block is how many numbers have one lower bound.
const block = 16

// clear removes all numbers.
func (m *minima) clear() {
	m.numbers, m.bounds, m.length = m.numbers[:0], m.bounds[:0], 0
}

// add appends a number, +∞ until it is set.
func (m *minima) add() {
	if m.length%block == 0 {
		for range block {
			m.numbers = append(m.numbers, never)
		}
		m.bounds = append(m.bounds, never)
	}
	m.length++
}

// set sets the number of an index.
func (m *minima) set(i int32, x order) {
	m.numbers[i] = x
	m.bounds[i/block] = min(m.bounds[i/block], x)
}

// first returns the least number, and its index.
func (m *minima) first() (index int, number float64) {
	for {
		b, bound := lowest(m.bounds)
		i, x := lowest(m.numbers[b*block:][:block])
		if x == bound {
			return b*block + i, x.number()
		}
		m.bounds[b] = x
	}
}

// lowest returns the least of some numbers, and its index.
func lowest(numbers []order) (at int, x order) {
	x = numbers[0]
	for i, y := range numbers {
		if y < x {
			at, x = i, y
		}
	}
	return at, x
}
