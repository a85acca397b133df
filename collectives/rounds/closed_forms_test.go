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

// closedForms are the closed forms of all algorithms.
var closedForms = map[string]closedForm{
	"butterfly": recursiveDoubling, "leaders": recursiveDoubling,
	"dissemination": exactly(func(p collectives.Problem) float64 {
		_, up := logs(p.Ranks)
		return up * (p.Wire(p.Bytes) + p.Combine(p.Bytes))
	}),
	"rabenseifner": exactly(rabenseifnerTime),
	"ring": exactly(func(p collectives.Problem) float64 { // chunks are not cut into segments
		chunk := p.Bytes / float64(p.Ranks)
		return float64(p.Ranks-1) * (2*p.Wire(chunk) + p.Combine(chunk))
	}),
	"binomial": func(p collectives.Problem) (least, most float64) { // a reduce and a broadcast
		down, up := logs(p.Ranks)
		each := 2*p.Wire(p.Bytes) + p.Combine(p.Bytes)
		return down * each, up * each
	},
	"a2a-ring": longer(stepsTime), "a2and": exactly(stepsTime), "a2at": exactly(stepsTime),
	"a2a-levels": exactly(levelsTime), "a2a-pairwise": exactly(levelsTime),
	// All blocks for a rank of each node inside the node, and then a message to each other node.
	"a2a-sa": exactly(func(p collectives.Problem) float64 {
		n, nodes := max(1, p.Node.Ranks), p.Ranks/max(1, p.Node.Ranks)
		return onLevels(p, n-1, float64(nodes)*p.Bytes, nodes-1, float64(n)*p.Bytes)
	}),
	// Ranks of a node send to other nodes in turn.
	"a2a-hierarchical": exactly(func(p collectives.Problem) float64 {
		n := max(1, p.Node.Ranks)
		return onLevels(p, n-1, p.Bytes, n*(p.Ranks-n), p.Bytes)
	}),
	// All blocks are on one link, one after the other.
	"a2a-spread": exactly(func(p collectives.Problem) float64 {
		if p.Ranks == 1 {
			return 0
		}
		return p.Wire(float64(p.Ranks-1) * p.Bytes)
	}),
	"a2a-bruck":   longer(bruckTime),
	"random-ring": exactly(permutationTime), "permutation": exactly(permutationTime),
}

// exactly returns a closed form whose bounds are equal.
func exactly(time func(collectives.Problem) float64) closedForm {
	return func(p collectives.Problem) (least, most float64) { t := time(p); return t, t }
}

// longer returns the bounds of an all-to-all whose messages of one round differ on nodes, given its
// time if all were the longer ones. No rank has the longer one in each round: the least is 0.6 of it.
func longer(time func(collectives.Problem) float64) closedForm {
	return func(p collectives.Problem) (least, most float64) {
		if most = time(p); p.Node.Ranks > 1 {
			return 0.6 * most, most
		}
		return most, most
	}
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

// onLevels returns the time [s] of some messages inside a node, and of some to other nodes, of the
// given bytes each.
func onLevels(p collectives.Problem, inside int, bytesInside float64, outside int, bytes float64) float64 {
	time := float64(outside) * p.Wire(bytes)
	if inside > 0 {
		time += float64(inside) * p.Node.Wire(bytesInside)
	}
	return time
}

// stepsTime is that of a block to each other rank, one after the other.
func stepsTime(p collectives.Problem) float64 { return float64(p.Ranks-1) * p.Wire(p.Bytes) }

// levelsTime is that of blocks inside the node, and then of those to other nodes.
func levelsTime(p collectives.Problem) float64 {
	n := max(1, p.Node.Ranks)
	return onLevels(p, n-1, p.Bytes, p.Ranks-n, p.Bytes)
}

// bruckTime is that of ⌈log₂ P⌉ messages, the one of 2^k with the blocks whose distance has bit k.
// Blocks are copied before and after each, and all of them before the first and after the last.
func bruckTime(p collectives.Problem) (time float64) {
	if p.Ranks > 1 {
		time = 2 * p.Combine(float64(p.Ranks)*p.Bytes)
	}
	for bit := 1; bit < p.Ranks; bit *= 2 {
		blocks := 0
		for distance := range p.Ranks {
			blocks += distance / bit % 2
		}
		n := float64(blocks) * p.Bytes
		time += p.Wire(n) + 2*p.Combine(n)
	}
	return time
}

// permutationTime is that of a rank's messages, one after the other.
func permutationTime(p collectives.Problem) float64 { return float64(p.Messages) * p.Wire(p.Bytes) }
