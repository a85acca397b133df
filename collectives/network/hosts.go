package network

import (
	"math"
	"reflect"

	"jitterfly/internal/vector"
)

// A Host models the operating systems of the ranks in one trial.
type Host interface {
	// Finish returns when a rank that may begin at t [s] has completed work [s] of its
	// processor. Calls for one rank come in the order of t.
	Finish(rank int, t, work float64) float64
}

// Delays are the events in the network that delay messages in one trial.
type Delays interface {
	// Next returns how long [s] messages of a rank's sender can be in transit before
	// the next event hits one, and how long [s] the event delays that message. It is
	// called once for each event. Time in which a message is delayed does not count as transit.
	// Senders are the rank's controllers, or its messages if [Plan.Senders] says so.
	Next(rank, sender int) (transit, delay float64)
	// Extra returns how much longer [s] than its latency the first byte of a
	// sender's next message takes. It is called once for each message.
	Extra(rank, sender int) float64
}

// A Carrier is how an engine carries messages from one rank to another. A slot is a controller:
// slot i is one of rank i / [Hosts.Width].
type Carrier interface {
	// Idle reports whether a slot can take a message.
	Idle(slot int) bool
	// Latency returns the latency [s] of the first byte of the message that a slot gets.
	Latency(slot int) float64
	// Carry takes the message of a slot, whose first byte arrives at begin [s].
	Carry(slot int, begin float64)
	// Wake calls [Hosts.Awake] for a rank at time t [s], where [Hosts.Wakes]. A rank waits for one
	// time at most.
	Wake(rank int, t float64)
}

// Hosts are the ranks of a scenario in a trial: for each rank a queue of messages, and a processor.
type Hosts struct {
	Scenario *Scenario
	Sequence
	Width int // slots of a rank
	Slots []Slot
	// UntilArrival says whether a slot is idle only when its message has arrived.
	UntilArrival bool

	Now      float64 // [s]
	Result           // so far
	Recorder *Recorder
	carrier  Carrier
	host     Host
	delays   Delays
	ranks    []rank
	ready    []int32        // ranks that may be able to send
	arrived  vector.Bitmask // exchanges whose message each rank has received, if needed
	Expected int            // messages of a trial
	// clocks [s] are when ranks begin, and become when their calls return; nil: they begin at 0, once.
	clocks     []float64
	dependents // where messages depend on others
}

// A Slot is a controller of a rank, and what hosts know of its message.
type Slot struct {
	Exchange, To int32
	Posted       float64 // when its last message was posted [s]
	// Transit is how long [s] messages of this slot can be in transit until the next event, as of
	// the last moment without a flowing message, and Length the duration of that.
	Transit, Length float64
}

// A rank is a queue of messages and a processor.
type rank struct {
	next    int32 // first exchange that has not begun
	sending int32 // messages with slots
	// received is the number of messages, and expected the number of messages that must arrive before
	// the next exchange, with LocalCount.
	received, expected int32
	complete           int32   // first exchange whose message has not been received, with Local
	free               float64 // when the processor has completed all its work
	// copied is when the copies had arrived that an earlier call posted before it returned: until then
	// no message of the next is on the links.
	copied float64
	ready  bool // in Hosts.ready
}

// NewHosts returns the ranks of a scenario, with that many slots each. Its messages go by the
// carrier.
func NewHosts(p *Scenario, width int, c Carrier) Hosts {
	h := Hosts{
		Scenario: p, Sequence: p.Sequence(), Width: width, Slots: make([]Slot, p.Ranks()*width), carrier: c,
		ranks: make([]rank, p.Ranks()),
	}
	if !h.Direct || p.Sync == Local || p.Sync == LocalController {
		h.arrived = vector.NewBitmask(p.Ranks() * len(h.Exchanges))
	}
	if !h.Direct {
		h.members = make([]member, p.Ranks())
	}
	h.Limit(len(h.Checkpoints) - 1)
	return h
}

// Start begins a trial: every rank starts at the end of the detour it is in, if any.
func (h *Hosts) Start(host Host, delays Delays) {
	h.host, h.delays = host, delays
	h.Now, h.Result = 0, Result{}
	clear(h.arrived)
	h.ready = h.ready[:0]
	for i := range h.Slots {
		h.Slots[i] = Slot{Exchange: -1, Posted: math.Inf(-1)}
		if !h.byMessage {
			h.NextEvent(i)
		}
	}
	for n := range h.ranks {
		begin := 0.0
		if h.clocks != nil {
			begin = h.clocks[n]
		}
		start := host.Finish(n, begin, 0)
		h.ranks[n] = rank{free: start, copied: h.ranks[n].copied}
		if h.Recorder != nil {
			h.Recorder.started(n)
		}
		h.LatestStart = max(h.LatestStart, start)
		h.Ready(n)
	}
	h.CompletionTime = h.LatestStart
	h.unfinished = len(h.ranks)
	for n := range h.members {
		h.members[n] = member{data: h.ranks[n].free, posted: math.Inf(-1), last: noResult}
	}
}

// Continue makes the following trials calls of one collective after the other: rank r begins a call
// at clocks[r] [s], and the call sets clocks[r] to its return. Copies that a rank posts before a
// call returns occupy its links before the messages of the next call.
func (h *Hosts) Continue(clocks []float64) {
	h.clocks = clocks
	for n := range h.ranks {
		h.ranks[n].copied = 0
	}
}

// Done reports whether nothing that is left to simulate changes the trial's result, or a later
// call.
func (h *Hosts) Done() bool {
	switch {
	case h.Direct || h.Recorder != nil:
		return h.Received >= h.Expected
	case h.clocks != nil && h.checkpoint.T > 0:
		return h.unfinished == 0 && h.Received >= h.Expected
	}
	return h.unfinished == 0
}

// NextEvent reads the next event of a slot.
func (h *Hosts) NextEvent(i int) {
	h.Slots[i].Transit, h.Slots[i].Length = h.delays.Next(i/h.Width, h.sender(i))
}

// sender returns the sender of a slot's message, for [Delays].
func (h *Hosts) sender(i int) int {
	if h.byMessage {
		return h.message(int(h.Slots[i].Exchange))
	}
	return i % h.Width
}

// Ready adds a rank to the ranks that may be able to send, if it is not among them yet.
func (h *Hosts) Ready(n int) {
	if !h.ranks[n].ready {
		h.ranks[n].ready = true
		h.ready = append(h.ready, int32(n))
	}
}

// Release lets the ranks that may be able to send the messages that they can.
func (h *Hosts) Release() {
	for _, n := range h.ready {
		h.ranks[n].ready = false
		if h.Direct {
			h.send(int(n))
		} else {
			h.proceed(int(n))
		}
	}
	h.ready = h.ready[:0]
}

// Free lets a slot whose message has left, or arrived, take another one.
func (h *Hosts) Free(i int) {
	n := i / h.Width
	h.ranks[n].sending--
	if s := &h.Slots[i]; h.clocks != nil && h.Exchanges[s.Exchange].copy != notCopy && s.Posted <= h.clocks[n] {
		h.ranks[n].copied = h.Now
	}
	h.Ready(n)
}

// send gives idle slots of a rank the next messages that it may send.
func (h *Hosts) send(n int) {
	own := &h.ranks[n]
	for i := n * h.Width; i < (n+1)*h.Width; i++ {
		for h.carrier.Idle(i) {
			if int(own.next) == len(h.Exchanges) {
				return
			}
			if !h.permits(own, n, i) {
				break
			}
			e := own.next
			own.next++
			if before := int(own.next) - h.Width; before >= 0 && h.Scenario.Sync == LocalCount &&
				h.From(before, n) != NoRank {
				own.expected++
			}
			h.Slots[i].Exchange = e
			if to := h.To(int(e), n); to != NoRank {
				h.Slots[i].To = int32(to)
				h.post(n, i)
			}
		}
	}
}

