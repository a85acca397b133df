package collectives

import (
	"cmp"
	"math/bits"
)

// All-to-alls. Every rank has a block of Bytes for each rank, and need not send its own.
// Between two rounds a rank posts what it sends next, for which it needs its processor:
//
//	t'[r] = Finish_r(max(t[r], arrival), 0)
//
// Nothing is shared before the end, so that R = 1, and T = 0 only.

// toAll returns what makes the schedule of an all-to-all, given what appends its rounds.
func toAll(rounds func(p Problem, s *Schedule) error) func(Problem) (Schedule, error) {
	return func(p Problem) (Schedule, error) {
		if p.Ranks > maxToAll {
			return Schedule{}, ParameterRanks.Invalid(
				"%d ranks are more than the %d whose all-to-all is simulated", p.Ranks, maxToAll)
		}
		s := Schedule{Ranks: p.Ranks, Direct: true}
		if err := p.check(1); err != nil {
			return s, err
		}
		if err := rounds(p, &s); err != nil {
			return s, err
		}
		s.done(Span{0, s.Ranks}, 0, 0)
		return s, nil
	}
}

// maxToAll is the largest number of ranks, since an all-to-all has as many rounds.
const maxToAll = 1 << 16

// deliver appends a round in which every rank receives a message of the given number of blocks.
func (s *Schedule) deliver(p Problem, from Peers, blocks int) *Round {
	s.add(Round{
		Receivers: Span{0, p.Ranks},
		Sources:   []Sender{{Peers: from}},
		Bytes:     float64(blocks) * p.Bytes,
		Slow:      max(p.slow(senders(from, p.Node.size())), p.blocking(from)),
		Wait:      Combined,
	})
	return &s.Rounds[len(s.Rounds)-1]
}

// senders returns the number of ranks of a node of n that send to other nodes in a round.
func senders(from Peers, n int) int {
	if c, ok := from.(rotation); ok {
		return min(c.By, c.Ranks-c.By, n)
	}
	return n
}

// a2aRing is the all-to-all of P − 1 rounds in which rank r receives from rank r − i
// (Naruse, Sumimoto, Nakashima and Kumon, fig. 1).
func a2aRing(p Problem, s *Schedule) error {
	for i := 1; i < p.Ranks; i++ {
		s.deliver(p, rotation{i, p.Ranks}, 1)
	}
	return nil
}

// nodesOf returns the number of nodes and their size. It fails if the last node has fewer ranks: in
// steps that all ranks of a node do together, some ranks of other nodes would be left out (Naruse et
// al., section 4).
func nodesOf(p Problem) (count, size int, err error) {
	size = p.Node.size()
	if left := p.Ranks % size; left > 0 {
		return 0, 0, ParameterNodeRanks.Invalid(
			"%d ranks do not fill nodes of %d: the last has %d, and all must have as many; "+
				"a2a-ring and a2a-hierarchical are for any", p.Ranks, size, left)
	}
	return p.Ranks / size, size, nil
}

// levels are a rotation of nodes of the given size and, inside each, of ranks: the rank at place l of
// node s receives from the rank at place l − place of node s − node.
func levels(node, place, count, size int) Peers {
	if size == 1 {
		return rotation{node, count}
	}
	return offset{[]int{size, count}, []int{place, node}}
}

// a2aLevels is the 2-level ring: all ranks of a node send to the same node in each round (Naruse et
// al., fig. 7); nodes take turns in the outer loop, and places on the node in the inner.
// With one rank a node it is the ring.
func a2aLevels(p Problem, s *Schedule) error {
	count, size, err := nodesOf(p)
	if err != nil {
		return err
	}
	for i := 1; i < p.Ranks; i++ {
		s.deliver(p, levels(i/size, i%size, count, size), 1)
	}
	return nil
}

