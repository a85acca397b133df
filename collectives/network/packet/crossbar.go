package packet

import "math/bits"

// serve moves a flit through each output of a router that can, in turn from the channels that can.
func (e *Engine) serve(r int) {
	f := &e.fabric
	first := r * f.ports
	if e.problem.Crossbar == Full {
		for busy := e.routers[r].busy; busy != 0; busy &= busy - 1 {
			output := bits.TrailingZeros64(busy)
			e.move(r, output, e.turn(first+output))
		}
		return
	}
	var output [maxOutputs]uint8 // by input port
	var input [maxOutputs]uint16 // by output: local number of the channel
	ports := uint64(0)
	last := e.lastOut[first:][:f.ports]
	for busy := e.routers[r].busy; busy != 0; busy &= busy - 1 {
		o := bits.TrailingZeros64(busy)
		i := e.turn(first + o)
		port := f.portOf[i]
		input[o] = uint16(i)
		if ports>>port&1 == 0 {
			ports |= 1 << port
			output[port] = uint8(o)
		} else if int(output[port]) <= int(last[port]) && o > int(last[port]) {
			output[port] = uint8(o) // the first in cyclic order after the last served
		}
	}
	for ; ports != 0; ports &= ports - 1 {
		port := bits.TrailingZeros64(ports)
		o := output[port]
		last[port] = int8(o)
		e.move(r, int(o), int(input[o]))
	}
}

// turn returns the local number of the channel whose turn it is at output number o.
func (e *Engine) turn(o int) int {
	begin := int(e.nextMove[o])
	if e.fabric.words == 1 {
		word := e.ready[o]
		if rest := word >> begin << begin; rest != 0 {
			word = rest
		}
		return bits.TrailingZeros64(word)
	}
	words := e.ready[o*e.fabric.words:][:e.fabric.words]
	i := nextIn(words, begin)
	if i < 0 {
		i = nextIn(words, 0)
	}
	return i
}

// move moves a flit from the channel with a local number of router r through an output.
func (e *Engine) move(r, output, local int) {
	f := &e.fabric
	c := int32(r*f.inputs + local)
	ch := &e.channels[c]
	e.moved++
	e.nextMove[r*f.ports+output] = int32(local + 1)
	ch.flits--
	ch.left--
	delay := int64(e.problem.Credit)
	if local >= f.directions*f.channels {
		delay = 1 // of injection
	}
	at := e.due.at(e.now + delay)
	e.due.credits[at] = append(e.due.credits[at], c)
	e.due.pending++

	stays := ch.flits > 0 && ch.left > 0
	if to := ch.out; int(to) < f.firstEjection {
		next := &e.channels[to]
		next.credits--
		stays = stays && next.credits > 0
		at := e.due.at(e.now + int64(e.problem.Hop))
		e.due.flits[at] = append(e.due.flits[at], to)
		e.due.pending++
	}
	if !stays {
		e.clearReady(r, output, local)
	}
	if ch.left == 0 {
		e.release(r, output, c)
	}
}

// clearReady notes that a channel cannot move a flit through its output.
func (e *Engine) clearReady(r, output, local int) {
	words := e.ready[(r*e.fabric.ports+output)*e.fabric.words:][:e.fabric.words]
	words[local>>6] &^= 1 << (local & 63)
	for _, w := range words {
		if w != 0 {
			return
		}
	}
	e.routers[r].busy &^= 1 << output
}

// release lets the next packet be the first of a channel whose first packet's tail has left it,
// and the channel that it held be free.
func (e *Engine) release(r, output int, c int32) {
	ch := &e.channels[c]
	e.channels[ch.out].owner = free
	e.routers[r].freed |= 1 << output
	if output >= e.fabric.directions {
		e.delivered = append(e.delivered, ch.packet)
	}
	ch.out = free
	packet, ok := e.queues.pop(c)
	if !ok {
		return
	}
	ch.packet, ch.left = packet, e.packets[packet].length
	if ch.flits > 0 {
		e.request(c)
	}
}
