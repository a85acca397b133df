package collectives

import (
	"container/heap"
	"slices"

	"jitterfly/internal/queue"
)

// An OpKind is what an operation does.
type OpKind byte

// The kinds of operations.
const (
	Send OpKind = iota
	Recv
	Calc
)

// An Op is an operation of one rank: it sends or receives a message of Size bytes, or calculates for as many
// nanoseconds.
type Op struct {
	Kind            OpKind
	Size            int64
	Peer, Tag       int   // of a message; any rank sends to a peer of -1
	Requires, After []int // operations of the rank that must be done, and that must have begun
}

// LogGP are the parameters of a machine in the LogGP model, in seconds, with G in seconds a byte.
type LogGP struct{ L, O, Gap, G float64 }

// Noise delays the operations and messages of one trial.
type Noise interface {
	// Work returns by how much [s] noise extends the work of a rank between two times [s].
	Work(rank int, from, to float64) float64
	// Latency returns the latency [s] of the next message.
	Latency() float64
}

// Rules are where the simulation differs from LogGOPSim, whose rules are the zero value.
type Rules struct {
	// SenderDelays makes a detour of a sender delay its message. In LogGOPSim a message leaves o
	// after the send begins, also while the sender is in a detour.
	SenderDelays bool
	// GapOfSends applies the gap to messages that a rank sends, not also to messages that it receives,
	// as LogP does.
	GapOfSends bool
}

// A Simulator simulates a schedule by LogGOPSim's rules, of eager messages: operations begin in the
// order of time; a send and a receive take o of the processor; the bytes of a message are charged
// to its receiver, whose processor they occupy; a message that no receive waits for takes o too.
type Simulator struct {
	schedule [][]Op    // of each rank
	next     [][][]int // operations that require each one, by rank
	begun    [][][]int // operations that require each one to have begun
	missing  [][]int   // requirements of each operation that are not met yet, in this trial
	needs    [][]int   // the same before the trial

	queue   queue.Queue[event]
	entered int
	free    []float64 // when the processor of each rank is
	sends   []float64 // when it may send next, by the gap
	takes   []float64 // when it may receive next
	posted  [][]int   // receives that wait for a message, by rank
	early   [][]sent  // messages that wait for a receive
}

// A sent message has come before its receive was posted.
type sent struct{ from, tag int }

// An event is an operation that can begin at time, or a message that arrives at time.
type event struct {
	time    float64
	order   int // of events at one time
	rank    int
	op      int
	from    int // of a message; its sender's operation is op
	message bool
}

// NewSimulator returns a simulator of the schedule.
func NewSimulator(s [][]Op) *Simulator {
	x := &Simulator{
		schedule: s, next: make([][][]int, len(s)), begun: make([][][]int, len(s)),
		missing: make([][]int, len(s)), needs: make([][]int, len(s)),
		free: make([]float64, len(s)), sends: make([]float64, len(s)), takes: make([]float64, len(s)),
		posted: make([][]int, len(s)), early: make([][]sent, len(s)),
	}
	for rank, ops := range s {
		x.next[rank], x.begun[rank] = make([][]int, len(ops)), make([][]int, len(ops))
		x.missing[rank], x.needs[rank] = make([]int, len(ops)), make([]int, len(ops))
		for i, op := range ops {
			x.needs[rank][i] = len(op.Requires) + len(op.After)
			for _, required := range op.Requires {
				x.next[rank][required] = append(x.next[rank][required], i)
			}
			for _, begun := range op.After {
				x.begun[rank][begun] = append(x.begun[rank][begun], i)
			}
		}
	}
	return x
}

// Run returns when the processor of each rank finishes [s]. The result is valid until the next run.
func (x *Simulator) Run(m LogGP, n Noise, rules Rules) []float64 {
	x.queue, x.entered = x.queue[:0], 0
	for rank := range x.schedule {
		x.free[rank], x.sends[rank], x.takes[rank] = 0, 0, 0
		x.posted[rank], x.early[rank] = x.posted[rank][:0], x.early[rank][:0]
		copy(x.missing[rank], x.needs[rank])
		for op, missing := range x.needs[rank] {
			if missing == 0 {
				x.enter(event{rank: rank, op: op})
			}
		}
	}
	for len(x.queue) > 0 {
		e := heap.Pop(&x.queue).(event)
		if e.message {
			x.arrive(e, m, n, rules)
			continue
		}
		switch op := &x.schedule[e.rank][e.op]; op.Kind {
		case Calc:
			x.calculate(e, op, n)
		case Send:
			x.send(e, m, n, rules)
		case Recv:
			x.post(e, op)
		}
	}
	return x.free
}

