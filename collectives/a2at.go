package collectives

import "slices"

// checkGrid fails unless there is a mesh or a torus with one rank on each node.
func checkGrid(p Problem) error {
	nodes := 1
	for _, side := range p.Sides {
		nodes *= side
	}
	if p.Sides == nil || nodes != p.Ranks || p.Node.size() > 1 {
		return ParameterSides.Invalid("it needs a mesh or a torus with one rank on each node; a2a-ring " +
			"and a2a-levels are for any")
	}
	return nil
}

// sendBy appends a round in which all nodes send by an offset, unless it is to themselves.
func (s *Schedule) sendBy(p Problem, by ...int) {
	o, moves := offset{p.Sides, make([]int, len(p.Sides))}, false
	for d, side := range p.Sides {
		o.By[d] = (by[d]%side + side) % side
		moves = moves || o.By[d] > 0
	}
	if moves {
		s.deliver(p, o, 1)
	}
}

// a2and is the all-to-all on a mesh or torus that takes the offsets of coordinates in lexical order
// (Takaue et al., section 2.2): the last coordinate changes in every round, the first least often.
func a2and(p Problem, s *Schedule) error {
	if err := checkGrid(p); err != nil {
		return err
	}
	by := make([]int, len(p.Sides))
	for i := range p.Ranks {
		for d, side := range slices.Backward(p.Sides) {
			i, by[d] = i/side, i%side
		}
		s.sendBy(p, by...)
	}
	return nil
}

// a2at is the all-to-all on a mesh or torus of two dimensions that uses the links of all directions
// equally (Takaue et al., section 3.1). With (i, j) the offset from sender to receiver, each
// coordinate at most half a side,
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
// before them. During these last rounds some links are idle.
func a2at(p Problem, s *Schedule) error {
	if err := checkGrid(p); err != nil {
		return err
	}
	if len(p.Sides) != 2 {
		return ParameterSides.Invalid("it needs two dimensions, not %d", len(p.Sides))
	}
	X, Y := p.Sides[0], p.Sides[1]
	for _, last := range []bool{false, true} {
		seen := map[[2]int]bool{}
		send := func(i, j int) {
			x, y := 2*max(i, -i), 2*max(j, -j)
			if x > X || y > Y || last != (x == X || y == Y) {
				return
			}
			if at := [2]int{(i + X) % X, (j + Y) % Y}; !seen[at] {
				seen[at] = true
				s.sendBy(p, i, j)
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
	return nil
}

// eight calls send for the eight offsets of the distances i and j. On the axes they are four, and on the
// diagonals each comes twice.
func eight(i, j int, send func(i, j int)) {
	offsets := [][2]int{{i, j}, {-j, -i}, {j, i}, {-i, -j}, {i, -j}, {-j, i}, {j, -i}, {-i, j}}
	if j == 0 {
		offsets = [][2]int{{i, 0}, {0, i}, {-i, 0}, {0, -i}}
	}
	for _, o := range offsets {
		send(o[0], o[1])
	}
}
