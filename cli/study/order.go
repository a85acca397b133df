package study

import (
	"slices"

	"jitterfly/montecarlo"
)

// moreOf are the keys of which larger values are compared only where smaller ones help.
var moreOf = []*Key{Sources, Leaders}

// order has the configurations of a field, of which first is the index of the first, be compared
// one after the other: one of two smaller values of a key only if the larger of these gains.
func (s *Study) order(field montecarlo.Field, first int) {
	points := s.points(first, first+len(field))
	for i := range field {
		for _, k := range moreOf {
			if fewer := fewerOf(k, i, points, field); len(fewer) > 1 {
				field[i].After = append(field[i].After, montecarlo.Gain{Of: fewer[0], Over: fewer[1]})
			}
		}
	}
}

// fewerOf returns the configurations that have less of a key than one has, and else the same, in the
// descending order of its values.
func fewerOf(k *Key, config int, points []Point, field montecarlo.Field) []int {
	var fewer []int
	for i, p := range points {
		if !field[i].Reference && p.Number(k) < points[config].Number(k) && sameBut(p, points[config], k) {
			fewer = append(fewer, i)
		}
	}
	slices.SortFunc(fewer, func(a, b int) int {
		return int(points[b].Number(k)) - int(points[a].Number(k))
	})
	return fewer
}

// sameBut reports whether two candidates differ in a key only. A single leader shares with no other.
func sameBut(a, b Point, except *Key) bool {
	for axis, k := range Axes {
		alone := k == Share && except == Leaders && min(a.Whole(Leaders), b.Whole(Leaders)) == 1
		if k != except && !alone && a.Values[axis] != b.Values[axis] {
			return false
		}
	}
	return true
}
