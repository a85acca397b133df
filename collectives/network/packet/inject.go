package packet

import (
	"container/heap"
	"math"
)

// A slot is a controller with its message.
type slot struct {
	state   state
	message int32 // that it sends
	channel int32 // of the packet that it sends, or -1 before the head
	packet  int32
	left    int32   // flits of the packet
	pieces  int32   // packets of the message after this one
	last    int32   // number of the virtual channel last used
	hit     float64 // when [s] the next event hits the message
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
	for len(e.wakeups) > 0 && e.wakeups[0].at <= e.now {
		i := heap.Pop(&e.wakeups).(wakeup).slot
		if int(i) >= len(e.slots) {
			e.Awake(int(i) - len(e.slots))
			continue
		}
		e.slots[i].state = sends
		e.sendable.Add(int(i))
	}
	e.Release()
	for i := range e.sendable.All {
		e.emit(i)
	}
}

// emit sends a flit of a controller, unless an event delays it or it has no credit.
func (e *Engine) emit(i int) {
	s := &e.slots[i]
	if s.hit <= e.Now && e.delay(i) {
		return
	}
	if s.channel < 0 && !e.head(i) {
		e.sendable.Remove(i)
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
		e.sendable.Remove(i)
	}
}

// head gives the head of a packet the next channel with a credit after the last one used, if there
// is one.
func (e *Engine) head(i int) bool {
	s := &e.slots[i]
	first, V := int32(e.fabric.injection(i)), int32(e.fabric.channels)
	v := s.last
	for n := V; ; n-- {
		if v++; v >= V {
			v = 0
		}
		if e.scenario.Rule == Destination {
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
	length := e.scenario.Flits
	if s.pieces == 0 {
		_, length = e.scenario.packets(e.Exchanges[e.Slots[i].Exchange].Bytes)
	}
	p := parcel{
		message: s.message, to: e.messages[s.message].to, length: int32(length),
		controller: uint8(i % e.fabric.controllers), dimension: -1,
	}
	return put(&e.packets, &e.unused, p)
}

// put puts x among all others and returns its number, one that is not in use if there is any.
func put[T any](all *[]T, unused *[]int32, x T) int32 {
	if n := len(*unused); n > 0 {
		id := (*unused)[n-1]
		*unused = (*unused)[:n-1]
		(*all)[id] = x
		return id
	}
	*all = append(*all, x)
	return int32(len(*all) - 1)
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
	e.Slots[i].Transit = max(0, s.hit-e.Now)
	e.sendable.Remove(i)
	e.Free(i)
}

// Idle implements [network.Carrier].
func (e *Engine) Idle(i int) bool { return e.slots[i].state == quiet }

// Latency implements [network.Carrier].
func (e *Engine) Latency(i int) float64 {
	if e.scenario.Window == 0 {
		return e.scenario.Latency
	}
	at := &e.Slots[i]
	return e.scenario.start(e.hops(i, at.To), e.Exchanges[at.Exchange].Bytes)
}

// hops returns the number of links from a slot to a node.
func (e *Engine) hops(slot int, to int32) int {
	e.links = e.scenario.Topology.Route(e.links[:0], slot/e.Width, int(to))
	return len(e.links)
}

// Carry implements [network.Carrier].
func (e *Engine) Carry(i int, begin float64) {
	s, at := &e.slots[i], &e.Slots[i]
	packets, _ := e.scenario.packets(e.Exchanges[at.Exchange].Bytes)
	s.message = put(&e.messages, &e.empty, message{int32(i), at.Exchange, at.To, int32(packets)})
	s.channel, s.pieces = -1, int32(packets-1)
	s.hit = begin + at.Transit
	if e.recorder != nil {
		e.recorder.carries(i, begin)
	}
	e.wait(i, begin)
}

// Wake implements [network.Carrier].
func (e *Engine) Wake(rank int, t float64) {
	if t/e.cycle > math.MaxInt64/2 {
		e.slots[rank*e.Width].state = endless
		return
	}
	heap.Push(&e.wakeups, wakeup{e.cycleAt(t), int32(len(e.slots) + rank)})
}

// wait makes a slot wait until a time [s].
func (e *Engine) wait(i int, until float64) {
	s := &e.slots[i]
	e.sendable.Remove(i)
	switch n := until / e.cycle; {
	case n > math.MaxInt64/2:
		s.state = endless
	case e.cycleAt(until) <= e.now:
		s.state = sends
		e.sendable.Add(i)
	default:
		s.state = waits
		heap.Push(&e.wakeups, wakeup{e.cycleAt(until), int32(i)})
	}
}

// delay holds a slot's flits for the events that have hit its message since the last flit, and
// reports whether they still do.
func (e *Engine) delay(i int) bool {
	s := &e.slots[i]
	now := e.Now
	for s.hit <= now {
		until := s.hit + e.Slots[i].Length
		if e.recorder != nil {
			e.recorder.hit(i, s.hit, until)
		}
		e.NextEvent(i)
		s.hit = until + e.Slots[i].Transit
		if e.cycleAt(until) > e.now || math.IsInf(until, 1) {
			e.wait(i, until)
			return true
		}
	}
	return false
}
