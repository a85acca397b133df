package network

import "slices"

// A Grid is a mesh or a torus of any number of dimensions: a router for each node, and a link in
// each direction between neighbours along each dimension. In a torus the last router of a dimension
// is a neighbour of the first; with a side of 2 there are two links in each direction.
//
// Node x + X·(y + Y·(z + …)) is at (x, y, z, …). Routing is dimension-ordered: a message first goes
// along the first dimension to the coordinate of its receiver, then along the second, and so on. In
// a torus it takes the shorter direction; where both are equally long it goes up from even
// coordinates and down from odd ones, so that both directions carry the same load. The links
// between a node and its router are not part of the grid: an engine has its own.
type Grid struct {
	shape
	torus bool
	sides []int
	lines []line // of each dimension
}

// A line numbers the links along one dimension. The link up from coordinate c, in the row
// of nodes at offset o, has the number first + o + c·stride, and the link down to c has
// the number down + o + c·stride.
type line struct {
	stride      int // difference of the numbers of neighbours
	edges       int // pairs of neighbours in a row
	first, down int // the first link up and the first link down
}

// newGrid returns a mesh or torus with these sides, each at least 1.
func newGrid(sides []int, torus bool) *Grid {
	kind, stride := "mesh", 1
	if torus {
		kind = "torus"
	}
	g := &Grid{shape: shape{name: name(kind, sides...), nodes: 1}, torus: torus, sides: slices.Clone(sides)}
	for _, side := range sides {
		g.nodes *= side
	}
	for _, side := range sides {
		edges, longest := side-1, side-1
		if torus && side > 1 {
			edges, longest = side, side/2
		}
		oneWay := g.nodes / side * edges
		g.lines = append(g.lines, line{stride, edges, g.links, g.links + oneWay})
		g.links += 2 * oneWay
		g.diameter += longest
		stride *= side
	}
	return g
}

// Sides returns the number of nodes along each dimension.
func (g *Grid) Sides() []int { return slices.Clone(g.sides) }

// Torus reports whether the last router of each dimension is a neighbour of the first.
func (g *Grid) Torus() bool { return g.torus }

// Route implements [Topology].
func (g *Grid) Route(links []int32, from, to int) []int32 {
	for d, side := range g.sides {
		l := &g.lines[d]
		at, end := from/l.stride%side, to/l.stride%side
		if at == end {
			continue
		}
		// Coordinates before d are the receiver's already, those after d the sender's.
		offset := from/(l.stride*side)*(l.stride*l.edges) + to%l.stride
		if g.Up(d, at, end) {
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

// Up reports whether the route from one coordinate of a dimension to another goes up.
func (g *Grid) Up(dimension, at, end int) bool {
	if !g.torus {
		return end > at
	}
	side := g.sides[dimension]
	ahead := (end - at + side) % side
	return 2*ahead < side || 2*ahead == side && at%2 == 0
}
