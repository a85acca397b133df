package network

// A heap is links by the level at which something happens to them. Of those at one
// level that of the smallest number is first.
type heap []leveled

type leveled struct {
	level float64
	link  int32
}

func (h *heap) clear() { *h = (*h)[:0] }

// add puts a link at the end, to be followed by order.
func (h *heap) add(link int32, level float64) { *h = append(*h, leveled{level, link}) }

func (h heap) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// drop removes the first.
func (h *heap) drop() {
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	h.sink(0)
}

// raise moves the first up to another level.
func (h heap) raise(level float64) {
	h[0].level = level
	h.sink(0)
}

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

func (a leveled) before(b leveled) bool {
	return a.level < b.level || a.level == b.level && a.link < b.link
}
