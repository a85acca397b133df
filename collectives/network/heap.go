package network

// A heap is a binary heap of links in the order of their levels, and of their numbers for
// links of the same level.
type heap []leveled

// A leveled is a link with the rate at which it is full.
type leveled struct {
	level float64
	link  int32
}

// clear removes all links.
func (h *heap) clear() { *h = (*h)[:0] }

// add appends a link. The caller calls order after the last one.
func (h *heap) add(link int32, level float64) { *h = append(*h, leveled{level, link}) }

// order establishes the order of the heap.
func (h heap) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// drop removes the first link.
func (h *heap) drop() {
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	h.sink(0)
}

// raise sets the level of the first link, which is not below its present level.
func (h heap) raise(level float64) {
	h[0].level = level
	h.sink(0)
}

// sink moves element i down to where its children are not before it.
func (h heap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// before reports whether a comes before b in a heap.
func (a leveled) before(b leveled) bool {
	return a.level < b.level || a.level == b.level && a.link < b.link
}
