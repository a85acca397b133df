package network

import (
	"math"

	"jitterfly/collectives"
)

// dependents are the states of ranks whose messages depend on what they have received: the message
// of a round is sent when its sender has done the rounds before, and a redundant copy when it has
// the result.
//
// A rank waits for the earliest of the messages that a round's sources send it, and combines that
// with what it has. It has the result when it has done all rounds, or when it has received a copy
// of it. Without forwarding it then continues with its rounds, since others wait for its partial
// results, and sends those copies on that come later in the order of exchanges than the one that it
// has got. With forwarding it sends the result in place of all that it still owes.
type dependents struct {
	members    []member
	limit      int // exchanges of this trial, without those in place of others
	checkpoint collectives.Checkpoint
	unfinished int // ranks without the result
	// byMessage has the delays of messages depend on which they are, so that they are the same
	// whatever else a rank sends; else on its controllers.
	byMessage bool
}

// A member is a rank whose messages depend on others.
type member struct {
	done    int32   // rounds
	working bool    // on the next round, until data
	data    float64 // when it has what the rounds done give it [s]
	posted  float64 // when its last message has left [s]
	result  float64 // when it first has the result [s]
	newest  float64 // when it has had the result again, so that it may send more copies [s]
	last    int32   // it may send copies beyond this one: noResult, or notCopy with its own result
	counted bool    // its result is counted
	sent    uint64  // exchanges of the result that have begun
}

// noResult is the last copy of a rank that has none.
const noResult = math.MaxInt32

// mostRounds is the number of senders for each source of rounds, which take memory: schedules of
// more rounds are sent by controllers.
const mostRounds = 64

// ByMessage reports whether delays depend on which message they hit, and not on its controller.
func (p *Sequence) ByMessage() bool {
	if p.Direct {
		return false
	}
	return len(p.rounds)+p.Checkpoints[len(p.Checkpoints)-1].T <= mostRounds
}

// Senders returns the number of senders of a rank with that many slots, for [Delays].
func (p *Sequence) Senders(width int) int {
	if !p.ByMessage() {
		return width
	}
	sources := 1
	for _, r := range p.rounds {
		sources = max(sources, len(r.Sources))
	}
	return sources * mostRounds
}

// message returns the number of the message of an exchange: one for each round and source, and for
// each copy. A result in place of a partial result has the number of the partial result.
func (p *Sequence) message(exchange int) int {
	if exchange >= p.real {
		exchange -= p.real
	}
	x := &p.Exchanges[exchange]
	if x.copy != notCopy {
		return len(p.rounds) + x.copy
	}
	return (exchange-p.rounds[x.Round].Exchange)*mostRounds + x.Round
}

// Limit sets up to which checkpoint trials are simulated from now on: their redundancy T.
func (h *Hosts) Limit(checkpoint int) {
	h.checkpoint, h.byMessage = h.Checkpoints[checkpoint], h.ByMessage()
	h.limit = h.real - (len(h.Checkpoints) - 1 - checkpoint) // each after the first has an exchange
	h.Expected = int(h.Messages(checkpoint))
}

// Wakes reports whether ranks wait for moments. They do where a copy can come while a rank works,
// which then sends something else.
func (p *Sequence) Wakes() bool {
	return len(p.Checkpoints) > 1 && p.Exchanges[p.real-1].offload
}

// Awake resumes a rank at the time that it waited for.
func (h *Hosts) Awake(n int) {
	h.members[n].working = false
	h.members[n].done++
	h.Ready(n)
}

// proceed lets a rank do all rounds that it can, and send what depends on them.
func (h *Hosts) proceed(n int) {
	m := &h.members[n]
	h.sendRounds(n)
	for int(m.done) < len(h.rounds) && !m.working && !h.forwards(m) && h.round(n) {
		if m.data > h.Now && h.checkpoint.T > 0 && h.Wakes() {
			m.working = true
			h.carrier.Wake(n, m.data)
			break
		}
		m.done++
		h.sendRounds(n)
	}
	if int(m.done) == len(h.rounds) && m.last != notCopy {
		m.have(notCopy, m.data)
	}
	if m.last != noResult {
		h.sendResults(n)
		if !m.counted {
			m.counted = true
			h.count(n)
		}
	}
}

// forwards reports whether a rank has the result and sends it in place of partial results.
func (h *Hosts) forwards(m *member) bool { return m.last != noResult && len(h.Exchanges) > h.real }

// round makes a rank do its next round, and reports whether it could.
func (h *Hosts) round(n int) bool {
	m, own := &h.members[n], &h.ranks[n]
	r := &h.rounds[m.done]
	if at := int(h.rank[n]); at < r.Receivers.Lo || at >= r.Receivers.Hi {
		return true
	}
	if len(r.Sources) > 0 && !h.received(n, r) {
		return false
	}
	m.data = max(m.data, h.Now)
	if r.Wait == collectives.Combined || !h.Exchanges[r.Exchange].offload {
		m.data = max(m.data, own.free)
	}
	if r.Combine > 0 {
		own.free = h.host.Finish(n, m.data, r.Combine)
		if h.Recorder != nil {
			h.Recorder.combined(n, r.Combine)
		}
		m.data = own.free
	}
	return true
}

