package flow

import (
	"context"
	"errors"
	"math"

	"jitterfly/collectives/network"
)

// An Engine simulates trials of one scenario, one after the other. Trials reuse its memory and,
// after the first few, allocate none.
//
// Each slot of each rank is idle, or has a message in another state.
//
//	             the sender's processor, then α and the hops
//	idle ──► starting ──► flowing ──► idle, when its message has arrived
//	              │        │   ▲
//	              ▼        ▼   │ the end of an event
//	            queued    delayed
//
// A message is queued where its sender's messages depend on others, while one of an earlier round
// is flowing: a rank sends one round after the other.
//
// Time advances from one moment to the next at which a slot changes its state, according to the
// calendar. All changes of one moment take effect together: first the messages that end leave their
// links and messages that begin join theirs, then the sharing computes the rates, and flows with
// another rate get another time of arrival. Moments closer to each other than simultaneous count as
// one, so that rounding does not separate them.
type Engine struct {
	network.Hosts
	scenario Network
	until    float64  // changes up to then belong to this moment
	calendar calendar // of slots, and of ranks that wait
	slots    []slot
	traffic  *traffic
	sharing  sharing
	due      []int32 // slots of this moment
	arrivals []int32 // slots whose message arrived in this moment
	recorder *recorder
}

// simultaneous is the difference, relative to the time since the start, up to which two
// moments count as one.
const simultaneous = 1e-12

// A slot is a message of a rank.
type slot struct {
	state  state
	left   float64 // bytes that had not arrived at the time since
	rate   float64 // at which they arrive [B/s]
	since  float64
	finish float64 // when the last byte arrives at this rate
	hit    float64 // when the next event hits the message
}

type state int32

const (
	idle state = iota
	starting
	queued
	flowing
	delayed
)

// NewEngine returns an engine for a scenario that its Check accepts.
func NewEngine(p Network) *Engine {
	e := &Engine{scenario: p}
	e.Hosts = network.NewHosts(&e.scenario.Scenario, p.Width(), e)
	e.UntilArrival = true
	e.slots = make([]slot, len(e.Slots))
	moments := len(e.slots)
	if e.Wakes() {
		moments += p.Ranks()
	}
	e.calendar = newCalendar(moments)
	e.traffic = newTraffic(len(e.slots), p.longest(), p.bandwidths())
	switch p.Sharing {
	case Equal:
		e.sharing = &equal{traffic: e.traffic}
	case MaxMin:
		e.sharing = newMaxMin(e.traffic)
	}
	return e
}

// Run implements [network.Engine]. It fails if the context is cancelled, or if a detour or an event
// lasts forever.
func (e *Engine) Run(ctx context.Context, host network.Host, delays network.Delays) (network.Result, error) {
	e.start(host, delays)
	for !e.Done() && e.advance() {
		if e.Moments%64 == 0 && ctx.Err() != nil {
			return network.Result{}, ctx.Err()
		}
	}
	if !e.Done() {
		return network.Result{}, errors.New("a detour or an event in the network does not end")
	}
	return e.Result, nil
}

func (e *Engine) start(host network.Host, delays network.Delays) {
	e.until = 0
	clear(e.slots)
	e.sharing.clear()
	e.calendar.clear()
	e.due = e.due[:0]
	e.traffic.moment++
	e.Start(host, delays)
	e.Release()
	e.settle()
}

// advance simulates the next moment, and reports whether there was one.
func (e *Engine) advance() bool {
	t := e.calendar.first()
	if math.IsInf(t, 1) {
		return false
	}
	e.Now, e.until = t, t+float64(t*simultaneous)
	e.Moments++
	e.traffic.moment++
	e.due = e.calendar.until(e.until, e.due[:0])
	for _, i := range e.due {
		if int(i) >= len(e.slots) {
			e.calendar.set(int(i), math.Inf(1))
			e.Awake(int(i) - len(e.slots))
			continue
		}
		switch s := &e.slots[i]; {
		case s.state != flowing:
			e.join(i)
		case s.finish <= e.until:
			e.arrive(i)
		default:
			e.hit(i)
		}
	}
	for _, i := range e.arrivals {
		at := &e.Slots[i]
		e.Receive(int(i), int(at.To), int(at.Exchange))
	}
	e.arrivals = e.arrivals[:0]
	e.Release()
	e.settle()
	return true
}

// settle gives flows whose rate changed their new times, and takes slots that became idle out of
// the calendar.
func (e *Engine) settle() {
	e.sharing.settle()
	slots, shares, now := e.slots, e.traffic.shares, e.Now
	for _, i := range e.traffic.changed {
		s, rate := &slots[i], shares[i].rate.number()
		if s.state != flowing || s.rate == rate {
			continue
		}
		s.left = s.leftAt(now)
		s.since = now
		s.rate = rate
		s.finish = now + s.left/rate
		if e.recorder != nil {
			e.recorder.changed(i)
		}
		e.calendar.set(int(i), min(s.finish, s.hit))
	}
	e.traffic.changed = e.traffic.changed[:0]
	for _, i := range e.due {
		if int(i) >= len(e.slots) {
			continue
		}
		if s := e.slots[i].state; s == idle || s == queued {
			e.calendar.set(int(i), math.Inf(1))
		}
	}
}
