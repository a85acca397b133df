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

	now      float64
	until    float64 // changes up to then are of this moment
	calendar calendar
	schedule calendar // where the workers of this moment set times
	slots    []slot
	lengths  []float64 // duration of the next event of each slot
	posted   []float64 // when each slot's last message was posted; nil without a gap
	nodes    []node
	arrived  bitset // phases whose message each node has received; nil if the sync needs none
	traffic  *traffic
	sharing  sharing
	result   Result
	recorder *recorder // nil unless the trial is recorded
	team
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
	e.schedule = e.calendar
	if p.Gap > 0 {
		e.posted = make([]float64, len(e.slots))
	}
	if p.Sync == Local || p.Sync == LocalController {
		e.arrived = newBitset(nodes * p.Pattern.Phases())
	}
	e.traffic = newTraffic(len(e.slots), p.longest(), p.bandwidths())
	e.team = team{
		most: p.MostWorkers(), few: few, asleep: fewAsleep, joined: 1,
		moments: signal{looks: busily}, between: barrier{signal: signal{looks: busily}},
		owners: make([]uint8, (len(e.slots)+groupSize-1)/groupSize),
	}
	e.workers = []*worker{{
		Engine: e, arrivals: make([][]arrival, 1), changes: make([][]change, 1),
		affected: make([][]int32, 1),
	}}
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
	defer e.dismiss()
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
	e.now, e.until, e.result = 0, 0, Result{}
	e.sharing.clear()
	e.calendar.clear()
	clear(e.arrived)
	first := e.workers[0]
	first.host, first.delays = host, delays
	e.drawn = 1
	e.gather(e.wanted())
	e.moment((*worker).launch)
}

// advance simulates the next moment, and reports whether there was one.
func (e *Engine) advance() bool {
	t := e.calendar.first()
	if math.IsInf(t, 1) {
		return false
	}
	e.now, e.until = t, t+float64(t*simultaneous)
	e.result.Moments++
	e.size = 1
	first, wanted := e.workers[0], e.wanted()
	limit := e.limit(wanted)
	first.due = e.calendar.until(e.until, limit, first.due[:0])
	if len(first.due) >= limit {
		e.gather(wanted)
	}
	e.moment((*worker).change)
	return true
}
