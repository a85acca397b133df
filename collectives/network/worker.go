package network

import "math"

// A worker simulates a part of each moment: the changes of its slots, what its nodes receive
// and send, and the shares of its links. Between these phases the workers wait for each other.
// What one finds for a part of another it puts into a list for that one, which reads the
// lists of all workers in their order. As that is the order of slots, each node does its work
// in the same order whatever the number of workers is.
//
// With one worker all lists are its own.
type worker struct {
	*Engine
	index  int
	host   Host
	delays Delays

	due      []int32     // its slots of this moment
	arrivals [][]arrival // for each owner of the receiving node
	changes  [][]change  // for each owner of the link
	affected [][]int32   // for each owner, flows whose rate may have changed
	joined   []int32     // flows that joined their links
	touched  []int32     // links that flows joined or left
	changed  []int32     // flows whose rate changed
	ready    []int32     // nodes that may be able to send

	messages   int     // that arrived in this moment
	starting   float64 // when the last of its nodes begins [s]
	completion float64 // when its nodes have received the last message that arrived [s]
}

// An arrival is the message of a phase that a slot has sent to a node.
type arrival struct{ slot, to, phase int32 }

// simulate simulates a moment: first the changes that begin it, then all that follows.
func (w *worker) simulate() {
	w.begin(w)
	w.wait()
	w.receive()
	w.wait()
	w.sharing.share(w)
	w.wait()
	w.settle()
	w.wait()
}

// launch lets the worker's nodes start, and makes their controllers idle.
func (w *worker) launch() {
	w.due = w.due[:0]
	from, to := w.from(w.index), w.from(w.index+1)
	for i := from; i < to; i++ {
		w.slots[i] = slot{phase: -1}
		w.nextEvent(int32(i))
		if w.posted != nil {
			w.posted[i] = math.Inf(-1)
		}
	}
	for n := from / w.controllers; n < to/w.controllers; n++ {
		start := w.host.Finish(n, 0, 0)
		w.nodes[n] = node{free: start}
		if w.recorder != nil {
			w.recorder.started(n)
		}
		w.starting = max(w.starting, start)
		w.markReady(int32(n))
	}
	w.completion = w.starting
}

// change lets the worker's slots of this moment change their state.
func (w *worker) change() {
	if w.size > 1 {
		w.due = w.calendar.between(w.from(w.index), w.from(w.index+1), w.until, w.due[:0])
	}
	for _, i := range w.due {
		switch s := &w.slots[i]; {
		case s.state != flowing:
			w.join(i)
		case s.finish <= w.until:
			w.arrive(i)
		default:
			w.hit(i)
		}
	}
}

// receive lets the worker's nodes receive the messages that arrived, and then send.
func (w *worker) receive() {
	for _, from := range w.working() {
		for _, r := range from.arrivals[w.index] {
			w.take(r)
		}
		from.arrivals[w.index] = from.arrivals[w.index][:0]
	}
	for _, n := range w.ready {
		w.nodes[n].ready = false
		w.release(int(n))
	}
	w.ready = w.ready[:0]
}

// settle gives the worker's flows whose rate changed their new times, and takes slots that
// became idle out of the calendar.
func (w *worker) settle() {
	w.sharing.settle(w)
	slots, shares, schedule, now := w.slots, w.traffic.shares, &w.schedule, w.now
	for _, i := range w.changed {
		s, rate := &slots[i], shares[i].rate.number()
		if s.state != flowing || s.rate == rate {
			continue
		}
		s.left = s.leftAt(now)
		s.since = now
		s.rate = rate
		s.finish = now + s.left/rate
		if w.recorder != nil {
			w.recorder.changed(i)
		}
		schedule.set(int(i), min(s.finish, s.hit))
	}
	w.changed = w.changed[:0]
	for _, i := range w.due {
		if w.slots[i].state == idle {
			w.schedule.set(int(i), math.Inf(1))
		}
	}
}

// markReady adds a node to those that may be able to send, if it is not there yet.
func (w *worker) markReady(n int32) {
	if !w.nodes[n].ready {
		w.nodes[n].ready = true
		w.ready = append(w.ready, n)
	}
}
