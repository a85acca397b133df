package network

import (
	"cmp"
	"slices"

	"jitterfly/collectives"
	"jitterfly/noise"
)

// A Sequence is a schedule as a list of exchanges, in each of which a rank sends at most one message
// and receives at most one. Its ranks are the ranks of the program.
//
// First come the exchanges of partial results, then the exchanges of the result, which a rank sends
// as soon as it has that: to folded ranks, and the redundant copies. Where results are forwarded
// the exchanges of partial results follow again, with the result in place of each.
type Sequence struct {
	*collectives.Schedule
	Exchanges []Exchange
	real      int                 // exchanges without those in place of others
	partial   int                 // exchanges of partial results
	rounds    []collectives.Round // up to the first checkpoint
	// place is the rank of the program that a rank of the schedule is, and rank its inverse.
	place, rank []int32
}

// An Exchange is the messages from one source of a round.
type Exchange struct {
	Round     int
	Bytes     float64 // of each message
	post      float64 // time [s] from when the sender has the data to when the message leaves
	copy      int     // number of the redundant copy, or notCopy
	offload   bool    // the interface receives the message, without the processor
	peers     collectives.Peers
	receivers collectives.Span
}

// notCopy is the number of a message that is not a redundant copy.
const notCopy = -1

// NoRank is the partner of a rank that does not send, or does not receive, in an exchange.
const NoRank = -1

// Sequence returns the exchanges of the scenario's schedule. Of rounds that send the messages of an
// earlier one again, since their senders may have the result sooner, it has the messages once.
func (p *Scenario) Sequence() Sequence {
	s := &p.Schedule
	needed := s.Checkpoints[0].Rounds
	q := Sequence{Schedule: s, rounds: s.Rounds[:needed]}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if i >= needed && r.Exchange < len(q.Exchanges) {
			q.partial = r.Exchange // the message to folded ranks has the result
			continue
		}
		for _, source := range r.Sources {
			q.Exchanges = append(q.Exchanges, Exchange{
				Round: i, Bytes: r.Bytes, post: source.Post, copy: r.Copies - 1,
				offload: r.Wait != collectives.Combined && r.Reception != collectives.CPU,
				peers:   source.Peers, receivers: r.Receivers,
			})
		}
		if i == needed-1 {
			q.partial = len(q.Exchanges)
		}
	}
	q.real = len(q.Exchanges)
	if p.Forward && len(q.Checkpoints) > 1 {
		result := q.Exchanges[q.real-1]
		for _, x := range q.Exchanges[:q.partial] {
			x.Bytes, x.offload = result.Bytes, result.offload
			q.Exchanges = append(q.Exchanges, x)
		}
	}
	q.place, q.rank = make([]int32, s.Ranks), make([]int32, s.Ranks)
	for r := range q.place {
		q.place[r] = int32(s.At(r))
		q.rank[q.place[r]] = int32(r)
	}
	return q
}

// To returns the rank that a rank sends to in an exchange, or [NoRank].
func (p *Sequence) To(exchange, rank int) int {
	e, own := &p.Exchanges[exchange], int(p.rank[rank])
	to := e.peers.To(own)
	if to == own || to < e.receivers.Lo || to >= e.receivers.Hi {
		return NoRank
	}
	return int(p.place[to])
}

// From returns the rank that a rank receives from in an exchange, or [NoRank].
func (p *Sequence) From(exchange, rank int) int {
	e, own := &p.Exchanges[exchange], int(p.rank[rank])
	if own < e.receivers.Lo || own >= e.receivers.Hi {
		return NoRank
	}
	from := e.peers.From(own)
	if from == own {
		return NoRank
	}
	return int(p.place[from])
}

// Redundant reports whether ranks may continue without some of the messages.
func (p *Sequence) Redundant() bool {
	several := func(r collectives.Round) bool { return len(r.Sources) > 1 }
	return !p.Direct && (len(p.Checkpoints) > 1 || slices.ContainsFunc(p.rounds, several))
}

// All returns the number of messages of all exchanges.
func (p *Sequence) All() float64 { return p.Messages(len(p.Checkpoints) - 1) }

// Walk calls f for every message, in the order of exchanges and ranks.
func (p *Sequence) Walk(f func(exchange, from, to int)) {
	for e := range p.real {
		for from := range p.Ranks {
			if to := p.To(e, from); to != NoRank {
				f(e, from, to)
			}
		}
	}
}

// Traffic returns the messages of the plan; time returns how long one of given bytes takes [s].
func (p *Sequence) Traffic(time func(bytes float64) float64) (all []noise.Traffic) {
	for e := 0; e < p.real; {
		messages, bytes := 0.0, p.Exchanges[e].Bytes
		for ; e < p.real && p.Exchanges[e].Bytes == bytes; e++ {
			receivers := p.Exchanges[e].receivers
			messages += float64(receivers.Hi - receivers.Lo - p.Unsent)
		}
		all = append(all, noise.Traffic{Transit: time(bytes), Count: messages})
	}
	return all
}

// Shortest returns the bytes of the shortest message, 0 without any.
func (p *Sequence) Shortest() float64 {
	if p.real == 0 {
		return 0
	}
	shorter := func(a, b Exchange) int { return cmp.Compare(a.Bytes, b.Bytes) }
	return slices.MinFunc(p.Exchanges[:p.real], shorter).Bytes
}
