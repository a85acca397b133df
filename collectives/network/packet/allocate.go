package packet

import "math/bits"

// allocate gives the packets that wait at outputs of a router channels. Only at outputs with a new
// packet or a channel that became free can one get any.
func (e *Engine) allocate(r int) {
	freed := e.routers[r].freed
	e.routers[r].freed = 0
	for ; freed != 0; freed &= freed - 1 {
		e.grant(r, bits.TrailingZeros64(freed))
	}
}

// grant goes through the packets that wait for an output in cyclic order after the last one that
// got a channel. Each gets the free channel with the most credits of those it may take.
func (e *Engine) grant(r, output int) {
	o := r*e.fabric.ports + output
	words := e.waiting[o*e.fabric.words:][:e.fabric.words]
	begin := int(e.nextGrant[o])
	for _, half := range [2][2]int{{begin, e.fabric.inputs}, {0, begin}} {
		for i := nextIn(words, half[0]); i >= 0 && i < half[1]; i = nextIn(words, i+1) {
			c := int32(r*e.fabric.inputs + i)
			ch := &e.channels[c]
			to := e.pick(&e.packets[ch.packet], o, output)
			if to < 0 {
				continue
			}
			words[i/64] &^= 1 << (i % 64)
			e.nextGrant[o] = int32(i + 1)
			e.hold(c, ch, to)
		}
	}
}

// hold lets the first packet of channel c hold channel to.
func (e *Engine) hold(c int32, ch *channel, to int32) {
	next := &e.channels[to]
	ch.out, next.owner = to, c
	if int(to) < e.fabric.firstEjection {
		if e.queues.push(to, ch.packet) {
			next.packet, next.left = ch.packet, e.packets[ch.packet].length
		}
	}
	if next.credits > 0 {
		e.setReady(ch)
	}
}

// pick returns the free channel of output number o that a packet takes, or -1.
func (e *Engine) pick(p *parcel, o, output int) int32 {
	from, to := e.admissible(p, output)
	best, most := int32(-1), int32(-1)
	first := e.fabric.next[o]
	for c := first + int32(from); c < first+int32(to); c++ {
		if ch := &e.channels[c]; ch.owner == free && ch.credits > most {
			best, most = c, ch.credits
		}
	}
	return best
}

// nextIn returns the least number in a set that is at least begin, or -1.
func nextIn(words []uint64, begin int) int {
	w := begin / 64
	if w >= len(words) {
		return -1
	}
	rest := words[w] >> (begin % 64) << (begin % 64)
	for rest == 0 {
		if w++; w == len(words) {
			return -1
		}
		rest = words[w]
	}
	return w*64 + bits.TrailingZeros64(rest)
}
