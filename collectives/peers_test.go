package collectives_test

import (
	"math/bits"
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
			peers["levels"] = collectives.Levels{Node: node, Place: place, Count: count, Size: size}
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

// Peers that hear from a rank are those it is from.
func TestToIsTheInverseOfFrom(t *testing.T) {
	for P := 2; P <= 70; P++ {
		for by := range P {
			peers := collectives.Rotation{By: by, Ranks: P}
			for r := range P {
				if to := peers.To(r); peers.From(to) != r {
					t.Fatalf("%d ranks, by %d: rank %d sends to %d, which hears from %d", P, by, r, to,
						peers.From(to))
				}
			}
		}
	}
	if shift := collectives.Shift(5); shift.From(shift.To(7)) != 7 {
		t.Error("a shift's To is not the inverse of its From")
	}
}
