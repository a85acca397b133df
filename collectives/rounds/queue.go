package rounds

// A queue has ranks and their clocks, the earliest first: a binary heap.
type queue []entry

// push adds a rank.
func (q *queue) push(clock float64, rank int) {
	*q = append(*q, entry{rank, clock})
	h, i := *q, len(*q)-1
	for i > 0 && h[i].clock < h[(i-1)/2].clock {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
}

// pop removes the earliest. It panics if there is none.
func (q *queue) pop() entry {
	h := *q
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h[child].clock < h[least].clock {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	*q = h
	return first
}
