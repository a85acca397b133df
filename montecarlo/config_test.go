package montecarlo_test

import (
	"fmt"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// late has one rank, the last, start a second late, and no other noise.
type late struct {
	noise.None
	rank int
}

func (l late) Detours([]float64) noise.Detours { return &lateDetours{rank: l.rank} }

type lateDetours struct{ rank, ranks int }

func (d *lateDetours) Draw(ranks int, _ rng.Key) { d.ranks = ranks }

func (d *lateDetours) Finish(_ noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		if (lo+i)%d.ranks == d.rank {
			t[i] = max(t[i], 1)
		}
		t[i] += work
	}
}

// What the last rank contributes crosses the network if there is another node.
func TestLowerBoundIsAHopAfterTheLatestStart(t *testing.T) {
	for _, c := range []struct {
		ranks, perNode int
		inside         bool
	}{
		{2, 0, false}, {2, 1, false}, {8, 1, false}, {8, 2, false}, {8, 7, false},
		{2, 2, true}, {8, 8, true}, {8, 100, true}, {5, 5, true}, {6, 5, false},
	} {
		t.Run(fmt.Sprintf("%d ranks, %d per node", c.ranks, c.perNode), func(t *testing.T) {
			config := reference(c.ranks)
			config.OS, config.Network = late{rank: c.ranks - 1}, noise.None{}
			p := &config.Problem
			p.Node = collectives.Node{Ranks: c.perNode, Latency: 1e-8, Bandwidth: 1e10}
			want := 1 + p.Wire(p.Bytes) + p.Combine(p.Bytes)
			if c.inside {
				want = 1 + p.Node.Wire(p.Bytes) + p.Combine(p.Bytes)
			}
			r, _ := run(t, 2, config)
			for T, s := range r.Summaries {
				if math.Abs(s.LowerBound-want) > 1e-12 || s.LowerBound > quantile(s, 0) {
					t.Errorf("T = %d: lower bound 1 s + %g s, want 1 s + %g s; least time 1 s + %g s", T,
						s.LowerBound-1, want-1, quantile(s, 0)-1)
				}
			}
		})
	}
}
