package collectives_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/noise"
)

func TestGatherIsFrom(t *testing.T) {
	for ranks := 1; ranks <= 4096; ranks *= 2 {
		clock := make([]float64, ranks)
		for r := range clock {
			clock[r] = float64(r)
		}
		for mask := range ranks {
			peers := collectives.Xor(mask)
			for lo := 0; lo < ranks; lo += noise.Block {
				got := make([]float64, min(noise.Block, ranks-lo))
				peers.Gather(got, clock, lo)
				for i, from := range got {
					if want := (lo + i) ^ mask; int(from) != want || peers.From(lo+i) != want {
						t.Fatalf("%d ranks, mask %d: rank %d hears from %g by Gather, %d by From; want %d",
							ranks, mask, lo+i, from, peers.From(lo+i), want)
					}
				}
			}
		}
	}
}

// Gather is From for the patterns of any number of ranks, over parts of blocks.
func TestGatherIsFromForAnyRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(2, 5000).Draw(t, "P")
		clock := make([]float64, ranks)
		for r := range clock {
			clock[r] = float64(r)
		}
		lo := rapid.IntRange(0, ranks-1).Draw(t, "lo")
		hi := rapid.IntRange(lo+1, min(ranks, (lo/noise.Block+1)*noise.Block)).Draw(t, "hi")
		peers := map[string]collectives.Peers{
			"rotation": collectives.Rotation{By: rapid.IntRange(0, ranks).Draw(t, "by"), Ranks: ranks},
			"shift":    collectives.Shift(rapid.IntRange(-lo, ranks-hi).Draw(t, "shift")),
		}
		size := rapid.IntRange(1, 20).Draw(t, "ranks of a node")
		if count := ranks / size; count > 0 && hi <= count*size {
			node, place := rapid.IntRange(0, count-1).Draw(t, "node"), rapid.IntRange(0, size-1).Draw(t,
				"place")
			peers["levels"] = collectives.Offset{Sides: []int{size, count}, By: []int{place, node}}
		}
		half := 1 << (bits.Len(uint(ranks)) - 1)
		if hi <= half {
			peers["xor"] = collectives.Xor(rapid.IntRange(0, half-1).Draw(t, "mask"))
		}
		for name, p := range peers {
			got := make([]float64, hi-lo)
			p.Gather(got, clock, lo)
			for i, from := range got {
				if int(from) != p.From(lo+i) {
					t.Fatalf("%s: rank %d hears from %g by Gather, %d by From", name, lo+i, from, p.From(lo+i))
				}
				inside, outside := p.Nodes(size)
				if same := int(from)/size == (lo+i)/size; same && outside || !same && inside {
					t.Fatalf("%s: rank %d hears from rank %d; nodes of %d say inside %v, outside %v", name, lo+i,
						int(from), size, inside, outside)
				}
			}
		}
	})
}

// In every round of every algorithm, To is the inverse of From: it returns the receiver of each
// sender, and for a rank that sends to nobody, or to several, itself or a rank that does not receive.
func TestToIsTheInverseOfFrom(t *testing.T) {
	kinds := map[string]bool{}
	for _, a := range collectives.Algorithms {
		seen := 0
		for ranks := 1; ranks <= 40; ranks++ {
			for _, size := range []int{1, 2, 3, 4} {
				for sources := 1; sources <= 3; sources++ {
					s, err := a.Schedule(onNodes(ranks, size, sources))
					if err != nil {
						continue
					}
					seen++
					for n := range s.Rounds {
						for _, source := range s.Rounds[n].Sources {
							kinds[fmt.Sprintf("%T", source.Peers)] = true
							if r, ok := isInverse(s.Ranks, &s.Rounds[n], source.Peers); !ok {
								t.Fatalf("%s, %d ranks, %d on a node, R = %d, round %d: %T: rank %d sends to %d",
									a.Name, ranks, size, sources, n, source.Peers, r, source.Peers.To(r))
							}
						}
					}
				}
			}
		}
		if seen < 8 {
			t.Errorf("%s: only %d schedules", a.Name, seen)
		}
	}
	if len(kinds) < 7 {
		t.Errorf("only these peers are tested: %v", kinds)
	}
}

// onNodes returns a problem for any algorithm: on a mesh, with targets, and with two leaders on
// nodes that have as many ranks.
func onNodes(ranks, size, sources int) collectives.Problem {
	return collectives.Problem{
		Ranks: ranks, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10, Sides: []int{1, ranks},
		Node: collectives.Node{Ranks: size, Bandwidth: 1e10}, Leaders: min(2, size, ranks), Share: true,
		Targets:    collectives.RandomRing(ranks, rand.New(rand.NewPCG(1, 1)).Shuffle),
		Messages:   2,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: sources},
	}
}

// isInverse reports whether To is the inverse of From in a round, or returns a rank for which it is
// not. In [collectives.Memory] nobody sends.
func isInverse(ranks int, round *collectives.Round, p collectives.Peers) (rank int, ok bool) {
	const nobody, several = -1, -2
	receivers := round.Receivers
	to := slices.Repeat([]int{nobody}, ranks)
	for r := receivers.Lo; r < receivers.Hi && round.Medium != collectives.Memory; r++ {
		from := p.From(r)
		switch {
		case from == r:
		case to[from] == nobody:
			to[from] = r
		default:
			to[from] = several
		}
	}
	for r, want := range to {
		got := p.To(r)
		receives := got >= receivers.Lo && got < receivers.Hi && got != r
		if want >= 0 && got != want || want < 0 && receives {
			return r, false
		}
	}
	return 0, true
}