// calculate begins a calculation, if the processor is free.
func (x *Simulator) calculate(e event, op *Op, n Noise) {
	if x.wait(e, x.free[e.rank]) {
		return
	}
	end := e.time + float64(op.Size)*1e-9
	x.free[e.rank] = end + n.Work(e.rank, e.time, end)
	x.finish(e.rank, e.op)
}

// wait puts the event off to a time, if that is later.
func (x *Simulator) wait(e event, until float64) bool {
	if until <= e.time {
		return false
	}
	e.time = until
	x.enter(e)
	return true
}

// send begins a send, if the processor and the gap allow it.
func (x *Simulator) send(e event, m LogGP, n Noise, rules Rules) {
	if x.wait(e, max(x.free[e.rank], x.sends[e.rank])) {
		return
	}
	op := &x.schedule[e.rank][e.op]
	bytes := float64(max(0, op.Size-1)) * m.G
	noise := n.Work(e.rank, e.time, e.time+m.O)
	x.free[e.rank] = e.time + m.O + noise
	x.sends[e.rank] = e.time + m.Gap + bytes
	leaves := e.time + m.O
	if rules.SenderDelays {
		leaves += noise
	}
	x.enter(event{time: leaves + n.Latency(), rank: op.Peer, op: e.op, from: e.rank, message: true})
	x.finish(e.rank, e.op)
}

// post posts a receive, which is done if its message has come.
func (x *Simulator) post(e event, op *Op) {
	x.start(e.rank, e.op)
	i := slices.IndexFunc(x.early[e.rank], func(s sent) bool { return op.takes(s.from, s.tag) })
	if i < 0 {
		x.posted[e.rank] = append(x.posted[e.rank], e.op)
		return
	}
	x.early[e.rank] = slices.Delete(x.early[e.rank], i, i+1)
	x.release(e.rank, x.next[e.rank][e.op])
}

// arrive receives a message, if the processor and the gap allow it.
func (x *Simulator) arrive(e event, m LogGP, n Noise, rules Rules) {
	if x.wait(e, max(x.free[e.rank], x.takes[e.rank])) {
		return
	}
	message := &x.schedule[e.from][e.op]
	bytes := float64(max(0, message.Size-1)) * m.G
	x.free[e.rank] = e.time + m.O + n.Work(e.rank, e.time, e.time+m.O) + bytes
	if !rules.GapOfSends {
		x.takes[e.rank] = e.time + m.Gap + bytes
	}
	i := slices.IndexFunc(x.posted[e.rank], func(op int) bool {
		return x.schedule[e.rank][op].takes(e.from, message.Tag)
	})
	if i < 0 {
		x.early[e.rank] = append(x.early[e.rank], sent{e.from, message.Tag})
		return
	}
	op := x.posted[e.rank][i]
	x.posted[e.rank] = slices.Delete(x.posted[e.rank], i, i+1)
	x.release(e.rank, x.next[e.rank][op])
}

// takes reports whether a receive is for a message.
func (op *Op) takes(from, tag int) bool {
	return op.Tag == tag && (op.Peer == -1 || op.Peer == from)
}

// start meets the requirements that an operation has begun, and finish that it is done.
func (x *Simulator) start(rank, op int) { x.release(rank, x.begun[rank][op]) }
func (x *Simulator) finish(rank, op int) {
	x.start(rank, op)
	x.release(rank, x.next[rank][op])
}

// release meets one requirement of each operation.
func (x *Simulator) release(rank int, ops []int) {
	for _, op := range ops {
		if x.missing[rank][op]--; x.missing[rank][op] > 0 {
			continue
		}
		at := x.free[rank]
		if x.schedule[rank][op].Kind == Send {
			at = max(at, x.sends[rank])
		}
		x.enter(event{time: at, rank: rank, op: op})
	}
}

// Before orders events.
func (e event) Before(other event) bool {
	return e.time < other.time || e.time == other.time && e.order < other.order
}

// enter puts an event into the queue.
func (x *Simulator) enter(e event) {
	e.order = x.entered
	x.entered++
	heap.Push(&x.queue, e)
}
