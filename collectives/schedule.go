// Package collectives describes collective operations as data.
//
// An algorithm is a function from a [Problem] to a [Schedule]: a list of rounds, each with the
// peers that every rank receives from, the bytes of a message, what the receiver computes, and
// whether it needs the message or already has its data. Package rounds simulates any schedule and
// knows none of the algorithms, so that a new algorithm is a new file with one function, and one
// row of [Algorithms] in algorithms.go.
package collectives

import (
	"cmp"
	"slices"
)

// A Problem is one collective on one machine, in SI units. Its numbers are finite and not negative, and
// bandwidths are more than 0, as whoever reads them checks.
type Problem struct {
	Ranks int // at least 1
	// Bytes is the length of the vector that every rank contributes, or of the
	// block that every rank has for each other.
	Bytes float64

	Latency         float64 // α: time before the first byte of a message [s]
	Bandwidth       float64 // 1/β: of the network [B/s]
	MemoryBandwidth float64 // 1/γ: at which bytes are combined into the result [B/s]

	// Busy makes a message occupy its sender's link while its bytes leave: a rank's copies leave
	// one after the other, and the rank waits for them. The all-to-alls and the ring have rules of
	// their own.
	Busy bool

	Node       Node
	Host       Host
	Redundancy Redundancy
	// Leaders is the number of ranks of a node that send to other nodes in [Leaders]; 0 is 1. With
	// Share each takes the earliest of their partial results after every round.
	Leaders int
	Share   bool
	// Segments is the number of pieces that the ring cuts each of its chunks into; 0 is 1.
	Segments int
	// Contention selects how messages of an all-to-all delay each other at the switch.
	Contention Contention
	// Sides are the sides of the mesh or torus with one rank on each node; nil on other networks.
	Sides []int
	// Targets is the rank that each rank sends to, for [Permutation], and Messages how often.
	Targets  []int32
	Messages int
}

// Node describes nodes that several ranks share. Messages inside a node do not cross the network,
// and network noise does not delay them. Rank r is on node r / Ranks; the last node may have fewer.
type Node struct {
	Ranks     int     // of a node; 0 is 1
	Latency   float64 // of messages inside a node [s]
	Bandwidth float64 // of messages inside a node [B/s]
	// ProcessBandwidth is the maximum bandwidth [B/s] of one rank to other nodes in an all-to-all.
	// Ranks of a node that send at the same time share Ranks × the problem's Bandwidth equally.
	// With 0 each always has the problem's Bandwidth.
	ProcessBandwidth float64
}

func (node Node) size() int { return max(1, node.Ranks) }

// Redundancy describes the copies that an algorithm exchanges beyond what is necessary, so
// that an early copy can replace a late one.
type Redundancy struct {
	// Max is the largest T, the number of redundant exchanges; AllExchanges is as many as
	// the algorithm can use.
	Max int
	// Sources is R, at least 1, the number of ranks that send a rank the same partial result in one
	// exchange of the algorithm proper; 1 is the paper's scheme.
	Sources int
	// SendOverhead is c, the time [s] that posting one redundant copy takes its sender
	// beyond what any message takes.
	SendOverhead float64
	Reception    Reception
	// Forward has a rank that gets the result send it at once in place of the partial
	// results that it has not sent yet, as long as a partial result is. Redundant copies
	// that come later are then forwarded in any order.
	Forward bool
}

// AllExchanges is the largest redundancy that the algorithm can use.
const AllExchanges = -1

// Reception is what the arrival of a redundant copy needs at its receiver.
type Reception int

const (
	// Offload needs no processor: the network interface delivers (paper 003, 4.1.2 B).
	Offload Reception = iota
	// NIC needs no processor either, and the interface sends the result on. But the call
	// returns no sooner than the rank's processor is free of detours.
	NIC
	// CPU needs the processor, so that a copy that arrives in a detour waits for its end.
	CPU
)

// Wire returns α + βn, the undisturbed time [s] of n bytes through the network.
func (p Problem) Wire(n float64) float64 { return p.Latency + n/p.Bandwidth }

// Wire returns the time [s] of n bytes between two ranks of a node.
func (node Node) Wire(n float64) float64 { return node.Latency + n/node.Bandwidth }

// OnLink returns the time [s] for which a message of n bytes occupies its sender's link to the
// network, and a link inside a node.
func (p Problem) OnLink(n float64) (network, node float64) {
	if !p.Busy {
		return 0, 0
	}
	network, node = n/p.Bandwidth, n/p.Bandwidth
	if p.Node.Ranks > 1 {
		node = n / p.Node.Bandwidth
	}
	return network, node
}

// slow returns the factor by which bytes take longer than at the bandwidth if the given number of
// ranks of each node send to other nodes at the same time, or 0 if bytes take no longer.
func (p Problem) slow(senders int) float64 {
	if p.Node.ProcessBandwidth == 0 {
		return 0
	}
	part := float64(p.Node.size()) * p.Bandwidth / float64(max(1, senders))
	return p.Bandwidth / min(p.Node.ProcessBandwidth, part)
}

