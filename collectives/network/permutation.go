package network

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Permutations is a pattern by lists: in each phase a node sends to the one
// that the list has at its place.
type Permutations struct {
	to, from [][]int32 // of each different phase, in turn
	phases   int
	messages float64
}

// newPermutations repeats the lists, each of which has every node once, in turn
// until there are that many phases. Who would send to itself does not send.
func newPermutations(phases int, lists ...[]int32) *Permutations {
	p := &Permutations{phases: phases}
	for _, to := range lists {
		from := make([]int32, len(to))
		for node, target := range to {
			from[target] = int32(node)
		}
		sending := len(to)
		for node, target := range to {
			if int(target) == node {
				to[node], from[node] = NoNode, NoNode
				sending--
			}
		}
		turns := (phases + len(lists) - 1 - len(p.to)) / len(lists)
		p.messages += float64(turns) * float64(sending)
		p.to, p.from = append(p.to, to), append(p.from, from)
	}
	return p
}

// ReadPermutation reads to which of that many nodes each sends, node 0 first, one
// number on a line; it sends as many messages. Empty lines and those that begin
// with # are left out.
func ReadPermutation(r io.Reader, nodes, messages int) (*Permutations, error) {
	to := make([]int32, 0, nodes)
	lines := make([]int, nodes) // at which line each node was a target
	in := bufio.NewScanner(r)
	n := 0
	for in.Scan() {
		n++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		target, err := strconv.Atoi(text)
		switch {
		case err != nil || target < 0 || target >= nodes:
			return nil, fmt.Errorf("line %d: %q is not a node; write a number from 0 to %d", n, text, nodes-1)
		case lines[target] > 0:
			return nil, fmt.Errorf("line %d: node %d is a target again, after line %d; each can be one only once", n, target, lines[target])
		}
		lines[target] = n
		to = append(to, int32(target))
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(to) < nodes {
		return nil, fmt.Errorf("the list has %d of %d nodes; write a line for each", len(to), nodes)
	}
	return newPermutations(messages, to), nil
}

// RandomRing lets every node send that many messages to its successor on a ring
// of all nodes in random order (Suzuki et al., section 3.1). Shuffle is that of a
// generator of random numbers. If fresh, each phase has a ring of its own.
func RandomRing(nodes, messages int, fresh bool, shuffle func(n int, swap func(i, j int))) *Permutations {
	rings := 1
	if fresh {
		rings = max(1, messages)
	}
	order := make([]int32, nodes)
	var lists [][]int32
	for range rings {
		for i := range order {
			order[i] = int32(i)
		}
		shuffle(nodes, func(i, j int) { order[i], order[j] = order[j], order[i] })
		list := make([]int32, nodes)
		for i, node := range order {
			list[node] = order[(i+1)%nodes]
		}
		lists = append(lists, list)
	}
	return newPermutations(messages, lists...)
}

// Nodes implements [Pattern].
func (p *Permutations) Nodes() int { return len(p.to[0]) }

// Phases implements [Pattern].
func (p *Permutations) Phases() int { return p.phases }

// Messages implements [Pattern].
func (p *Permutations) Messages() float64 { return p.messages }

// To implements [Pattern].
func (p *Permutations) To(phase, node int) int { return int(p.to[phase%len(p.to)][node]) }

// From implements [Pattern].
func (p *Permutations) From(phase, node int) int { return int(p.from[phase%len(p.from)][node]) }

var _ Pattern = (*Permutations)(nil)
