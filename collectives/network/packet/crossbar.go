package packet

import "math/bits"

// serve moves a flit through each output of a router that can, in turn from the channels that can.
func (e *Engine) serve(r int) {
	f := &e.fabric
	first := r * f.ports
	busy := e.routers[r].busy
	last := e.lastOut[first:][:f.ports]
	if e.scenario.Crossbar == Full || busy&(busy-1) == 0 { // no output is in another's way
		for ; busy != 0; busy &= busy - 1 {
			o := bits.TrailingZeros64(busy)
			i := e.turn(first + o)
			last[f.portOf[i]] = int8(o)
			e.move(r, o, i)
		}
		return
	}
	output, input := &e.output, &e.input
	ports := uint64(0)
	for ; busy != 0; busy &= busy - 1 {
		o := bits.TrailingZeros64(busy)
		i := e.turn(first + o)
		port := f.portOf[i] % maxOutputs
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
		o := output[port] % maxOutputs
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
	words, filled := e.ready[o*e.fabric.words:][:e.fabric.words], e.filled[o]
	w := begin / 64
	if filled>>w&1 != 0 {
		if rest := words[w] >> (begin % 64) << (begin % 64); rest != 0 {
			return w*64 + bits.TrailingZeros64(rest)
		}
	}
	if rest := filled >> (w + 1) << (w + 1); rest != 0 {
		filled = rest
	}
	w = bits.TrailingZeros64(filled)
	return w*64 + bits.TrailingZeros64(words[w])
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
	if local < f.firstInjection {
		*e.due.creditsOut = append(*e.due.creditsOut, c)
	} else {
		*e.due.creditsNext = append(*e.due.creditsNext, c)
	}
	stays := ch.flits > 0 && ch.left > 0
	if to := ch.out; int(to) < f.firstEjection {
		next := &e.channels[to]
		next.credits--
		stays = stays && next.credits > 0
		*e.due.flitsOut = append(*e.due.flitsOut, to)
	} else if e.recorder != nil {
		e.recorder.ejected(r)
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
	o := r*e.fabric.ports + output
	if e.fabric.words == 1 {
		if e.ready[o] &^= 1 << local; e.ready[o] == 0 {
			e.routers[r].busy &^= 1 << output
		}
		return
	}
	word := &e.ready[o*e.fabric.words+local>>6]
	if *word &^= 1 << (local & 63); *word == 0 {
		if e.filled[o] &^= 1 << (local >> 6); e.filled[o] == 0 {
			e.routers[r].busy &^= 1 << output
		}
	}
}

// release makes the next packet the first of channel c, whose first packet's tail has left, and
// frees the channel that the packet occupied.
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
