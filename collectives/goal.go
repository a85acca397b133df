package collectives

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A goal is a schedule that is written in GOAL, the operations of each rank one after the other.
type goal struct {
	*Schedule
	text [][]byte // of each rank
	ops  []int    // how many each rank has
}

// GOAL returns the schedule of an algorithm without redundant exchanges in the language of LogGOPSim
// (Hoefler, Schneider and Lumsdaine, "LogGOPSim: simulating large-scale applications in the LogGOPS
// model", LSAP 2010), as its txt2bin reads it: a graph of operations for each rank. It fails if GOAL
// cannot express the schedule.
//
// A rank posts the receives of a round, and sends, when it has done the round before. From several
// sources it receives as many messages from any rank, and continues after the first.
func GOAL(a Algorithm, p Problem) ([]byte, error) {
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
	g := goal{&c, make([][]byte, p.Ranks), make([]int, p.Ranks)}
	done := [][][]int{make([][]int, p.Ranks)} // by round and rank
	for n := range c.Rounds[:c.Checkpoints[0].Rounds] {
		r := &c.Rounds[n]
		if r.Turns > 1 || r.Slow > 0 {
			return nil, fmt.Errorf("GOAL cannot express how ranks of %s share a bandwidth", a.Name)
		}
		done = append(done, g.round(r, n, done[n], done[max(0, n-r.Lag)]))
	}
	text := fmt.Appendf(nil, "num_ranks %d\n", p.Ranks)
	for rank, ops := range g.text {
		text = fmt.Appendf(text, "\nrank %d {\n%s}\n", rank, ops)
	}
	return text, nil
}

// add appends an operation of a rank of the schedule and returns its number. It begins when operations of
// the rank are done that it requires, and others have begun.
func (g *goal) add(rank int, required, begun []int, operation string, args ...any) int {
	rank = g.At(rank)
	g.ops[rank]++
	text := fmt.Appendf(g.text[rank], "l%d: %s\n", g.ops[rank], fmt.Sprintf(operation, args...))
	for _, op := range required {
		text = fmt.Appendf(text, "l%d requires l%d\n", g.ops[rank], op)
	}
	for _, op := range begun {
		text = fmt.Appendf(text, "l%d irequires l%d\n", g.ops[rank], op)
	}
	g.text[rank] = text
	return g.ops[rank]
}

// round appends the operations of the n-th round, given the operations of each rank that are done
// before it and the operations after which a rank sends. It returns the operations that end the
// round.
func (g *goal) round(r *Round, n int, before, ready [][]int) [][]int {
	after := slices.Clone(before)
	size := int64(math.Round(r.Bytes))
	for _, source := range r.Sources {
		for to := r.Receivers.Lo; to < r.Receivers.Hi; to++ {
			if from := source.Peers.From(to); from != to {
				g.add(from, ready[from], nil, "send %db to %d tag %d", size, g.At(to), n)
			}
		}
	}
	for rank := r.Receivers.Lo; rank < r.Receivers.Hi; rank++ {
		if got := g.receive(rank, r, n, before[rank]); len(got) > 0 {
			after[rank] = got
		}
		if r.Combine > 0 {
			calc := g.add(rank, after[rank], nil, "calc %d", int64(math.Round(1e9*r.Combine)))
			after[rank] = []int{calc}
		}
	}
	return after
}

// receive appends the receives of a rank in the n-th round, and returns the ones that it waits for.
func (g *goal) receive(rank int, r *Round, n int, before []int) []int {
	var posted []int
	for _, source := range r.Sources {
		from := source.Peers.From(rank)
		if from == rank {
			continue
		}
		peer, begun := g.At(from), []int(nil)
		if !r.Every && len(r.Sources) > 1 {
			peer = -1                              // any rank
			begun = posted[max(0, len(posted)-1):] // the first message is for the first receive
		}
		size := int64(math.Round(r.Bytes))
		posted = append(posted, g.add(rank, before, begun, "recv %db from %d tag %d", size, peer, n))
	}
	if !r.Every && len(posted) > 1 {
		return posted[:1]
	}
	return posted
}
