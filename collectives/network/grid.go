package network

import "slices"

// A Grid is a mesh or a torus of any number of dimensions: a router for each
// node, and a link each way between neighbours along each dimension. In a
// torus the last of a dimension is a neighbour of the first; at a side of 2 there
// are two links each way.
//
// Node x + X·(y + Y·(z + …)) is at (x, y, z, …). A message goes along the first
// dimension until it is where its receiver is, then along the second, and so on
// (dimension order). In a torus it takes the shorter way around; where both
// are equally long it goes up from even coordinates and down from odd ones, so
// that both ways are used alike. The links between a node and its router are
// not part of the grid: see [Problem.PortBandwidth].
type Grid struct {
	torus bool
	sides []int
	nodes int
	links int
	lines []line // of each dimension
}

// A line is how the links along one dimension are numbered: that which leads up
// from coordinate c of the line at offset o is first + o + c·stride, and that which
// leads down to c is as much after down.
type line struct {
	stride      int // between the numbers of neighbours
	edges       int // pairs of neighbours
	first, down int
}

func newGrid(sides []int, torus bool) *Grid {
	g := &Grid{torus: torus, sides: slices.Clone(sides), nodes: 1}
	for _, side := range sides {
		g.nodes *= side
	}
	stride := 1
	for _, side := range sides {
		edges := side - 1
		if torus && side > 1 {
			edges = side
		}
		oneWay := g.nodes / side * edges
		g.lines = append(g.lines, line{stride, edges, g.links, g.links + oneWay})
		g.links += 2 * oneWay
		stride *= side
	}
	return g
}

// String implements [Topology].
func (g *Grid) String() string {
	if g.torus {
		return name("torus", g.sides...)
	}
	return name("mesh", g.sides...)
}

// Sides are the lengths of the dimensions.
func (g *Grid) Sides() []int { return slices.Clone(g.sides) }

// Nodes implements [Topology].
func (g *Grid) Nodes() int { return g.nodes }

// Links implements [Topology].
func (g *Grid) Links() int { return g.links }

// Diameter implements [Topology].
func (g *Grid) Diameter() int {
	longest := 0
	for _, side := range g.sides {
		if g.torus {
			longest += side / 2
		} else {
			longest += side - 1
		}
	}
	return longest
}

// Route implements [Topology].
func (g *Grid) Route(links []int32, from, to int) []int32 {
	for d, side := range g.sides {
		l := &g.lines[d]
		at, end := from/l.stride%side, to/l.stride%side
		if at == end {
			continue
		}
		// The dimensions before are where the receiver is, those after where
		// the sender is.
		offset := from/(l.stride*side)*(l.stride*l.edges) + to%l.stride
		if g.up(at, end, side) {
			for at != end {
				links = append(links, int32(l.first+offset+at*l.stride))
				if at++; at == side {
					at = 0
				}
			}
			continue
		}
		for at != end {
			if at--; at < 0 {
				at = side - 1
			}
			links = append(links, int32(l.down+offset+at*l.stride))
		}
	}
	return links
}

// up says whether a message goes up from one coordinate to another.
func (g *Grid) up(at, end, side int) bool {
	if !g.torus {
		return end > at
	}
	ahead := end - at
	if ahead < 0 {
		ahead += side
	}
	return 2*ahead < side || 2*ahead == side && at%2 == 0
}

var _ Topology = (*Grid)(nil)
