package collectives

import (
	"errors"
	"fmt"
	"math"
)

// An OpKind is what an operation does.
type OpKind byte

// The kinds of operations.
const (
	Send OpKind = iota
	Recv
	Calc
)

// AnyPeer is the peer of a receive that takes a message from any rank.
const AnyPeer = -1

// An Op is an operation of one rank.
type Op struct {
	Kind OpKind
	// Size is the bytes of a message, or the nanoseconds of a calculation.
	Size int64
	Peer int // the other rank of a message
	Tag  int // of a message
	// Requires are the operations of the rank, by their indices, that must be done first. After are
	// the operations that must have begun.
	Requires, After []int
}

// GOAL is a schedule in the language of LogGOPSim (Hoefler, Schneider and Lumsdaine, "LogGOPSim:
// simulating large-scale applications in the LogGOPS model", LSAP 2010): a graph of operations for each
// rank.
type GOAL [][]Op

func (s GOAL) add(rank int, op Op) int {
	s[rank] = append(s[rank], op)
	return len(s[rank]) - 1
}

// NewGOAL returns the schedule of an algorithm without redundant exchanges. It fails if GOAL cannot
// express it.
//
// A rank posts the receives of a round, and sends, when it has done the round before. From several
// sources it receives as many messages from any rank, and continues after the first.
func NewGOAL(a Algorithm, p Problem) (GOAL, error) {
	if p.Redundancy.Max != 0 {
		return nil, errors.New("GOAL cannot express redundant exchanges: a rank waits for the " +
			"result or for a copy of it, whichever is first; use T = 0")
	}
	if p.Node.Ranks > 1 {
		return nil, errors.New("GOAL has one latency for all messages; use one rank on each node")
	}
	c, err := a.Schedule(p)
	if err != nil {
		return nil, err
	}
	s, done := make(GOAL, p.Ranks), [][][]int{make([][]int, p.Ranks)} // by round and rank
	for n := range c.Rounds[:c.Checkpoints[0].Rounds] {
		r := &c.Rounds[n]
		if r.Turns > 1 || r.Slow > 0 {
			return nil, fmt.Errorf("GOAL cannot express how ranks of %s share a bandwidth", a.Name)
		}
		done = append(done, s.round(r, n, c.At, done[n], done[max(0, n-r.Lag)]))
	}
	return s, nil
}

// round appends the operations of the n-th round, given the operations of each rank that are done
// before it and the operations after which a rank sends. It returns the operations that end the
// round. Place returns the program's rank for a rank of the schedule.
func (s GOAL) round(r *Round, n int, place func(r int) int, before, ready [][]int) [][]int {
	after := make([][]int, len(s))
	copy(after, before)
	size := int64(math.Round(r.Bytes))
	for _, source := range r.Sources {
		for to := r.Receivers.Lo; to < r.Receivers.Hi; to++ {
			if from := source.Peers.From(to); from != to {
				s.add(place(from), Op{Kind: Send, Size: size, Peer: place(to), Tag: n, Requires: ready[from]})
			}
		}
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		if got := s.receive(rank, r, n, place, before[rank]); len(got) > 0 {
			after[rank] = got
		}
		if r.Combine > 0 {
			nanoseconds := int64(math.Round(1e9 * r.Combine))
			calc := Op{Kind: Calc, Size: nanoseconds, Requires: after[rank]}
			after[rank] = []int{s.add(place(rank), calc)}
		}
	}
	return after
}

// receive appends the receives of a rank in the n-th round, and returns the ones that it waits for.
func (s GOAL) receive(rank int, r *Round, n int, place func(r int) int, before []int) []int {
	var posted []int
	size := int64(math.Round(r.Bytes))
	for _, source := range r.Sources {
		from := source.Peers.From(rank)
		if from == rank {
			continue
		}
		op := Op{Kind: Recv, Size: size, Peer: place(from), Tag: n, Requires: before}
		if !r.Every && len(r.Sources) > 1 {
			op.Peer = AnyPeer
			if len(posted) > 0 { // the first message is for the first receive
				op.After = posted[len(posted)-1:]
			}
		}
		posted = append(posted, s.add(place(rank), op))
	}
	if !r.Every && len(posted) > 1 {
		return posted[:1]
	}
	return posted
}

// Text returns the schedule in the format that LogGOPSim's txt2bin reads.
func (s GOAL) Text() []byte {
	text := fmt.Appendf(nil, "num_ranks %d\n", len(s))
	for rank, ops := range s {
		text = fmt.Appendf(text, "\nrank %d {\n", rank)
		for i, op := range ops {
			switch op.Kind {
			case Send:
				text = fmt.Appendf(text, "l%d: send %db to %d tag %d\n", i+1, op.Size, op.Peer, op.Tag)
			case Recv:
				text = fmt.Appendf(text, "l%d: recv %db from %d tag %d\n", i+1, op.Size, op.Peer, op.Tag)
			case Calc:
				text = fmt.Appendf(text, "l%d: calc %d\n", i+1, op.Size)
			}
			for _, required := range op.Requires {
				text = fmt.Appendf(text, "l%d requires l%d\n", i+1, required+1)
			}
			for _, begun := range op.After {
				text = fmt.Appendf(text, "l%d irequires l%d\n", i+1, begun+1)
			}
		}
		text = append(text, "}\n"...)
	}
	return text
}
