package network

import (
	"context"
	"errors"
	"math"
)

// An Engine simulates trials of one problem, one at a time. Trials reuse its memory and,
// after the first few, allocate none.
//
// Each controller of each node is a slot. It is idle, or has a message in one of the other
// states.
//
//	             the sender's processor, then α and the hops
//	idle ──► starting ──► flowing ──► idle, when its message has arrived
//	                       │   ▲
//	                       ▼   │ the end of an event
//	                      delayed
//
// Time advances from one moment to the next at which a slot changes its state, according
// to the calendar. All changes of one moment take effect together: first the messages that
// end leave their links and those that begin join theirs, then the sharing computes the
// rates, and flows with another rate get another time of arrival. Moments closer to each
// other than simultaneous count as one, so that rounding does not separate them.
type Engine struct {
	problem     Problem
	controllers int
	host        Host
	delays      Delays

	now      float64
	calendar calendar
	slots    []slot
	lengths  []float64 // duration of the next event of each slot
	posted   []float64 // when each slot's last message was posted; nil without a gap
	nodes    []node
	due      []int32 // slots of this moment
	ready    []int32 // nodes that may be able to send
	arrived  bitset  // phases whose message each node has received; nil if the sync needs none
	traffic  *traffic
	sharing  sharing
	result   Result
	recorder *recorder // nil unless the trial is recorded
}

// simultaneous is the difference, relative to the time since the start, up to which two
// moments count as one.
const simultaneous = 1e-12

// A slot is a controller and its message. It fills one cache line.
type slot struct {
	state  state
	phase  int32
	to     int32
	left   float64 // bytes that had not arrived at the time since
	rate   float64 // at which they arrive [B/s]
	since  float64
	finish float64 // when the last byte arrives at this rate
	hit    float64 // when the next event hits the message
	// transit is how long [s] messages of this controller can be in transit until the
	// next event, as of the last moment without a flowing message.
	transit float64
}

type state int32

const (
	idle state = iota
	starting
	flowing
	delayed
)

// A node is a queue of messages and a processor.
type node struct {
	next    int32 // first phase that has not begun
	sending int32 // messages with controllers
	// received is the number of messages, and expected of those that must be before the next
	// phase, with LocalCount.
	received, expected int32
	free               float64 // when the processor has completed all its work
	ready              bool    // in Engine.ready
}

// Result is the outcome of a trial. Times are in seconds from the start.
type Result struct {
	// CompletionTime is when the last message has been received.
	CompletionTime float64
	// LatestStart is when the last node begins.
	LatestStart float64
	// Messages is the number of messages that arrived.
	Messages int
	// Moments is the number of different times at which something happened.
	Moments int
}

// NewEngine returns an engine for the problem. It fails if [Problem.Check] does.
func NewEngine(p Problem) (*Engine, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	nodes := p.Topology.Nodes()
	e := &Engine{
		problem:     p,
		controllers: p.controllers(),
		calendar:    newCalendar(nodes * p.controllers()),
		slots:       make([]slot, nodes*p.controllers()),
		lengths:     make([]float64, nodes*p.controllers()),
		nodes:       make([]node, nodes),
	}
	if p.Gap > 0 {
		e.posted = make([]float64, len(e.slots))
	}
	if p.Sync == Local || p.Sync == LocalController {
		e.arrived = newBitset(nodes * p.Pattern.Phases())
	}
	e.traffic = newTraffic(len(e.slots), p.longest(), p.bandwidths())
	switch p.Sharing {
	case Equal:
		e.sharing = &equal{traffic: e.traffic}
	case MaxMin:
		e.sharing = newMaxMin(e.traffic)
	}
	return e, nil
}

// Run simulates one trial under the noise and returns its result. It fails if the context
// is cancelled, or if a detour or an event lasts forever.
func (e *Engine) Run(ctx context.Context, host Host, delays Delays) (Result, error) {
	e.start(host, delays)
	for e.advance() {
		if e.result.Moments%64 == 0 {
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
		}
	}
	for i := range e.nodes {
		if n := &e.nodes[i]; n.sending > 0 || int(n.next) < e.problem.Pattern.Phases() {
			return Result{}, errors.New("a detour or an event in the network does not end")
		}
	}
	return e.result, nil
}

// start begins a trial: every node starts at the end of the detour it is in, if any.
func (e *Engine) start(host Host, delays Delays) {
	e.host, e.delays, e.now, e.result = host, delays, 0, Result{}
	e.sharing.clear()
	e.calendar.clear()
	clear(e.arrived)
	for i := range e.posted {
		e.posted[i] = math.Inf(-1)
	}
	e.due, e.ready = e.due[:0], e.ready[:0]
	for i := range e.slots {
		s := &e.slots[i]
		*s = slot{phase: -1}
		s.transit, e.lengths[i] = delays.Next(i/e.controllers, i%e.controllers)
	}
	for i := range e.nodes {
		start := host.Finish(i, 0, 0)
		e.nodes[i] = node{free: start}
		if e.recorder != nil {
			e.recorder.started(i)
		}
		e.result.LatestStart = max(e.result.LatestStart, start)
	}
	e.result.CompletionTime = e.result.LatestStart
	for i := range e.nodes {
		e.release(i)
	}
	e.settle()
}

