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
type fatTree struct {
	shape
	n, ups int // ups is the number of links up from a switch
	upper  int // links above the leaves in each direction
}

// newFatTree returns the tree of the sides n, n and 2n, and of a taper. It fails for other sides,
// and if the taper does not divide n.
func newFatTree(sides []int) (Topology, error) {
	n, taper := sides[0], sides[3]
	text := name("fat-tree", n, n, 2*n)
	switch {
	case sides[1] != n || sides[2] != 2*n:
		return nil, fmt.Errorf("a full tree of %d-port switches is %s", 2*n, text)
	case n%taper != 0:
		return nil, fmt.Errorf("%d nodes of a leaf do not share links %d by %d; write a taper that divides %d",
			n, taper, taper, n)
	case taper > 1:
		text = fmt.Sprintf("%s:%d", text, taper)
	}
	nodes := 2 * n * n * n
	upper := nodes / taper
	return &fatTree{shape{text, nodes, 2*nodes + 4*upper, 6}, n, n / taper, upper}, nil
}

// Route implements [Topology]. Six groups of links are numbered one after the other: up from the
// nodes, the leaves and the middle switches, then down to the middle switches, the leaves and the
// nodes. Within a group links are in the order of the lower end and its port.
func (f *fatTree) Route(links []int32, from, to int) []int32 {
	n, ups, nodes, upper := f.n, f.ups, f.nodes, f.upper
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
