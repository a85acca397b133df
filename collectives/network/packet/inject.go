package packet

import (
	"math"
	"math/bits"
)

// A slot is a controller with its message.
type slot struct {
	state   state
	message int32 // that it sends
	channel int32 // of the packet that it sends, or -1 before the head
	packet  int32
	left    int32 // flits of the packet
	pieces  int32 // packets of the message after this one
	last    int32 // number of the virtual channel last used
	phase   int32 // of its last message, or -1
	posted  float64
	// transit is how long [s] the slot's messages can be in transit until the next event, and
	// length the duration of that. While a message is sent, hit is when [s] the event hits it.
	transit, length, hit float64
}

type state int32

const (
	quiet   state = iota
	waits         // for its first flit, or the end of an event
	sends         // and has no credit, unless it is in Engine.sendable
	endless       // waits for what does not end
)

// inject gives idle controllers messages, and lets those with a credit send a flit.
func (e *Engine) inject() {
	for at, ok := e.wakeups.first(); ok && at <= e.now; at, ok = e.wakeups.first() {
		i := e.wakeups.pop()
		e.slots[i].state = sends
		e.sendable.add(int(i))
	}
	for _, n := range e.idle {
		e.nodes[n].listed = false
		e.take(int(n))
	}
	e.idle = e.idle[:0]
	for w, word := range e.sendable {
		for ; word != 0; word &= word - 1 {
			e.emit(w*64 + bits.TrailingZeros64(word))
		}
	}
}

// emit sends a flit of a controller, unless an event delays it or it has no credit.
func (e *Engine) emit(i int) {
	s := &e.slots[i]
	if s.hit <= e.seconds() && e.delay(i) {
		return
	}
	if s.channel < 0 && !e.head(i) {
		e.sendable.remove(i)
		return
	}
	ch := &e.channels[s.channel]
	ch.credits--
	*e.due.flitsNext = append(*e.due.flitsNext, s.channel)
	e.moved++
	if e.recorder != nil {
		e.recorder.injected(i)
	}
	if s.left--; s.left == 0 {
		e.tail(i)
	} else if ch.credits == 0 {
		e.sendable.remove(i)
	}
}

// head gives the head of a packet the next channel with a credit after the last one used, if there
// is one.
func (e *Engine) head(i int) bool {
	s := &e.slots[i]
	first, V := int32(e.fabric.injection(i)), int32(e.fabric.channels)
	v := s.last
	for n := V; ; n-- {
		if n == 0 {
			return false
		}
		if v++; v >= V {
			v = 0
		}
		if e.problem.Rule == Destination {
			v, n = e.messages[s.message].to%V, 1
		}
		if e.channels[first+v].credits > 0 {
			break
		}
		if n == 1 {
			return false
		}
	}
	s.last, s.channel = v, first+v
	s.packet = e.newPacket(i)
	s.left = e.packets[s.packet].length
	if e.queues.push(s.channel, s.packet) {
		e.channels[s.channel].packet, e.channels[s.channel].left = s.packet, s.left
	}
	return true
}

// newPacket returns the number of the next packet of a slot's message.
func (e *Engine) newPacket(i int) int32 {
	s := &e.slots[i]
	length := e.flits
	if s.pieces == 0 {
		length = e.last
	}
	p := parcel{
		message: s.message, to: e.messages[s.message].to, length: length,
		controller: uint8(i % e.fabric.controllers), dimension: -1,
	}
	if n := len(e.unused); n > 0 {
		id := e.unused[n-1]
		e.unused = e.unused[:n-1]
		e.packets[id] = p
		return id
	}
	e.packets = append(e.packets, p)
	return int32(len(e.packets) - 1)
}

// tail follows the last flit of a packet: the message's next packet, or the controller is idle.
func (e *Engine) tail(i int) {
	s := &e.slots[i]
	s.channel = -1
	if s.pieces > 0 {
		s.pieces--
		return
	}
	if e.recorder != nil {
		e.recorder.left(i)
	}
	s.state = quiet
	s.transit = max(0, s.hit-e.seconds())
	e.sendable.remove(i)
	e.list(i / e.fabric.controllers)
}

// credited follows the return of a credit to a channel of a slot that had none.
func (e *Engine) credited(i int, c int32) {
	if s := &e.slots[i]; s.state == sends && (s.channel < 0 || s.channel == c) {
		e.sendable.add(i)
	}
}

// post makes a slot wait until its message's first flit can be sent, at a time [s].
func (e *Engine) post(i int, begin float64) {
	s := &e.slots[i]
	s.channel, s.pieces = -1, e.pieces-1
	s.hit = begin + s.transit
	e.wait(i, begin)
}

// wait makes a slot wait until a time [s].
func (e *Engine) wait(i int, until float64) {
	s := &e.slots[i]
	e.sendable.remove(i)
	switch n := until / e.cycle; {
	case n > math.MaxInt64/2:
		s.state = endless
	case e.cycles(until) <= e.now:
		s.state = sends
		e.sendable.add(i)
	default:
		s.state = waits
		e.wakeups.add(e.cycles(until), int32(i))
	}
}

// delay holds a slot's flits for the events that have hit its message since the last flit, and
// reports whether they still do.
func (e *Engine) delay(i int) bool {
	s := &e.slots[i]
	now := e.seconds()
	for s.hit <= now {
		until := s.hit + s.length
		if e.recorder != nil {
			e.recorder.hit(i, s.hit, until)
		}
		e.nextEvent(i)
		s.hit = until + s.transit
		if e.cycles(until) > e.now || math.IsInf(until, 1) {
			e.wait(i, until)
			return true
		}
	}
	return false
}

// nextEvent reads the next event of a slot.
func (e *Engine) nextEvent(i int) {
	s := &e.slots[i]
	s.transit, s.length = e.delays.Next(i/e.fabric.controllers, i%e.fabric.controllers)
}
