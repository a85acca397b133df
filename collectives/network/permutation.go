package network

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Permutations is a pattern of lists: in each phase node i sends to the i-th node of the
// phase's list.
type Permutations struct {
	to, from [][]int32 // the lists and their inverses, which phases take in turn
	phases   int
	messages float64
}

// newPermutations returns a pattern of that many phases, which take the lists in turn. Each
// list holds every node once. A node that would send to itself sends nothing.
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

// ReadPermutation reads the node that each of nodes sends to, node 0 first, one number on
// each line, and returns the pattern in which every node sends that many messages. It skips
// empty lines and lines that begin with #. It fails if a line is not a node, if a node
// occurs twice, or if some are missing.
func ReadPermutation(r io.Reader, nodes, messages int) (*Permutations, error) {
	to := make([]int32, 0, nodes)
	lines := make([]int, nodes) // the line of each node, 0 if not read yet
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
			return nil, fmt.Errorf("line %d: %q is not a node; write a number from 0 to %d",
				n, text, nodes-1)
		case lines[target] > 0:
			return nil, fmt.Errorf("line %d: node %d occurs again, after line %d; write each once",
				n, target, lines[target])
		}
		lines[target] = n
		to = append(to, int32(target))
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if len(to) < nodes {
		return nil, fmt.Errorf("the list has %d of %d nodes; write a line for each",
			len(to), nodes)
	}
	return newPermutations(messages, to), nil
}

// RandomRing returns the pattern in which every node sends that many messages to its
// successor on a ring of all nodes in random order (Suzuki et al., section 3.1). If fresh,
// each phase has a ring of its own. The argument shuffle is as [math/rand/v2.Rand.Shuffle].
func RandomRing(nodes, messages int, fresh bool,
	shuffle func(n int, swap func(i, j int)),
) *Permutations {
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
