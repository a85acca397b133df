package network

// release lets a node send the messages that its sync allows now.
func (w *worker) release(node int) {
	switch w.problem.Sync {
	case None:
		w.sendIdle(node)
	case Local:
		w.sendGroup(node)
	case LocalController:
		w.sendAfterOwn(node)
	case LocalCount:
		w.sendAfterCount(node)
	}
}

// sendIdle gives each idle controller the next message.
func (w *worker) sendIdle(node int) {
	n := &w.nodes[node]
	for i := node * w.controllers; i < (node+1)*w.controllers; i++ {
		for w.slots[i].state == idle {
			if int(n.next) == w.problem.Pattern.Phases() {
				return
			}
			w.sendNext(node, i)
		}
	}
}

// sendGroup gives every controller a message if the last group is complete.
func (w *worker) sendGroup(node int) {
	n := &w.nodes[node]
	for n.sending == 0 && int(n.next) < w.problem.Pattern.Phases() {
		for phase := n.next - 1; phase >= 0; phase-- {
			if !w.received(node, phase) {
				return
			}
			if int(phase)%w.controllers == 0 {
				break
			}
		}
		for i := node * w.controllers; i < (node+1)*w.controllers; i++ {
			if int(n.next) < w.problem.Pattern.Phases() {
				w.sendNext(node, i)
			}
		}
	}
}

// sendAfterOwn gives each idle controller the next message if the node has received the
// message of the phase of the controller's last one.
func (w *worker) sendAfterOwn(node int) {
	n := &w.nodes[node]
	for i := node * w.controllers; i < (node+1)*w.controllers; i++ {
		s := &w.slots[i]
		for s.state == idle && (s.phase < 0 || w.received(node, s.phase)) {
			if int(n.next) == w.problem.Pattern.Phases() {
				return
			}
			w.sendNext(node, i)
		}
	}
}

// sendAfterCount gives idle controllers the next messages while the node has received as many
// messages as it should have.
func (w *worker) sendAfterCount(node int) {
	n := &w.nodes[node]
	for i := node * w.controllers; i < (node+1)*w.controllers; i++ {
		for w.slots[i].state == idle && n.received >= n.expected {
			if int(n.next) == w.problem.Pattern.Phases() {
				return
			}
			w.sendNext(node, i)
		}
	}
}

// sendNext gives a controller the next phase, and sends its message if there is one.
func (w *worker) sendNext(node, i int) {
	n := &w.nodes[node]
	phase := n.next
	n.next++
	if before := int(n.next) - w.controllers; before >= 0 &&
		w.problem.Sync == LocalCount && w.problem.Pattern.From(before, node) != NoNode {
		n.expected++
	}
	w.slots[i].phase = phase
	if to := w.problem.Pattern.To(int(phase), node); to != NoNode {
		w.send(int32(i), phase, to)
	}
}

// received reports whether a node has received the message of a phase, or there is none.
func (e *Engine) received(node int, phase int32) bool {
	return e.arrived.get(e.bit(int32(node), phase)) ||
		e.problem.Pattern.From(int(phase), node) == NoNode
}

// bit returns the index of a node's phase in Engine.arrived.
func (e *Engine) bit(node, phase int32) int {
	return int(node)*e.problem.Pattern.Phases() + int(phase)
}

// A bitset is a set of small numbers.
type bitset []uint64

// newBitset returns an empty set for numbers below n.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// get reports whether i is in the set.
func (b bitset) get(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// set adds i to the set.
func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }
