package packet

import (
	"context"
	"errors"
	"math"

	"jitterfly/collectives/network"
	"jitterfly/internal/queue"
	"jitterfly/internal/vector"
)

// An Engine simulates trials of one scenario, one after the other. Trials reuse its memory.
//
// A cycle depends only on the state before it: flits and credits that leave in a cycle are due in a
// later cycle. So routers may be simulated in any order, and routers in which nothing can move cost
// nothing.
type Engine struct {
	network.Hosts
	scenario Network
	fabric   fabric
	cycle    float64 // [s]

	now      int64 // cycles since the start
	routers  []router
	channels []channel
	queues   queues
	packets  []parcel
	unused   []int32 // numbers of packets that are not in use
	messages []message
	empty    []int32 // numbers of messages that are not in use

	ready     []uint64 // channels that can move a flit, by output
	filled    []uint64 // words of ready that are not empty, by output, if there are several
	waiting   []uint64 // channels whose first packet waits for a channel of the output
	nextMove  []int32  // local number after that of the channel last served, by output
	nextGrant []int32  // the same of the packet that last got a channel
	lastOut   []int8   // output last served, by router and input port

	links     []int32 // of the route that was looked up last
	due       ring    // flits and credits in transit
	delivered []int32
	slots     []slot
	sendable  vector.Bitmask // slots that can send a flit now
	wakeups   queue.Queue[wakeup]
	moved     int                // flits that moved in this cycle
	output    [maxOutputs]uint8  // of serve: the choice for each input port
	input     [maxOutputs]uint16 // and for each output the local number of the channel
	recorder  *recorder          // nil unless the trial is recorded
	after     func(*Engine)      // called after each cycle, by tests
}

type router struct {
	busy  uint64 // outputs that can move a flit
	freed uint64 // outputs with a new packet that waits or a channel that became free
}

// A channel is the buffer of a virtual channel at the end of a link or of a controller. The
// numbers of credits and the owner are what the sender knows of it.
type channel struct {
	flits   int32 // in the buffer
	left    int32 // flits of the first packet that have not moved on
	packet  int32 // the first packet
	out     int32 // the channel that the first packet holds, or -1
	credits int32
	owner   int32 // the channel whose first packet holds this one, or free; controller(slot)
	router  int32
	local   uint16
	output  uint8 // that the first packet goes to
}

// free is the owner of a channel that no packet holds.
const free = -1

// controller returns the owner of the channels of a slot.
func controller(slot int) int32 { return int32(-2 - slot) }

type parcel struct {
	message    int32
	to         int32
	length     int32 // flits
	controller uint8 // of its sender
	dimension  int8  // that it travels, or -1
	down       uint8 // 1 if it goes down the dimension
	class      uint8
}

// A message has packets that have not been received.
type message struct {
	slot     int32
	exchange int32
	to       int32
	pieces   int32
}

// NewEngine returns an engine for a scenario that its Check accepts. In others packets may wait for each
// other in a circle.
func NewEngine(p Network) *Engine {
	f := newFabric(p.grid(), p.Senders(), p.Channels)
	outputs, slots, room := f.nodes*f.ports, f.nodes*f.controllers, p.room()
	cycles := max(p.Hop, p.Credit) + 1 // of what is in transit
	e := &Engine{
		scenario: p, fabric: f, cycle: p.Cycle(),
		routers:   make([]router, f.nodes),
		channels:  make([]channel, f.firstEjection+slots*f.channels),
		queues:    queues{room, make([]int32, f.firstEjection*room), make([]span, f.firstEjection)},
		ready:     make([]uint64, outputs*f.words),
		filled:    make([]uint64, outputs),
		waiting:   make([]uint64, outputs*f.words),
		nextMove:  make([]int32, outputs),
		nextGrant: make([]int32, outputs),
		lastOut:   make([]int8, outputs),
		due:       ring{flits: make([][]int32, cycles), credits: make([][]int32, cycles)},
		slots:     make([]slot, slots),
		sendable:  vector.NewBitmask(slots),
	}
	e.Hosts = network.NewHosts(&e.scenario.Scenario, f.controllers, e)
	return e
}

// Run implements [network.Engine]. It fails if the context is cancelled, if packets wait for each
// other in a circle, or if a detour or an event lasts forever.
func (e *Engine) Run(ctx context.Context, host network.Host, delays network.Delays) (network.Result, error) {
	e.start(host, delays)
	for !e.Done() {
		e.step()
		if e.after != nil {
			e.after(e)
		}
		if e.Moments++; e.Moments%1024 == 0 && ctx.Err() != nil {
			return network.Result{}, ctx.Err()
		}
		if e.moved == 0 && len(e.delivered) == 0 && e.due.empty() {
			if err := e.skip(); err != nil {
				return network.Result{}, err
			}
			continue
		}
		e.now++
	}
	if math.IsInf(e.CompletionTime, 1) {
		return network.Result{}, errEndless
	}
	return e.Result, nil
}

var errEndless = errors.New("a detour or an event in the network does not end")

func (e *Engine) step() {
	e.moved, e.Now = 0, float64(float64(e.now)*e.cycle)
	e.arrive()
	e.inject()
	for r := range e.routers {
		if e.routers[r].freed != 0 {
			e.allocate(r)
		}
		if e.routers[r].busy != 0 {
			e.serve(r)
		}
	}
}

// skip advances time to the next moment at which a controller can send, since nothing is on its way
// until then. It fails if no controller ever can.
func (e *Engine) skip() error {
	switch {
	case len(e.wakeups) > 0:
		e.now = max(e.wakeups[0].at, e.now+1)
		return nil
	case e.Done():
		return nil
	}
	for i := range e.slots {
		if e.slots[i].state == endless {
			return errEndless
		}
	}
	return errors.New("packets wait for each other in a circle") // Check refuses such scenarios
}

func (e *Engine) start(host network.Host, delays network.Delays) {
	e.now = 0
	clear(e.routers)
	clear(e.ready)
	clear(e.filled)
	clear(e.waiting)
	clear(e.nextMove)
	clear(e.nextGrant)
	for i := range e.lastOut {
		e.lastOut[i] = -1
	}
	e.clearChannels()
	e.packets, e.unused = e.packets[:0], e.unused[:0]
	e.messages, e.empty = e.messages[:0], e.empty[:0]
	e.due.clear()
	e.delivered = e.delivered[:0]
	clear(e.sendable)
	e.wakeups = e.wakeups[:0]
	for i := range e.slots {
		e.slots[i] = slot{last: -1, channel: -1}
	}
	e.Start(host, delays)
}

func (e *Engine) clearChannels() {
	f := &e.fabric
	clear(e.queues.spans)
	for c := range e.channels {
		ch := &e.channels[c]
		*ch = channel{out: free, owner: free, credits: int32(e.scenario.Buffer), router: -1}
		if c >= f.firstEjection {
			ch.credits = math.MaxInt32 // ejection has no limit
			continue
		}
		ch.router, ch.local = int32(c/f.inputs), uint16(c%f.inputs)
	}
	for i := range e.slots {
		for v := range f.channels {
			e.channels[f.injection(i)+v].owner = controller(i)
		}
	}
}

// cycleAt returns the first cycle that is not before a time [s]. Rounding does not make it later.
func (e *Engine) cycleAt(t float64) int64 {
	n := t / e.cycle
	if whole := math.Round(n); math.Abs(n-whole) < 1e-6 {
		return int64(whole)
	}
	return int64(math.Ceil(n))
}
