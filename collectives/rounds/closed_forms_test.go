package rounds_test

import (
	"math"
	"math/bits"

	"jitterfly/collectives"
)

// A closedForm returns bounds of the completion time [s] of a collective at T = 0, without noise and
// with one source, on links that are free and, except for all-to-alls, with one rank on each node.
// The bounds are equal where the literature gives the time itself.
type closedForm func(collectives.Problem) (least, most float64)

// closedForms has the closed form of each algorithm, by its name.
var closedForms = map[string]closedForm{
	"butterfly":        recursiveDoubling,
	"dissemination":    exactly(disseminationTime),
	"rabenseifner":     exactly(rabenseifnerTime),
	"ring":             exactly(ringTime),
	"binomial":         binomialTime,
	"leaders":          recursiveDoubling,
	"a2a-ring":         a2aRingTime,
	"a2a-levels":       exactly(a2aLevelsTime),
	"a2a-sa":           exactly(a2aSendSideTime),
	"a2a-hierarchical": exactly(a2aHierarchicalTime),
	"a2a-pairwise":     exactly(a2aLevelsTime),
	"a2a-spread":       exactly(a2aSpreadTime),
	"a2a-bruck":        a2aBruckTime,
	"a2and":            exactly(stepsTime),
	"a2at":             exactly(stepsTime),
	"random-ring":      exactly(permutationTime),
	"permutation":      exactly(permutationTime),
}

// exactly returns a closed form whose bounds are equal.
func exactly(time func(collectives.Problem) float64) closedForm {
	return func(p collectives.Problem) (least, most float64) { t := time(p); return t, t }
}

// logs returns ⌊log₂ n⌋ and ⌈log₂ n⌉.
func logs(n int) (down, up float64) {
	return float64(bits.Len(uint(n)) - 1), float64(bits.Len(uint(n - 1)))
}

// folding returns the largest power of two that is not above the number of ranks, and the time [s]
// to fold the other ranks into them and to send these the result.
func folding(p collectives.Problem) (core, time float64) {
	down, up := logs(p.Ranks)
	if up > down {
		time = 2*p.Wire(p.Bytes) + p.Combine(p.Bytes)
	}
	return math.Exp2(down), time
}

// recursiveDoubling is ⌊log₂ P⌋ exchanges of the vector. What is late in one round can catch up in a
// later one in which its partner was early, but not if the folded ranks are more than half of the
// others: the latest of them then reach each other through all dimensions.
func recursiveDoubling(p collectives.Problem) (least, most float64) {
	down, _ := logs(p.Ranks)
	core, fold := folding(p)
	least = down * (p.Wire(p.Bytes) + p.Combine(p.Bytes))
	if most = fold + least; float64(p.Ranks)-core > core/2 {
		least = most
	}
	return least, most
}

func disseminationTime(p collectives.Problem) float64 {
	_, up := logs(p.Ranks)
	return up * (p.Wire(p.Bytes) + p.Combine(p.Bytes))
}

// rabenseifnerTime is that of a reduce-scatter by recursive halving, and of an allgather by recursive
// doubling.
func rabenseifnerTime(p collectives.Problem) float64 {
	core, fold := folding(p)
	half := 0.0
	for n := p.Bytes / 2; n >= p.Bytes/core; n /= 2 {
		half += p.Wire(n)
	}
	return fold + 2*half + p.Combine(p.Bytes)*(1-1/core)
}

// ringTime is that of a ring whose chunks are not cut into segments.
func ringTime(p collectives.Problem) float64 {
	chunk := p.Bytes / float64(p.Ranks)
	return float64(p.Ranks-1) * (2*p.Wire(chunk) + p.Combine(chunk))
}

// binomialTime is that of a reduce and a broadcast in binomial trees.
func binomialTime(p collectives.Problem) (least, most float64) {
	down, up := logs(p.Ranks)
	each := 2*p.Wire(p.Bytes) + p.Combine(p.Bytes)
	return down * each, up * each
}

// A grouping is the ranks of an all-to-all, without noise: P ranks, n on each of count nodes.
type grouping struct{ P, n, count float64 }

// groupingOf returns the ranks of a problem, and the time of bytes [s] inside a node.
func groupingOf(p collectives.Problem) (g grouping, inside func(bytes float64) float64) {
	g = grouping{P: float64(p.Ranks), n: float64(max(1, p.Node.Ranks))}
	g.count = g.P / g.n
	if g.n == 1 {
		return g, p.Wire
	}
	return g, p.Node.Wire
}

// leastOnNodes is the least part of the longest message's time that a round takes on nodes where
// some messages stay inside.
const leastOnNodes = 0.6

// boundsOnNodes returns bounds of an all-to-all whose messages of one round differ on nodes: no rank has
// the longer one in each round.
func boundsOnNodes(p collectives.Problem, most float64) (float64, float64) {
	if p.Node.Ranks > 1 {
		return leastOnNodes * most, most
	}
	return most, most
}

func a2aRingTime(p collectives.Problem) (least, most float64) {
	return boundsOnNodes(p, stepsTime(p))
}

// stepsTime is that of a block to each other rank, one after the other.
func stepsTime(p collectives.Problem) float64 { return float64(p.Ranks-1) * p.Wire(p.Bytes) }

// a2aLevelsTime is that of blocks inside the node, and then of those to other nodes.
func a2aLevelsTime(p collectives.Problem) float64 {
	g, inside := groupingOf(p)
	return (g.n-1)*inside(p.Bytes) + (g.P-g.n)*p.Wire(p.Bytes)
}

// a2aSendSideTime is that of all blocks for a rank of each node inside the node, and then of a message
// to each other node.
func a2aSendSideTime(p collectives.Problem) float64 {
	g, inside := groupingOf(p)
	return (g.n-1)*inside(g.count*p.Bytes) + (g.count-1)*p.Wire(g.n*p.Bytes)
}

// a2aHierarchicalTime is that of ranks of a node that send to other nodes in turn.
func a2aHierarchicalTime(p collectives.Problem) float64 {
	g, inside := groupingOf(p)
	return (g.n-1)*inside(p.Bytes) + g.n*(g.P-g.n)*p.Wire(p.Bytes)
}

// a2aSpreadTime is that of all blocks on one link, one after the other.
func a2aSpreadTime(p collectives.Problem) float64 {
	if p.Ranks == 1 {
		return 0
	}
	return p.Wire(float64(p.Ranks-1) * p.Bytes)
}

// a2aBruckTime is that of ⌈log₂ P⌉ messages, the one of 2^k with the blocks whose distance has bit k.
// Blocks are copied before and after each, and all of them before the first and after the last.
func a2aBruckTime(p collectives.Problem) (least, most float64) {
	if p.Ranks > 1 {
		most = 2 * p.Combine(float64(p.Ranks)*p.Bytes)
	}
	for bit := 1; bit < p.Ranks; bit *= 2 {
		blocks := 0
		for distance := range p.Ranks {
			blocks += distance / bit % 2
		}
		n := float64(blocks) * p.Bytes
		most += p.Wire(n) + 2*p.Combine(n)
	}
	return boundsOnNodes(p, most)
}

// permutationTime is that of a rank's messages, one after the other.
func permutationTime(p collectives.Problem) float64 { return float64(p.Messages) * p.Wire(p.Bytes) }
