package network

// release lets a node send the messages that its sync allows now.
func (e *Engine) release(node int) {
	switch e.problem.Sync {
	case None:
		e.sendIdle(node)
	case Local:
		e.sendGroup(node)
	case LocalController:
		e.sendAfterOwn(node)
	case LocalCount:
		e.sendAfterCount(node)
	}
}

// sendIdle gives each idle controller the next message.
func (e *Engine) sendIdle(node int) {
	n := &e.nodes[node]
	for i := node * e.controllers; i < (node+1)*e.controllers; i++ {
		for e.slots[i].state == idle {
			if int(n.next) == e.problem.Pattern.Phases() {
				return
			}
			e.sendNext(node, i)
		}
	}
}

// sendGroup gives every controller a message if the last group is complete.
func (e *Engine) sendGroup(node int) {
	n := &e.nodes[node]
	for n.sending == 0 && int(n.next) < e.problem.Pattern.Phases() {
		for phase := n.next - 1; phase >= 0; phase-- {
			if !e.received(node, phase) {
				return
			}
			if int(phase)%e.controllers == 0 {
				break
			}
		}
		for i := node * e.controllers; i < (node+1)*e.controllers; i++ {
			if int(n.next) < e.problem.Pattern.Phases() {
				e.sendNext(node, i)
			}
		}
	}
}

// sendAfterOwn gives each idle controller the next message if the node has received the
// message of the phase of the controller's last one.
func (e *Engine) sendAfterOwn(node int) {
	n := &e.nodes[node]
	for i := node * e.controllers; i < (node+1)*e.controllers; i++ {
		s := &e.slots[i]
		for s.state == idle && (s.phase < 0 || e.received(node, s.phase)) {
			if int(n.next) == e.problem.Pattern.Phases() {
				return
			}
			e.sendNext(node, i)
		}
	}
}

// sendAfterCount gives idle controllers the next messages while the node has received as many
// messages as it should have.
func (e *Engine) sendAfterCount(node int) {
	n := &e.nodes[node]
	for i := node * e.controllers; i < (node+1)*e.controllers; i++ {
		for e.slots[i].state == idle && n.received >= n.expected {
			if int(n.next) == e.problem.Pattern.Phases() {
				return
			}
			e.sendNext(node, i)
		}
	}
}

// sendNext gives a controller the next phase, and sends its message if there is one.
func (e *Engine) sendNext(node, i int) {
	n := &e.nodes[node]
	phase := n.next
	n.next++
	if before := int(n.next) - e.controllers; before >= 0 &&
		e.problem.Sync == LocalCount && e.problem.Pattern.From(before, node) != NoNode {
		n.expected++
	}
	e.slots[i].phase = phase
	if to := e.problem.Pattern.To(int(phase), node); to != NoNode {
		e.send(int32(i), phase, to)
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
