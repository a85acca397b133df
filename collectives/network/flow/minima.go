package flow

import "slices"

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