// advance simulates the next moment, and reports whether there was one.
func (e *Engine) advance() bool {
	t := e.calendar.first()
	if math.IsInf(t, 1) {
		return false
	}
	e.now = t
	e.result.Moments++
	until := t + float64(t*simultaneous)
	e.due = e.calendar.until(until, e.due[:0])
	for _, i := range e.due {
		switch s := &e.slots[i]; {
		case s.state != flowing:
			e.join(i)
		case s.finish <= until:
			e.arrive(i)
		default:
			e.hit(i)
		}
	}
	for _, n := range e.ready {
		e.nodes[n].ready = false
		e.release(int(n))
	}
	e.ready = e.ready[:0]
	e.settle()
	for _, i := range e.due {
		if e.slots[i].state == idle {
			e.calendar.set(int(i), math.Inf(1))
		}
	}
	return true
}

// send gives a controller the message of a phase: its processor posts the message, and
// then the first byte is in transit.
func (e *Engine) send(i int32, phase int32, to int) {
	s := &e.slots[i]
	from := int(i) / e.controllers
	n := &e.nodes[from]
	n.sending++
	start := max(e.now, n.free)
	n.free = e.host.Finish(from, start, e.problem.SendWork)
	t := e.traffic
	route, latency := e.problem.route(t.room(i), from, to)
	t.hops[i] = int32(len(route))
	s.state, s.phase, s.to, s.left = starting, phase, int32(to), e.problem.Bytes
	first := latency
	latency += e.delays.Extra(from, int(i)%e.controllers)
	posted := n.free
	if e.posted != nil {
		posted = max(posted, e.posted[i]+e.problem.Gap)
		e.posted[i] = posted
	}
	begin := posted + e.firstByte(i, latency)
	if e.recorder != nil {
		e.recorder.sent(i, start, posted, first)
	}
	if begin > e.now {
		e.calendar.set(int(i), begin)
	} else {
		e.join(i)
	}
}

// firstByte returns how long [s] the first byte of a message is in transit, with the events
// that hit the message meanwhile.
func (e *Engine) firstByte(i int32, latency float64) float64 {
	s := &e.slots[i]
	before := 0.0
	for s.transit < latency {
		before += s.transit + e.lengths[i]
		latency -= s.transit
		e.nextEvent(i)
	}
	s.transit -= latency
	return before + latency
}

// nextEvent reads the next event of a controller.
func (e *Engine) nextEvent(i int32) {
	node, controller := int(i)/e.controllers, int(i)%e.controllers
	e.slots[i].transit, e.lengths[i] = e.delays.Next(node, controller)
}

// join adds a message to the links of its route.
func (e *Engine) join(i int32) {
	s := &e.slots[i]
	s.state = flowing
	s.since = e.now
	s.hit = e.now + s.transit
	e.sharing.join(i)
	if e.recorder != nil {
		e.recorder.changed(i)
	}
}

// hit delays a message until the end of an event. Meanwhile it is on no link.
func (e *Engine) hit(i int32) {
	s := &e.slots[i]
	if e.lengths[i] == 0 {
		e.nextEvent(i)
		s.hit = e.now + s.transit
		e.calendar.set(int(i), min(s.finish, s.hit))
		return
	}
	e.sharing.leave(i)
	s.left = s.leftAt(e.now)
	s.rate = 0
	s.state = delayed
	if e.recorder != nil {
		e.recorder.changed(i)
	}
	e.calendar.set(int(i), e.now+e.lengths[i])
	e.nextEvent(i)
}

// arrive removes a message that has arrived from its links, makes its controller idle, and
// lets the receiver's processor receive it.
func (e *Engine) arrive(i int32) {
	s := &e.slots[i]
	e.sharing.leave(i)
	s.rate = 0
	s.state = idle
	s.transit = max(0, s.hit-e.now)
	e.result.Messages++
	from := i / int32(e.controllers)
	e.nodes[from].sending--
	e.markReady(from)

	n := &e.nodes[s.to]
	work := e.problem.ReceiveWork
	if n.next <= s.phase {
		work += e.problem.EarlyWork
	}
	start := max(e.now, n.free)
	n.free = e.host.Finish(int(s.to), start, work)
	if e.recorder != nil {
		e.recorder.arrived(i, start, work)
	}
	e.result.CompletionTime = max(e.result.CompletionTime, n.free)
	if e.arrived != nil {
		e.arrived.set(e.bit(s.to, s.phase))
	}
	if e.problem.Sync != None {
		n.received++
		e.markReady(s.to)
	}
}

// markReady adds a node to those that may be able to send, if it is not there yet.
func (e *Engine) markReady(n int32) {
	if !e.nodes[n].ready {
		e.nodes[n].ready = true
		e.ready = append(e.ready, n)
	}
}

// settle computes the rates of all flows, and the new times of those whose rate changed.
func (e *Engine) settle() {
	e.sharing.settle()
	for _, i := range e.traffic.changed {
		share := &e.traffic.shares[i]
		share.listed = false
		s := &e.slots[i]
		if s.state != flowing || s.rate == share.rate.number() {
			continue
		}
		s.left = s.leftAt(e.now)
		s.since = e.now
		s.rate = share.rate.number()
		s.finish = e.now + s.left/s.rate
		if e.recorder != nil {
			e.recorder.changed(i)
		}
		e.calendar.set(int(i), min(s.finish, s.hit))
	}
	e.traffic.changed = e.traffic.changed[:0]
}

// leftAt returns the number of bytes that have not arrived at time t.
func (s *slot) leftAt(t float64) float64 {
	return max(0, s.left-float64(s.rate*(t-s.since)))
}
