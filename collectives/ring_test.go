package collectives_test

import (
	"fmt"
	"math"
	"testing"

	"jitterfly/collectives"
)

func TestRingBounds(t *testing.T) {
	for _, c := range []struct {
		ranks, segments int
		refused         bool
	}{
		{8, 0, false}, {8, 1, false}, {8, 1 << 15, false}, {8, 1<<15 + 1, true}, {8, math.MaxInt, true},
		{1 << 18, 1, false}, {1<<18 + 1, 1, true}, {1 << 18, 2, true}, {3, 87381, false},
		{3, 87382, true},
	} {
		t.Run(fmt.Sprintf("P=%d S=%d", c.ranks, c.segments), func(t *testing.T) {
			s, err := collectives.Ring(collectives.Problem{
				Ranks: c.ranks, Segments: c.segments, Redundancy: collectives.Redundancy{Sources: 1},
			})
			if (err != nil) != c.refused {
				t.Errorf("error %v, want one: %t", err, c.refused)
			}
			for _, r := range s.Rounds {
				if want := max(0, c.segments-1); r.Lag != want {
					t.Fatalf("a round lags %d, want %d", r.Lag, want)
				}
			}
		})
	}
}
