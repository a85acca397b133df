package network

import "fmt"

// A2AND returns the all-to-all on a mesh or torus that takes the offsets of coordinates in
// lexical order (Takaue et al., section 2.2): the last coordinate changes in every phase, the
// first least often. It fails if the topology is no grid or has too many nodes.
func A2AND(t Topology) (Pattern, error) {
	o, err := newOffsets("a2and", t)
	if err != nil {
		return nil, err
	}
	offset := make([]int, len(o.sides))
	for range o.nodes {
		o.add(offset...)
		for d := len(offset) - 1; d >= 0; d-- {
			if offset[d]++; offset[d] < o.sides[d] {
				break
			}
			offset[d] = 0
		}
	}
	return o, nil
}

// A2AT returns the all-to-all on a mesh or torus of two dimensions that uses the links of
// all directions equally (Takaue et al., section 3.1). It fails on other topologies, and if
// there are too many nodes. With (i, j) the offset from sender to receiver, each coordinate
// at most half a side,
//
//	step 1, for i = 1, 2, …:  (i, 0)   (0, i)    (−i, 0)  (0, −i)
//	                          (i, i)   (−i, −i)  (i, −i)  (−i, i)
//	step 2, for j < i:        (i, j)   (−j, −i)  (j, i)   (−i, −j)
//	                          (i, −j)  (−j, i)   (j, −i)  (−i, j)
//
// so that each direction carries the same number of any two, or four, consecutive messages.
// (The paper's step 2 says j ≤ i, which would repeat the diagonals.)
//
// The paper defines this for squares of odd side. On other grids the loops are the same, up
// to half of the longer side. Offsets beyond half of the shorter side are left out, which
// keeps opposite offsets in pairs. Offsets of exactly half an even side have no opposite;
// they follow at the very end, once each, so that they do not shift the pairs and fours
// before them. During these last phases some links are idle.
func A2AT(t Topology) (Pattern, error) {
	o, err := newOffsets("a2at", t)
	if err != nil {
		return nil, err
	}
	if len(o.sides) != 2 {
		return nil, fmt.Errorf("a2at needs two dimensions, and %s has %d", t, len(o.sides))
	}
	X, Y := o.sides[0], o.sides[1]
	for _, last := range []bool{false, true} {
		seen := map[[2]int]bool{}
		send := func(i, j int) {
			x, y := 2*max(i, -i), 2*max(j, -j)
			if x > X || y > Y || last != (x == X || y == Y) {
				return
			}
			if at := [2]int{(i + X) % X, (j + Y) % Y}; !seen[at] {
				seen[at] = true
				o.add(i, j)
			}
		}
		half := max(X, Y) / 2
		for i := 1; i <= half; i++ {
			eight(i, 0, send)
			eight(i, i, send)
		}
		for i := 1; i <= half; i++ {
			for j := 1; j < i; j++ {
				eight(i, j, send)
			}
		}
	}
	return o, nil
}

// eight calls send for the eight offsets of the distances i and j, which on the axes and
// diagonals are four.
func eight(i, j int, send func(i, j int)) {
	switch j {
	case 0:
		send(i, 0)
		send(0, i)
		send(-i, 0)
		send(0, -i)
	case i:
		send(i, i)
		send(-i, -i)
		send(i, -i)
		send(-i, i)
	default:
		send(i, j)
		send(-j, -i)
		send(j, i)
		send(-i, -j)
		send(i, -j)
		send(-j, i)
		send(j, -i)
		send(-i, j)
	}
}