// a2aSendSide aggregates at the sending side: the ranks of a node first give each other the blocks
// for the same place of all nodes, and then send these to that place of each node in one message
// (Naruse et al., section 5.4).
func a2aSendSide(p Problem, s *Schedule) error {
	count, size, err := nodesOf(p)
	if err != nil {
		return err
	}
	s.Direct = size == 1
	if size > 1 {
		s.Buffer = float64((count-1)*size) * p.Bytes // what it sends for all of its node
	}
	for place := 1; place < size; place++ {
		s.deliver(p, levels(0, place, count, size), count)
	}
	for node := 1; node < count; node++ {
		s.deliver(p, levels(node, 0, count, size), size)
	}
	return nil
}

// a2aHierarchical lets one rank of a node send to other nodes at any time, and one receive (Huse,
// "MPI optimization for SMP based clusters interconnected with SCI", 2000; Sanders and Träff, "The
// hierarchical factor algorithm for all-to-all communication", 2002; Naruse et al., section 6). In
// every round the ranks of a node take turns, in the order of their places on it, which come at the
// same time on all nodes, so no two messages of a turn go to the same node. It has the rounds of
// [a2aLevels], or of [a2aRing] if the last node has fewer ranks.
func a2aHierarchical(p Problem, s *Schedule) error {
	n := p.Node.size()
	for i := 1; i < p.Ranks; i++ {
		var from Peers = rotation{i, p.Ranks}
		if p.Ranks%n == 0 {
			from = levels(i/n, i%n, p.Ranks/n, n)
		}
		r := s.deliver(p, from, 1)
		r.Slow, r.Turns = p.slow(1), senders(from, n)
	}
	return nil
}

// a2aPairwise exchanges with rank r XOR i in round i = 1 … P−1. It is for powers of two.
func a2aPairwise(p Problem, s *Schedule) error {
	if bits.OnesCount(uint(p.Ranks)) != 1 {
		return ParameterRanks.Invalid(
			"%d ranks are not a power of two, and have no partner each in every round", p.Ranks)
	}
	for i := 1; i < p.Ranks; i++ {
		s.deliver(p, Xor(i), 1)
	}
	return nil
}

// a2aSpread posts all messages at once, the one to rank r + i as the i-th; each leaves when those
// before it are on the network. A rank waits only for the last arrival.
func a2aSpread(p Problem, s *Schedule) error {
	if p.Ranks > 1 {
		slow := p.slow(p.Node.size())
		r := Round{Receivers: Span{0, p.Ranks}, Bytes: p.Bytes, Slow: slow, Wait: Combined, Every: true}
		for i := 1; i < p.Ranks; i++ {
			post := float64(i-1) * (p.Bytes / p.Bandwidth) * cmp.Or(slow, 1)
			r.Sources = append(r.Sources, Sender{Peers: rotation{i, p.Ranks}, Post: post})
		}
		s.add(r)
	}
	return nil
}

// a2aBruck takes ⌈log2 P⌉ rounds (Bruck et al., "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", 1997). In round k rank r
// receives from rank r − 2^k all blocks whose distance, from origin to destination around the
// ring, has bit k set. Blocks are copied before the first round and after the
// last, all P of them, and into and out of each message, at the speed of memory.
func a2aBruck(p Problem, s *Schedule) error {
	s.Direct = false
	if p.Ranks == 1 {
		return nil
	}
	work := func(blocks int) {
		combine := p.Combine(float64(blocks) * p.Bytes)
		s.add(Round{Receivers: Span{0, p.Ranks}, Wait: Combined, Combine: combine})
	}
	work(p.Ranks)
	for bit := 1; bit < p.Ranks; bit *= 2 {
		blocks := p.Ranks/(2*bit)*bit + max(0, p.Ranks%(2*bit)-bit) // whose distances have the bit
		work(blocks)
		s.Buffer = max(s.Buffer, float64(p.Ranks+2*blocks)*p.Bytes) // and a message each way
		r := s.deliver(p, rotation{bit, p.Ranks}, blocks)
		r.Combine = p.Combine(r.Bytes)
	}
	work(p.Ranks)
	return nil
}
