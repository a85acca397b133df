package collectives

import (
	"math"
	"math/bits"
)

// A ClosedForm returns bounds of the completion time [s] of a collective at T = 0, without noise and
// with one source, on links that are free and, except for all-to-alls, with one rank on each node.
// The bounds are equal where the literature gives the time itself.
type ClosedForm func(Problem) (least, most float64)

// exactly returns a closed form whose bounds are equal.
func exactly(time func(Problem) float64) ClosedForm {
	return func(p Problem) (least, most float64) { t := time(p); return t, t }
}

// logs returns ⌊log₂ n⌋ and ⌈log₂ n⌉.
func logs(n int) (down, up float64) {
	return float64(bits.Len(uint(n)) - 1), float64(bits.Len(uint(n - 1)))
}

// folding returns the largest power of two that is not above the number of ranks, and the time [s]
// to fold the other ranks into them and to send these the result.
func folding(p Problem) (core, time float64) {
	down, up := logs(p.Ranks)
	if up > down {
		time = 2*p.Wire(p.Bytes) + p.Combine(p.Bytes)
	}
	return math.Exp2(down), time
}

// onLevels returns the time [s] of some messages inside a node, and of some to other nodes, of the
// given bytes each.
func (p Problem) onLevels(inside int, bytesInside float64, outside int, bytes float64) float64 {
	time := float64(outside) * p.Wire(bytes)
	if inside > 0 {
		time += float64(inside) * p.Node.Wire(bytesInside)
	}
	return time
}

// onNodes returns the bounds of an all-to-all whose messages of one round differ on nodes, given its
// time if all were the longer ones. No rank has the longer one in each round: the least is 0.6 of it.
func onNodes(time func(Problem) float64) ClosedForm {
	return func(p Problem) (least, most float64) {
		if most = time(p); p.Node.size() > 1 {
			return 0.6 * most, most
		}
		return most, most
	}
}

// stepsTime is that of a block to each other rank, one after the other.
func stepsTime(p Problem) float64 { return float64(p.Ranks-1) * p.Wire(p.Bytes) }

// a2aLevelsTime is that of blocks inside the node, and then of those to other nodes.
func a2aLevelsTime(p Problem) float64 {
	n := p.Node.size()
	return p.onLevels(n-1, p.Bytes, p.Ranks-n, p.Bytes)
}

// a2aSendSideTime is that of all blocks for a rank of each node inside the node, and then of a message
// to each other node.
func a2aSendSideTime(p Problem) float64 {
	n, nodes := p.Node.size(), p.Ranks/p.Node.size()
	return p.onLevels(n-1, float64(nodes)*p.Bytes, nodes-1, float64(n)*p.Bytes)
}

// a2aHierarchicalTime is that of ranks of a node that send to other nodes in turn.
func a2aHierarchicalTime(p Problem) float64 {
	n := p.Node.size()
	return p.onLevels(n-1, p.Bytes, n*(p.Ranks-n), p.Bytes)
}

// a2aSpreadTime is that of all blocks on one link, one after the other.
func a2aSpreadTime(p Problem) float64 {
	if p.Ranks == 1 {
		return 0
	}
	return p.Wire(float64(p.Ranks-1) * p.Bytes)
}

// a2aBruckTime is that of ⌈log₂ P⌉ messages, the one of 2^k with the blocks whose distance has bit k.
// Blocks are copied before and after each, and all of them before the first and after the last.
func a2aBruckTime(p Problem) (time float64) {
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
