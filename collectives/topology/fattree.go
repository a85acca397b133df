package topology

import "fmt"

// FatTree is the three-level fat tree n × n × 2n with full bisection bandwidth, of switches
// with 2n ports (Suzuki et al., table 3.1): 2n pods of n leaf and n middle switches, n² top
// switches, and n nodes at each leaf. Each of its three stages of links (above the nodes,
// the leaves and the middle switches) has one link per node in each direction.
//
// A message goes up only as far as it must. The receiver determines the path up, as in
// D-mod-k routing: to node t a leaf sends through its link t mod n, and a middle switch
// through its link ⌊t/n⌋ mod n. So all messages to one node from other pods come down one
// path, and a cyclic shift of all nodes is free of contention.
type FatTree int

// newFatTree returns the tree of the sides n, n and 2n. It fails for other sides.
func newFatTree(sides []int) (Topology, error) {
	n := sides[0]
	if sides[1] != n || sides[2] != 2*n {
		return nil, fmt.Errorf("a full tree of %d-port switches is %s", 2*n, FatTree(n))
	}
	return FatTree(n), nil
}

// String implements [Topology].
func (f FatTree) String() string { return name("fat-tree", int(f), int(f), 2*int(f)) }

// Nodes implements [Topology].
func (f FatTree) Nodes() int { return 2 * int(f) * int(f) * int(f) }

// Links implements [Topology].
func (f FatTree) Links() int { return 6 * f.Nodes() }

// Diameter implements [Topology].
func (f FatTree) Diameter() int { return 6 }

// Route implements [Topology]. Six groups of links are numbered one after the other: up
// from the nodes, the leaves and the middle switches, then down to the middle switches,
// the leaves and the nodes. Within a group links are in the order of the lower end and
// its port.
func (f FatTree) Route(links []int32, from, to int) []int32 {
	n, nodes := int(f), f.Nodes()
	leaf, toLeaf := from/n, to/n
	links = append(links, int32(from))
	if leaf != toLeaf {
		middle := to % n
		links = append(links, int32(nodes+leaf*n+middle))
		if pod, toPod := leaf/n, toLeaf/n; pod != toPod {
			top := toLeaf % n
			links = append(links,
				int32(2*nodes+(pod*n+middle)*n+top),
				int32(3*nodes+(toPod*n+middle)*n+top))
		}
		links = append(links, int32(4*nodes+toLeaf*n+middle))
	}
	return append(links, int32(5*nodes+to))
}

var _ Topology = FatTree(0)
