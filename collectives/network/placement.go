package network

import (
	"fmt"
	"io"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
)

// A Placement says which node each rank is on. The zero value has one rank on each.
type Placement struct {
	// PerNode is how many ranks are on a node at most; 0 is 1.
	PerNode int
	// Nodes are the nodes of all ranks; nil is consecutive ranks on each.
	Nodes []int32
}

// RoundRobin places ranks on the first nodes that have room for them all, one on each in turn.
func RoundRobin(ranks, perNode int) Placement {
	p := Placement{PerNode: perNode, Nodes: make([]int32, ranks)}
	nodes := (ranks-1)/perNode + 1
	for r := range p.Nodes {
		p.Nodes[r] = int32(r % nodes)
	}
	return p
}

// Random places ranks anywhere on the given number of nodes. The argument shuffle is as
// [math/rand/v2.Rand.Shuffle].
func Random(ranks, nodes, perNode int, shuffle func(n int, swap func(i, j int))) Placement {
	places := make([]int32, nodes*perNode)
	for i := range places {
		places[i] = int32(i / perNode)
	}
	shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	return Placement{perNode, places[:ranks]}
}

// ReadPlacement reads the node of each rank, rank 0 first, as [collectives.ReadList] does. It fails
// also if a node has too many ranks, or if there are not as many lines as ranks.
func ReadPlacement(r io.Reader, ranks, nodes, perNode int) (p Placement, err error) {
	p.PerNode = perNode
	count := make([]int, nodes)
	p.Nodes, err = collectives.ReadList(r, "node", nodes, func(_, node int) error {
		if count[node]++; count[node] > perNode {
			return fmt.Errorf("node %d has more than %d ranks; write another node, or more --ranks-per-node",
				node, perNode)
		}
		return nil
	})
	if err == nil && len(p.Nodes) != ranks {
		err = fmt.Errorf("the placement lists %d ranks, and there are %d; write a line for each",
			len(p.Nodes), ranks)
	}
	return p, err
}

// Node returns the node of a rank.
func (p Placement) Node(rank int) int {
	if p.Nodes != nil {
		return int(p.Nodes[rank])
	}
	return rank / max(1, p.PerNode)
}

// Several reports whether there are several ranks on a node.
func (p Placement) Several() bool { return p.PerNode > 1 }

// Inside reports whether two ranks are on one node.
func (p Placement) Inside(from, to int) bool { return p.Several() && p.Node(from) == p.Node(to) }

// order returns the place of each rank among all in the order of nodes, in which ranks of a node
// are consecutive, as models of noise number them; nil if it is the rank.
func (p Placement) order() []int32 {
	if p.Nodes == nil {
		return nil
	}
	order := make([]int32, len(p.Nodes))
	for at, r := range vector.Order(len(order), func(r int) int32 { return p.Nodes[r] }) {
		order[r] = int32(at)
	}
	return order
}

// check returns an error if nodes, which have room for the ranks, have different numbers of them.
func (p Placement) check(ranks, nodes int) error {
	each := max(1, p.PerNode)
	if p.Nodes != nil && ranks%each != 0 {
		return fmt.Errorf("%d ranks do not fill nodes of %d, which a placement other than block needs", ranks, each)
	}
	count := make([]int, nodes)
	for _, node := range p.Nodes {
		count[node]++
	}
	for node, n := range count {
		if n > 0 && n != each {
			return fmt.Errorf("node %d has %d ranks; write a placement with %d on each node that has any", node, n,
				each)
		}
	}
	return nil
}

// Relabel numbers the ranks by their nodes, where there is one on each: only the schedule then says
// which rank of the program each is.
func (p *Scenario) Relabel() {
	nodes, schedule := p.Placement.Nodes, p.Schedule
	if nodes == nil || p.Placement.Several() || len(nodes) != p.Topology.Nodes() {
		return
	}
	p.Placement.Nodes = nil
	p.Schedule.Place = func(r int) int { return int(nodes[schedule.At(r)]) }
}
