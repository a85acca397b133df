package alphabeta_test

import (
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
)

// Rare noise, and numbers of ranks at which all do the same: what sparse play is
// for. That it is the same as by blocks is checked wherever a trial is played.
func TestSparsePlay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		K := rapid.IntRange(1, 7).Draw(t, "K")
		s, p, os, network := drawFamily(t, 1<<K, rapid.IntRange(0, 2).Draw(t, "o"))
		rare := rapid.IntRange(1, 30).Draw(t, "one of so many is struck")
		from := rapid.IntRange(0, 30).Draw(t, "from")
		for r := range os {
			if (r+from)%rare > 0 {
				os[r] = nil
			}
		}
		for i := range network {
			for r := range network[i] {
				if (i+r+from)%(3*rare) > 0 {
					network[i][r] = 0
				}
			}
		}
		if rapid.Bool().Draw(t, "hosts") {
			p.Host = drawHost(t, everyProgress...)
			p.Host.Gap = 0 // else there is no sparse play
		}
		playSchedule(t, s, p, os, network)
	})
}

// Peers that hear from a rank are those it is from.
func TestToIsTheInverseOfFrom(t *testing.T) {
	for P := 2; P <= 70; P++ {
		for by := range P {
			peers := collectives.Rotation{By: by, Ranks: P}
			for r := range P {
				if to := peers.To(r); peers.From(to) != r {
					t.Fatalf("%d ranks, by %d: rank %d sends to %d, which hears from %d", P, by, r, to, peers.From(to))
				}
			}
		}
	}
	if shift := collectives.Shift(5); shift.From(shift.To(7)) != 7 {
		t.Error("a shift's To is not the inverse of its From")
	}
}