// permits reports whether a slot of a rank may take the rank's next message.
func (h *Hosts) permits(own *rank, n, slot int) bool {
	switch h.Scenario.Sync {
	case Local:
		group := own.next - own.next%int32(h.Width)
		if h.UntilArrival && group == own.next && own.sending > 0 {
			return false
		}
		for own.complete < group && h.has(n, int(own.complete)) {
			own.complete++
		}
		return own.complete >= group
	case LocalController:
		e := h.Slots[slot].Exchange
		return e < 0 || h.has(n, int(e))
	case LocalCount:
		return own.received >= own.expected
	}
	return true
}

// has reports whether a rank has received the message of an exchange, or has none to receive.
func (h *Hosts) has(n, exchange int) bool {
	return h.arrived.Has(n*len(h.Exchanges)+exchange) || h.From(exchange, n) == NoRank
}

// post has a rank's processor post the message of a slot.
func (h *Hosts) post(n, i int) {
	s, own := &h.Slots[i], &h.ranks[n]
	own.sending++
	start := max(h.Now, own.free)
	own.free = h.host.Finish(n, start, h.Scenario.SendWork)
	h.leave(n, i, start, max(own.free, s.Posted+h.Scenario.Gap))
}

// leave makes the message of slot i of rank n leave at time posted [s]; its processor worked on it
// from start. Its first byte is then in transit, with the events that hit it meanwhile.
func (h *Hosts) leave(n, i int, start, posted float64) {
	s := &h.Slots[i]
	s.Posted = posted
	latency := h.carrier.Latency(i)
	if h.Recorder != nil {
		h.Recorder.sent(i, start, posted, latency)
	}
	latency += h.delays.Extra(n, h.sender(i))
	before := 0.0
	for s.Transit < latency {
		before += s.Transit + s.Length
		latency -= s.Transit
		h.NextEvent(i)
	}
	s.Transit -= latency
	h.carrier.Carry(i, max(posted+(before+latency), h.ranks[n].copied))
}

// Receive lets a rank's processor receive the message of an exchange that has arrived, from a slot.
// The network's number of the message is for recordings.
func (h *Hosts) Receive(message, to, exchange int) {
	own := &h.ranks[to]
	h.Received++
	own.received++
	if !h.Direct {
		h.take(message, to, exchange)
		return
	}
	h.process(message, to, exchange, int(own.next) <= exchange)
	h.CompletionTime = max(h.CompletionTime, own.free)
	if h.arrived != nil {
		h.arrived.Add(to*len(h.Exchanges) + exchange)
	}
	if h.Scenario.Sync != None {
		h.Ready(to)
	}
}

// process has a rank's processor receive a message that has arrived. It is early if the rank has not
// begun its exchange.
func (h *Hosts) process(message, to, exchange int, early bool) {
	own, work := &h.ranks[to], h.Scenario.ReceiveWork
	if early {
		work += h.Scenario.Early(h.Exchanges[exchange].Bytes)
	}
	start := max(h.Now, own.free)
	own.free = h.host.Finish(to, start, work)
	if h.Recorder != nil {
		h.Recorder.arrived(message, to, exchange, start, work)
	}
}

// Memory returns an estimate of the bytes that the hosts of the scenario allocate, without their
// slots.
func (p *Scenario) Memory() float64 {
	ranks, exchanges := float64(p.Ranks()), 0.0
	for i := range p.Schedule.Rounds {
		exchanges += float64(len(p.Schedule.Rounds[i].Sources))
	}
	size := func(v any) float64 { return float64(reflect.TypeOf(v).Size()) }
	bytes := ranks*(size(rank{})+4*4) + exchanges*size(Exchange{})
	if !p.Schedule.Direct || p.Sync == Local || p.Sync == LocalController {
		bytes += ranks * exchanges / 8
	}
	if !p.Schedule.Direct {
		bytes += ranks * size(member{})
	}
	return bytes
}
