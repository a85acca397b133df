package network

import "fmt"

// A fatTree is the three-level fat tree n × n × 2n of switches with 2n ports (Suzuki et al., table
// 3.1): 2n pods of n leaf and n/Taper middle switches, n²/Taper top switches, and n nodes at each
// leaf. With a Taper of 1 it has full bisection bandwidth: each of its three stages of links (above
// the nodes, the leaves and the middle switches) has one link per node in each direction. Otherwise
// the upper two have one for Taper nodes: the network is oversubscribed.
//
// A message goes up only as far as it must. The receiver determines the path up, as in
// D-mod-k routing: to node t a leaf sends through its link t mod n/Taper, and a middle switch
// through its link ⌊t/n⌋ mod n. So all messages to one node from other pods come down one
// path, and with a Taper of 1 a cyclic shift of all nodes is free of contention.
type fatTree struct{ N, Taper int }

// newFatTree returns the tree of the sides n, n and 2n, and of a taper. It fails for other sides,
// and if the taper does not divide n.
func newFatTree(sides []int) (Topology, error) {
	n, taper := sides[0], sides[3]
	switch {
	case sides[1] != n || sides[2] != 2*n:
		return nil, fmt.Errorf("a full tree of %d-port switches is %s", 2*n, fatTree{n, 1})
	case n%taper != 0:
		return nil, fmt.Errorf("%d nodes of a leaf do not share links %d by %d; write a taper that divides %d",
			n, taper, taper, n)
	}
	return fatTree{n, taper}, nil
}

func (f fatTree) String() string {
	text := name("fat-tree", f.N, f.N, 2*f.N)
	if f.Taper > 1 {
		return fmt.Sprintf("%s:%d", text, f.Taper)
	}
	return text
}

func (f fatTree) Nodes() int { return 2 * f.N * f.N * f.N }
func (f fatTree) Links() int { return 2*f.Nodes() + 4*f.upper() }

// upper returns the number of links above the leaves in each direction.
func (f fatTree) upper() int    { return f.Nodes() / f.Taper }
func (f fatTree) Diameter() int { return 6 }

// Route implements [Topology]. Six groups of links are numbered one after the other: up from the
// nodes, the leaves and the middle switches, then down to the middle switches, the leaves and the
// nodes. Within a group links are in the order of the lower end and its port.
func (f fatTree) Route(links []int32, from, to int) []int32 {
	n, ups, nodes, upper := f.N, f.N/f.Taper, f.Nodes(), f.upper()
	leaf, toLeaf := from/n, to/n
	links = append(links, int32(from))
	if leaf != toLeaf {
		middle := to % ups
		links = append(links, int32(nodes+leaf*ups+middle))
		if pod, toPod := leaf/n, toLeaf/n; pod != toPod {
			top := toLeaf % n
			links = append(links,
				int32(nodes+upper+(pod*ups+middle)*n+top),
				int32(nodes+2*upper+(toPod*ups+middle)*n+top))
		}
		links = append(links, int32(nodes+3*upper+toLeaf*ups+middle))
	}
	return append(links, int32(nodes+4*upper+to))
}

var _ Topology = fatTree{}
