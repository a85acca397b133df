package flow

import (
	"math"

	"jitterfly/collectives/recording"
)

// Idle implements [network.Carrier].
func (e *Engine) Idle(i int) bool { return e.slots[i].state == idle }

// Latency implements [network.Carrier].
func (e *Engine) Latency(i int) float64 {
	t, at := e.traffic, &e.Slots[i]
	bytes := e.Exchanges[at.Exchange].Bytes
	route, latency := e.scenario.route(t.room(int32(i)), i/e.Width, int(at.To), bytes)
	t.hops[i] = int32(len(route))
	return latency
}

// Carry implements [network.Carrier].
func (e *Engine) Carry(i int, begin float64) {
	s := &e.slots[i]
	s.state, s.left = starting, e.Exchanges[e.Slots[i].Exchange].Bytes
	if e.recorder != nil {
		e.recorder.kinds[i] = recording.Latency
	}
	if begin > e.Now {
		e.calendar.set(i, begin)
	} else {
		e.join(int32(i))
	}
}

// Wake implements [network.Carrier].
func (e *Engine) Wake(rank int, t float64) { e.calendar.set(len(e.slots)+rank, t) }

// join adds a message to the links of its route, unless it has to wait for one of an earlier round.
func (e *Engine) join(i int32) {
	s := &e.slots[i]
	if s.state == starting && !e.Direct && e.earlier(i) {
		s.state = queued
		e.calendar.set(int(i), math.Inf(1))
		return
	}
	s.state = flowing
	s.since = e.Now
	s.hit = e.Now + e.Slots[i].Transit
	e.sharing.join(i)
	if e.recorder != nil {
		e.recorder.changed(i)
	}
}

// earlier reports whether the sender of a message has one of an earlier round that is flowing or
// will be before.
func (e *Engine) earlier(i int32) bool {
	first, round := int(i)/e.Width*e.Width, e.Exchanges[e.Slots[i].Exchange].Round
	for j := first; j < first+e.Width; j++ {
		if s := e.slots[j].state; s == flowing || s == queued {
			if e.Exchanges[e.Slots[j].Exchange].Round < round {
				return true
			}
		}
	}
	return false
}

// next lets messages of a rank join that have waited for one of an earlier round.
func (e *Engine) next(rank int) {
	if e.Direct {
		return
	}
	for j := rank * e.Width; j < (rank+1)*e.Width; j++ {
		if e.slots[j].state == queued && !e.earlier(int32(j)) {
			e.slots[j].state = starting
			e.join(int32(j))
		}
	}
}

// leave removes a message from its links.
func (e *Engine) leave(i int32) {
	e.sharing.leave(i)
	e.slots[i].rate = 0
}

// hit delays a message until the end of an event. Meanwhile it is on no link.
func (e *Engine) hit(i int32) {
	s, length := &e.slots[i], e.Slots[i].Length
	e.NextEvent(int(i))
	if length == 0 {
		s.hit = e.Now + e.Slots[i].Transit
		e.calendar.set(int(i), min(s.finish, s.hit))
		return
	}
	s.left = s.leftAt(e.Now)
	e.leave(i)
	s.state = delayed
	if e.recorder != nil {
		e.recorder.changed(i)
	}
	e.calendar.set(int(i), e.Now+length)
	e.next(int(i) / e.Width)
}

// arrive removes a message that has arrived from its links and makes its slot idle.
func (e *Engine) arrive(i int32) {
	s := &e.slots[i]
	e.leave(i)
	s.state = idle
	e.Slots[i].Transit = max(0, s.hit-e.Now)
	e.Free(int(i))
	e.arrivals = append(e.arrivals, i)
	e.next(int(i) / e.Width)
}

// leftAt returns the number of bytes that have not arrived at time t.
func (s *slot) leftAt(t float64) float64 {
	return max(0, s.left-float64(s.rate*(t-s.since)))
}
