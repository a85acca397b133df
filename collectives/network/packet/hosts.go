package packet

import (
	"math"

	"jitterfly/collectives/network"
)

// A node is a queue of messages and a processor.
type node struct {
	next     int32   // first phase that no controller has taken
	received int32   // messages
	expected int32   // messages of the phases up to next − controllers
	complete int32   // first phase whose message has not been received
	free     float64 // when the processor has completed all its work [s]
	listed   bool    // in Engine.idle
}

// startNodes starts all nodes.
func (e *Engine) startNodes() {
	for i := range e.slots {
		e.slots[i] = slot{phase: -1, last: -1, channel: -1, posted: math.Inf(-1)}
		e.nextEvent(i)
	}
	e.idle = e.idle[:0]
	for n := range e.nodes {
		start := e.host.Finish(n, 0, 0)
		e.nodes[n] = node{free: start}
		if e.recorder != nil {
			e.recorder.started(n)
		}
		e.result.LatestStart = max(e.result.LatestStart, start)
		e.list(n)
	}
	e.result.CompletionTime = e.result.LatestStart
}

// list adds a node to those that may have a controller to give a message.
func (e *Engine) list(n int) {
	if !e.nodes[n].listed {
		e.nodes[n].listed = true
		e.idle = append(e.idle, int32(n))
	}
}

// take gives idle controllers of a node the next messages that the sync permits.
func (e *Engine) take(n int) {
	nd := &e.nodes[n]
	phases := e.problem.Pattern.Phases()
	for i := n * e.fabric.controllers; i < (n+1)*e.fabric.controllers; i++ {
		s := &e.slots[i]
		for s.state == quiet {
			if int(nd.next) == phases || !e.permits(n, s) {
				break
			}
			phase := nd.next
			nd.next++
			if m := phase + 1 - int32(e.fabric.controllers); m >= 0 &&
				e.problem.Pattern.From(int(m), n) != network.NoNode {
				nd.expected++
			}
			s.phase = phase
			if to := e.problem.Pattern.To(int(phase), n); to != network.NoNode {
				e.send(n, i, phase, to)
			}
		}
	}
}

// permits reports whether the sync lets a slot of a node take the next phase p.
func (e *Engine) permits(n int, s *slot) bool {
	nd := &e.nodes[n]
	switch e.problem.Sync {
	case network.LocalCount:
		return nd.received >= nd.expected
	case network.Local:
		group := nd.next - nd.next%int32(e.fabric.controllers)
		for nd.complete < group && e.has(n, nd.complete) {
			nd.complete++
		}
		return nd.complete >= group
	case network.LocalController:
		return s.phase < 0 || e.has(n, s.phase)
	}
	return true
}

// has reports whether a node has received the message of a phase, or there is none.
func (e *Engine) has(n int, phase int32) bool {
	return e.received.has(n*e.problem.Pattern.Phases()+int(phase)) ||
		e.problem.Pattern.From(int(phase), n) == network.NoNode
}

// send gives a slot the message of a phase: the processor posts it, and then its first flit waits
// for the latency, and for the events that hit it meanwhile.
func (e *Engine) send(n, i int, phase int32, to int) {
	s, nd := &e.slots[i], &e.nodes[n]
	s.message = e.newMessage(message{int32(i), phase, int32(to), e.pieces})
	start := max(e.seconds(), nd.free)
	nd.free = e.host.Finish(n, start, e.problem.SendWork)
	posted := nd.free
	if e.problem.Gap > 0 {
		posted = max(posted, s.posted+e.problem.Gap)
	}
	s.posted = posted
	latency := e.problem.Latency
	if e.problem.Window > 0 {
		latency = e.problem.start(e.problem.grid().Hops(n, to))
	}
	first := latency
	latency += e.delays.Extra(n, i%e.fabric.controllers)
	begin := posted
	for s.transit < latency {
		begin += s.transit + s.length
		latency -= s.transit
		e.nextEvent(i)
	}
	s.transit -= latency
	begin += latency
	if e.recorder != nil {
		e.recorder.sent(i, start, posted, first, begin)
	}
	e.post(i, begin)
}

// newMessage returns the number of a message.
func (e *Engine) newMessage(m message) int32 {
	if n := len(e.empty); n > 0 {
		id := e.empty[n-1]
		e.empty = e.empty[:n-1]
		e.messages[id] = m
		return id
	}
	e.messages = append(e.messages, m)
	return int32(len(e.messages) - 1)
}

// receive follows the arrival of a message's last flit: its receiver's processor takes it.
func (e *Engine) receive(number int32) {
	m := &e.messages[number]
	nd := &e.nodes[m.to]
	work := e.problem.ReceiveWork
	if nd.next <= m.phase {
		work += e.problem.EarlyWork
	}
	start := max(e.seconds(), nd.free)
	nd.free = e.host.Finish(int(m.to), start, work)
	if e.recorder != nil {
		e.recorder.arrived(number, start, work)
	}
	e.result.CompletionTime = max(e.result.CompletionTime, nd.free)
	e.result.Messages++
	e.left--
	nd.received++
	if e.problem.Sync == network.None {
		return
	}
	if e.received != nil {
		e.received.add(int(m.to)*e.problem.Pattern.Phases() + int(m.phase))
	}
	e.list(int(m.to))
}