// Combine returns γn, the time [s] to combine n bytes into the local result.
func (p Problem) Combine(n float64) float64 { return n / p.MemoryBandwidth }

// A Schedule is a collective as data.
type Schedule struct {
	Ranks  int
	Rounds []Round
	// Idempotent says that contributions may be combined more than once, which is right
	// for a maximum and wrong for a sum.
	Idempotent bool
	// Checkpoints are the points at which times are reported, each at least a round after the one
	// before: here one for each redundancy T = 0, 1, 2, …, where the collective is complete. After
	// the first all rounds bring spare copies to the same ranks.
	Checkpoints []Checkpoint
	// Buffer is the memory [B] of a rank for the blocks of an all-to-all, besides the blocks that it
	// sends and receives.
	Buffer float64
	// Direct says that no message carries data of another one, so that a rank may send all its
	// messages without waiting for others.
	Direct bool
	// Unsent is the number of receivers of each round that are their own sources, and so receive
	// nothing.
	Unsent int
	// Lag is the largest Lag of the rounds, and Queue whether any round has Queue.
	Lag   int
	Queue bool
	// Memory reports whether the medium of a round is Memory. Then no rank forwards the result.
	Memory bool
	// Busy is set by the problem's Busy: a rank continues no sooner than its own messages of a
	// round have left, except [Spare] copies.
	Busy bool
	// Place returns the program's rank for a rank of the schedule; consecutive ranks of the program
	// are on one node. nil is the identity.
	Place func(r int) int

	exchanges int
}

// add appends a round, and numbers its messages.
func (s *Schedule) add(r Round) {
	r.Exchange = s.exchanges
	s.exchanges += (1 + r.Repeats) * r.exchanges()
	s.Lag, s.Queue = max(s.Lag, r.Lag), s.Queue || r.Queue
	s.Memory = s.Memory || r.Medium == Memory
	s.Rounds = append(s.Rounds, r)
}

// At returns the program's rank for rank r of the schedule.
func (s *Schedule) At(r int) int {
	if s.Place == nil {
		return r
	}
	return s.Place(r)
}

// exchanges returns how many numbers the messages of the round have.
func (r *Round) exchanges() int {
	if r.Medium == Memory {
		return 1
	}
	return len(r.Sources)
}

// done appends a checkpoint for the next T: the collective may end here.
func (s *Schedule) done(posters Span, copies int, post float64) {
	c := Checkpoint{len(s.Checkpoints), len(s.Rounds), posters, copies, post}
	s.Checkpoints = append(s.Checkpoints, c)
}

// Length returns how many rounds an outline stands for.
func (s *Schedule) Length() int { return length(s.Rounds) }

func length(outline []Round) (rounds int) {
	for i := range outline {
		rounds += 1 + outline[i].Repeats
	}
	return rounds
}

// Expand returns the schedule that an outline stands for, with each repetition a round.
func (s Schedule) Expand() Schedule {
	n, outline := s.Length(), s.Rounds
	if n == len(outline) {
		return s
	}
	s.Rounds, s.Checkpoints = make([]Round, 0, n), slices.Clone(s.Checkpoints)
	for _, r := range outline {
		times := 1 + r.Repeats
		r.Repeats = 0
		for range times {
			s.Rounds = append(s.Rounds, r)
			r.Exchange += r.exchanges()
		}
	}
	for i := range s.Checkpoints {
		s.Checkpoints[i].Rounds = length(outline[:s.Checkpoints[i].Rounds])
	}
	return s
}

// Work returns the number of messages that simulating the whole schedule takes, and of pieces
// of work without any.
func (s *Schedule) Work() float64 {
	work := 0.0
	for i := range s.Rounds {
		r := &s.Rounds[i]
		work += float64(r.Receivers.Hi-r.Receivers.Lo) * float64(max(1, len(r.Sources))*(1+r.Repeats))
	}
	return work
}

// Messages returns how many messages are sent up to a checkpoint.
func (s *Schedule) Messages(checkpoint int) float64 {
	messages, seen := 0.0, 0
	for i := range s.Checkpoints[checkpoint].Rounds {
		r := &s.Rounds[i]
		if r.Exchange < seen { // the messages of an earlier round
			continue
		}
		times := 1 + r.Repeats
		if seen += times * r.exchanges(); r.Medium != Memory {
			messages += float64(r.Receivers.Hi-r.Receivers.Lo-s.Unsent) * float64(len(r.Sources)*times)
		}
	}
	return messages
}

// A Checkpoint is the completion of the collective after its first Rounds rounds; the last of them
// are the T redundant exchanges.
type Checkpoint struct {
	T      int
	Rounds int
	// Each of the Posters still posts Copies redundant copies before the call returns. That takes
	// Post [s], and the overhead of the messages.
	Posters Span
	Copies  int
	Post    float64
}

