package collectives_test

import (
	"fmt"
	"slices"
	"testing"

	"jitterfly/collectives"
)

// Every algorithm is run on what it is for. A payload says how often each
// rank's contribution is in it, so that a sum that takes one twice shows.
func TestEveryRankGetsEveryContributionOnce(t *testing.T) {
	for _, algorithm := range collectives.Algorithms {
		for ranks := 1; ranks <= 70; ranks++ {
			for sources := 1; sources <= 4; sources++ {
				s, err := algorithm.Schedule(collectives.Problem{
					Ranks: ranks, Bytes: 8, Bandwidth: 1e9, MemoryBandwidth: 1e10,
					Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: sources},
				})
				if powerOfTwo := ranks&(ranks-1) == 0; algorithm.Name == "butterfly" && sources == 1 && (err == nil) != powerOfTwo {
					t.Errorf("butterfly of %d ranks: error %v", ranks, err)
				}
				if err != nil {
					continue
				}
				t.Run(fmt.Sprintf("%s/P=%d/R=%d", algorithm.Name, ranks, sources), func(t *testing.T) {
					checkPayloads(t, &s)
				})
			}
		}
	}
}

func checkPayloads(t *testing.T, s *collectives.Schedule) {
	held := make([][]int, s.Ranks)
	for r := range held {
		held[r] = make([]int, s.Ranks)
		held[r][r] = 1
	}
	result := slices.Repeat([]int{1}, s.Ranks)
	for n, round := range s.Rounds {
		next := make([][]int, s.Ranks)
		for r := range next {
			next[r] = slices.Clone(held[r])
			copied := held[round.Sources[0].Peers.From(r)]
			for m, source := range round.Sources {
				if from := source.Peers.From(r); !slices.Equal(held[from], copied) {
					t.Fatalf("round %d: rank %d gets %v from source %d and %v from the first", n, r, held[from], m, copied)
				}
			}
			switch round.Wait {
			case collectives.Needed:
				for i, times := range copied {
					next[r][i] += times
				}
			case collectives.Spare:
				if !slices.Equal(copied, result) {
					t.Fatalf("round %d: the spare copy for rank %d is %v", n, r, copied)
				}
			}
		}
		held = next
		if n+1 < s.Results[0].Rounds {
			continue
		}
		for r := range held {
			if !slices.Equal(held[r], result) {
				t.Fatalf("after round %d rank %d holds %v", n, r, held[r])
			}
		}
	}
}
