package network

import (
	"context"
	"errors"
	"math"
)

// An Engine plays one problem, trial after trial. Its state is reused and does not
// grow once the first trials have been played.
//
// Every controller of every node is a slot: it has no message, or one that is
// in one of these states.
//
//	             the sender's processor, then α and the hops
//	idle ──► starting ──► flowing ──► idle, as its message has arrived
//	                       │   ▲
//	                       ▼   │ the end of an event
//	                       held
//
// Time goes from one moment to the next at which a slot changes state, as the
// calendar has it. What happens at one moment happens together: first all that
// end there leave their links and all that begin there join theirs, then shares
// are settled, and only flows whose share is another get another time. Moments closer
// to each other than simultaneous are one, so that rounding separates nothing that
// coincides.
type Engine struct {
	problem     Problem
	controllers int
	host        Host
	holds       Delays

	now      float64
	calendar calendar
	slots    []slot
	lengths  []float64 // of the event that strikes each slot next
	left     []float64 // when each slot's last message was posted, if there is a gap
	nodes    []node
	due      []int32 // slots of this moment
	ready    []int32 // nodes that may be able to send
	arrived  bitset  // which phases' messages each node has received, where it waits for them
	traffic  *traffic
	sharing  sharing
	result   Result
	recorder *recorder // of a trial that is recorded
}

// simultaneous is how far apart, relative to the time since the launch, moments
// can be that are one.
const simultaneous = 1e-12

// A slot is a controller and its message. It fills one line of the cache.
type slot struct {
	state  state
	phase  int32
	to     int32
	left   float64 // bytes that have not arrived, as of since
	rate   float64 // at which they do
	since  float64
	finish float64 // when the last arrives, at this rate
	strike float64 // when the next event holds the message
	// transit is how long messages of this controller can be in transit until
	// the next event, as of the last moment at which there was none that flowed.
	transit float64
}

type state int32

const (
	idle state = iota
	starting
	flowing
	held
)

// A node is a queue of messages and a processor.
type node struct {
	next    int32   // first phase that has not begun
	sending int32   // messages with controllers
	free    float64 // when the processor has done all that it was given
	ready   bool    // listed as such
}

// Result is what a trial gives, in seconds from the launch.
type Result struct {
	// CompletionTime is when the last message has been taken.
	CompletionTime float64
	// LatestStart is when the last node begins to send, or has nothing to.
	LatestStart float64
	Messages    int
	// Moments is how many different times something happened at.
	Moments int
}

// NewEngine returns an engine for the problem, or says what is wrong with that.
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
		e.left = make([]float64, len(e.slots))
	}
	if p.Sync != None {
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

// Run plays the problem once under the noise. When the context is cancelled it
// returns its error.
func (e *Engine) Run(ctx context.Context, host Host, holds Delays) (Result, error) {
	e.launch(host, holds)
	for e.moment() {
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

// launch begins a trial: every node starts when its operating system lets it.
func (e *Engine) launch(host Host, holds Delays) {
	e.host, e.holds, e.now, e.result = host, holds, 0, Result{}
	e.sharing.clear()
	e.calendar.clear()
	clear(e.arrived)
	for i := range e.left {
		e.left[i] = math.Inf(-1)
	}
	e.due, e.ready = e.due[:0], e.ready[:0]
	for i := range e.slots {
		s := &e.slots[i]
		*s = slot{phase: -1}
		s.transit, e.lengths[i] = holds.Next(i/e.controllers, i%e.controllers)
	}
	for i := range e.nodes {
		start := host.Finish(i, 0, 0)
		e.nodes[i] = node{free: start}
		if e.recorder != nil {
			e.recorder.launched(i)
		}
		e.result.LatestStart = max(e.result.LatestStart, start)
	}
	e.result.CompletionTime = e.result.LatestStart
	for i := range e.nodes {
		e.release(i)
	}
	e.settle()
}

// moment does all that happens at the next moment, if there is one.
func (e *Engine) moment() bool {
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
			e.strike(i)
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

// send gives a controller the message of a phase. Its processor posts it, and then
// its first byte is on the way.
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
	latency += e.holds.Extra(from, int(i)%e.controllers)
	posted := n.free
	if e.left != nil {
		posted = max(posted, e.left[i]+e.problem.Gap)
		e.left[i] = posted
	}
	begin := posted + e.head(i, latency)
	if e.recorder != nil {
		e.recorder.sent(i, start, posted, first)
	}
	if begin > e.now {
		e.calendar.set(int(i), begin)
	} else {
		e.join(i)
	}
}

// head is how long the first byte is on its way, with the events that strike the
// message meanwhile.
func (e *Engine) head(i int32, latency float64) float64 {
	s := &e.slots[i]
	held := 0.0
	for s.transit < latency {
		held += s.transit + e.lengths[i]
		latency -= s.transit
		e.next(i)
	}
	s.transit -= latency
	return held + latency
}

// next asks for the next event that strikes messages of a controller.
func (e *Engine) next(i int32) {
	e.slots[i].transit, e.lengths[i] = e.holds.Next(int(i)/e.controllers, int(i)%e.controllers)
}

// join puts a message on its links.
func (e *Engine) join(i int32) {
	s := &e.slots[i]
	s.state = flowing
	s.since = e.now
	s.strike = e.now + s.transit
	e.sharing.join(i)
	if e.recorder != nil {
		e.recorder.turn(i)
	}
}

// strike holds a message until an event ends. Its links are the others' meanwhile.
func (e *Engine) strike(i int32) {
	s := &e.slots[i]
	if e.lengths[i] == 0 {
		e.next(i)
		s.strike = e.now + s.transit
		e.calendar.set(int(i), min(s.finish, s.strike))
		return
	}
	e.sharing.leave(i)
	s.left = s.leftAt(e.now)
	s.rate = 0
	s.state = held
	if e.recorder != nil {
		e.recorder.turn(i)
	}
	e.calendar.set(int(i), e.now+e.lengths[i])
	e.next(i)
}

// arrive takes a message from its links. Its controller is free, and its receiver's
// processor has something to do.
func (e *Engine) arrive(i int32) {
	s := &e.slots[i]
	e.sharing.leave(i)
	s.rate = 0
	s.state = idle
	s.transit = max(0, s.strike-e.now)
	e.result.Messages++
	from := i / int32(e.controllers)
	e.nodes[from].sending--
	e.list(from)

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
	if e.problem.Sync != None {
		e.arrived.set(e.bit(s.to, s.phase))
		e.list(s.to)
	}
}

// list notes that a node may be able to send.
func (e *Engine) list(n int32) {
	if !e.nodes[n].ready {
		e.nodes[n].ready = true
		e.ready = append(e.ready, n)
	}
}

// settle gives the flows whose share is another their rate and their time.
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
			e.recorder.turn(i)
		}
		e.calendar.set(int(i), min(s.finish, s.strike))
	}
	e.traffic.changed = e.traffic.changed[:0]
}

// leftAt is how many bytes have not arrived.
func (s *slot) leftAt(t float64) float64 {
	return max(0, s.left-float64(s.rate*(t-s.since)))
}