// A Round is one exchange. Each receiver takes the earliest of the copies that its sources
// send it, and continues as Wait says; the clocks of other ranks do not change. A round
// without sources is work of each rank's own.
type Round struct {
	Receivers Span
	Sources   []Sender
	Bytes     float64 // length of each message
	// Slow is the factor by which the time of those bytes on the network is longer; 0 is 1.
	Slow float64
	// Turns is the number of ranks of a node that send in the round one after the other; 0 is 1.
	// Each waits for all turns, and noise delays it as if its own message took them all.
	Turns int
	// Medium is the path of its messages.
	Medium Medium
	// Every makes the receiver wait for the copies of all sources rather than for the
	// first. They leave their sender one after the other.
	Every bool
	Wait  Wait
	// Combine is the processor time [s] of the receiver's work on what it received, in
	// rounds that combine.
	Combine float64
	// Reception is the need of the arrival for a processor, in rounds that do not combine.
	Reception Reception
	// Copies is, in a redundant exchange, the number of redundant copies that a rank has
	// posted, this one included.
	Copies int
	// Lag pipelines a round of one source: a message leaves when its sender has done all
	// rounds but the last Lag before it, or has started.
	Lag int
	// Queue makes the messages of all such rounds to a rank cross one link, one after the other,
	// each for as long as its bytes take.
	Queue bool
	// Exchange numbers the first source's messages, and Exchange+m the m-th's: messages
	// of one number have the same delays.
	Exchange int
	// Repeats is the number of further rounds like it that follow it, each with messages of its own; in
	// outlines only, see [Algorithm].
	Repeats int
}

// A Medium is the path of the messages of a round.
type Medium int

const (
	// Anything is the network or, between ranks of a node, the node's links.
	Anything Medium = iota
	// Network is for rounds whose messages are all between nodes.
	Network
	// Memory is the node's shared memory. Each source has written its data, and receivers then read
	// it, at the latency and bandwidth of the node. Several may read the same data. Links, gaps,
	// overheads and polls do not apply.
	Memory
)

// Transit returns the undisturbed time [s] of a message of the round on the network, and of its
// sender's turn; with Memory, the time to read it.
func (r *Round) Transit(p *Problem) float64 {
	if r.Medium == Memory {
		return p.Node.Wire(r.Bytes)
	}
	return (p.Latency + r.Flow(p)) * float64(max(1, r.Turns))
}

// Flow returns the time [s] in which the bytes of a message of the round arrive.
func (r *Round) Flow(p *Problem) float64 {
	return r.Bytes / p.Bandwidth * cmp.Or(r.Slow, 1)
}

// Time returns the time [s] of a round of messages without noise, without the work after it.
func (r *Round) Time(p *Problem) float64 {
	network, _ := r.OnLink(p)
	return max(r.Transit(p), float64(len(r.Sources))*network)
}

// OnLink returns the time [s] for which a message of the round occupies its sender's link to the
// network, and a link inside a node.
func (r *Round) OnLink(p *Problem) (network, node float64) {
	if r.Medium == Memory {
		return 0, 0
	}
	network, node = p.OnLink(r.Bytes)
	return network * max(1, r.Slow), node
}

// A Span is the ranks Lo … Hi−1.
type Span struct{ Lo, Hi int }

// Meet returns the ranks of both spans. If there are none, its Hi is not above its Lo.
func (s Span) Meet(other Span) Span { return Span{max(s.Lo, other.Lo), min(s.Hi, other.Hi)} }

// A Sender is one peer that every rank receives a copy from.
type Sender struct {
	Peers Peers
	// Post is the time [s] from when the sender has the data to when the copy leaves.
	Post float64
	// Inside is how much later [s] it leaves if it stays inside a node; mostly it is negative.
	Inside float64
}

// Wait selects the data that a rank waits for in a round.
type Wait int

const (
	// Combined waits for both the rank's own data and a copy, and combines them:
	//
	//	t'[r] = Finish_r(max(t[r], arrival), Combine)
	Combined Wait = iota
	// Delivered waits for the copy, which replaces the rank's own data:
	//
	//	t'[r] = max(t[r], arrival)
	Delivered
	// Spare waits for the earlier of the copy and what the rank will have anyway:
	//
	//	t'[r] = min(t[r], arrival)
	Spare
)

// Peers are the ranks that receive from each other in a round.
type Peers interface {
	// From returns the rank that rank r receives from.
	From(r int) int
	// To returns the rank that receives from rank r. If none does, or several do, or all receive by
	// Memory, it returns r or a rank that is not among the receivers.
	To(r int) int
	// Nodes reports whether all messages stay inside nodes of n consecutive ranks, and whether all
	// leave them. If only some stay, or this is not known, both are false.
	Nodes(n int) (inside, outside bool)
	// Gather sets dst[i] = clock[From(lo+i)] for every i. All of lo+i are receivers.
	Gather(dst, clock []float64, lo int)
}