func (h *Hosts) received(n int, r *collectives.Round) bool {
	first := n*len(h.Exchanges) + r.Exchange
	for e := first; e < first+len(r.Sources); e++ {
		if h.arrived.Has(e) {
			return true
		}
	}
	return false
}

// have gives a rank the result at time at [s], by the copy with that number or by its own rounds.
func (m *member) have(number int, at float64) {
	if m.last == noResult {
		m.result = at
	}
	m.last, m.newest = min(m.last, int32(number)), at
}

// count notes that a rank has the result, and when its call returns: when it has posted its copies
// and, if its processor has to, when that is free of detours.
func (h *Hosts) count(n int) {
	h.unfinished--
	m := &h.members[n]
	returns := m.result
	if own, posters := int(h.rank[n]), h.checkpoint.Posters; posters.Lo <= own && own < posters.Hi {
		if h.Scenario.SendWork > 0 && h.checkpoint.T > 0 {
			returns = max(returns, h.ranks[n].free)
		}
		returns += h.checkpoint.Post
	}
	if h.Scenario.Return {
		returns = h.host.Finish(n, returns, 0)
	}
	h.CompletionTime = max(h.CompletionTime, returns)
	if h.clocks != nil {
		h.clocks[n] = returns
	}
	if h.Recorder != nil {
		h.Recorder.completed(n, m.result, returns)
	}
}

// sendRounds gives idle slots of a rank the messages of rounds that it may send.
func (h *Hosts) sendRounds(n int) {
	own, m := &h.ranks[n], &h.members[n]
	for int(own.next) < h.partial {
		e := int(own.next)
		k := h.Exchanges[e].Round
		if h.forwards(m) {
			e += h.real
		} else if int(m.done) < k-h.rounds[k].Lag {
			return
		}
		data := m.data
		if e >= h.real {
			data = m.newest
		}
		if !h.give(n, e, data) {
			return
		}
		own.next++
	}
}

// sendResults gives idle slots of a rank the result, for the ranks that it may send it to.
func (h *Hosts) sendResults(n int) {
	m := &h.members[n]
	if h.forwards(m) {
		h.sendRounds(n)
		if int(h.ranks[n].next) < h.partial {
			return
		}
		m.last = notCopy
	}
	for e := h.partial; e < h.limit; e++ {
		bit := uint64(1) << (e - h.partial)
		number := h.Exchanges[e].copy
		if m.sent&bit != 0 || number != notCopy && number <= int(m.last) {
			continue
		}
		if !h.give(n, e, m.newest) {
			return
		}
		m.sent |= bit
	}
}

// give gives an idle slot of rank n its message of an exchange, if it has one, whose data are there
// at time data [s]. It returns false if no slot is idle.
func (h *Hosts) give(n, exchange int, data float64) bool {
	to := h.To(exchange, n)
	if to == NoRank {
		return true
	}
	for i := n * h.Width; i < (n+1)*h.Width; i++ {
		if !h.carrier.Idle(i) {
			continue
		}
		h.Slots[i].Exchange, h.Slots[i].To = int32(exchange), int32(to)
		own, m := &h.ranks[n], &h.members[n]
		own.sending++
		start := max(h.Now, data)
		left := start + h.Exchanges[exchange].post
		if h.Scenario.SendWork > 0 {
			start = max(start, own.free)
			own.free = h.host.Finish(n, start, h.Scenario.SendWork)
			left = max(left, own.free)
		}
		if h.Scenario.Gap > 0 {
			left = max(left, m.posted+h.Scenario.Gap)
		}
		m.posted = left
		if h.byMessage {
			h.NextEvent(i)
		}
		h.leave(n, i, start, left)
		return true
	}
	return false
}

// take lets a rank receive the message of an exchange that has arrived, unless it has had one in
// its place: such copies are dropped.
func (h *Hosts) take(message, to, exchange int) {
	m, own, x := &h.members[to], &h.ranks[to], &h.Exchanges[exchange]
	isCopy := exchange >= h.real || x.copy != notCopy
	late := h.late(m, to, exchange, isCopy)
	if h.Recorder != nil && (late || x.offload) {
		h.Recorder.came(message, to, exchange)
	}
	if late {
		return
	}
	at := h.Now
	if !x.offload {
		h.process(message, to, exchange, int(own.next) <= exchange && !isCopy)
		at = own.free
	}
	if isCopy {
		m.have(x.copy, at)
	}
	h.arrived.Add(to*len(h.Exchanges) + exchange)
	h.Ready(to)
}

// late reports whether a message brings a rank nothing.
func (h *Hosts) late(m *member, to, exchange int, isCopy bool) bool {
	if isCopy {
		return int(m.last) <= h.Exchanges[exchange].copy || m.last == notCopy
	}
	k := h.Exchanges[exchange].Round
	return h.forwards(m) || int(m.done) > k || h.received(to, &h.rounds[k])
}
