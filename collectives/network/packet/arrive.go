package packet

// arrive takes the flits, the credits and the packets that are due in this cycle.
func (e *Engine) arrive() {
	e.due.turn(e.now, e.scenario.Hop, e.scenario.Credit)
	flits, credits := e.due.flits[e.due.at], e.due.credits[e.due.at]
	for _, c := range flits {
		ch := &e.channels[c]
		ch.flits++
		if ch.flits > 1 {
			continue
		}
		if ch.out < 0 {
			e.request(c) // a head
		} else if e.channels[ch.out].credits > 0 {
			e.setReady(ch)
		}
	}
	for _, c := range credits {
		ch := &e.channels[c]
		ch.credits++
		if ch.credits > 1 {
			continue
		}
		if ch.owner >= 0 {
			if owner := &e.channels[ch.owner]; owner.flits > 0 {
				e.setReady(owner)
			}
		} else if ch.owner < free {
			i := -2 - ch.owner // a controller
			if s := &e.slots[i]; s.state == sends && (s.channel < 0 || s.channel == c) {
				e.sendable.Add(int(i))
			}
		}
	}
	e.due.flits[e.due.at], e.due.credits[e.due.at] = flits[:0], credits[:0]
	for _, p := range e.delivered {
		m := e.packets[p].message
		e.unused = append(e.unused, p)
		if e.messages[m].pieces--; e.messages[m].pieces == 0 {
			arrived := e.messages[m]
			e.Receive(int(m), int(arrived.to), int(arrived.exchange))
			e.empty = append(e.empty, m)
		}
	}
	e.delivered = e.delivered[:0]
}

// setReady notes that the first packet of a channel can move a flit: it holds an output channel
// with a credit, and has a flit here.
func (e *Engine) setReady(ch *channel) {
	o := int(ch.router)*e.fabric.ports + int(ch.output)
	if e.fabric.words == 1 {
		e.ready[o] |= 1 << ch.local
	} else {
		e.ready[o*e.fabric.words+int(ch.local>>6)] |= 1 << (ch.local & 63)
		e.filled[o] |= 1 << (ch.local >> 6)
	}
	e.routers[ch.router].busy |= 1 << ch.output
}
