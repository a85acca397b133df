package montecarlo_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/collectives"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// Blocks whose ranks are all alike until noise touches one are played as if each rank were played for itself: to the
// last bit, whether detours begin it or messages that are held, in blocks that are whole and that are not.
func TestBlocksAlikeAreRankByRank(t *testing.T) {
	for _, name := range []string{"butterfly", "rabenseifner", "dissemination", "a2a-pairwise"} {
		algorithm, err := collectives.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int{512, 600, 1024, 1536, 2048, 4096, 5000, 1 << 14} {
			if name == "a2a-pairwise" && (ranks&(ranks-1) != 0 || ranks > 2048) {
				continue // which there is not, or takes long
			}
			for _, period := range []float64{30e-3, 1, 30} {
				t.Run(fmt.Sprintf("%s/P=%d/%g", name, ranks, period), func(t *testing.T) {
					t.Parallel()
					for variant, config := range seldom(ranks, period, algorithm) {
						rankByRank, alike := newTrials(t, config), newTrials(t, config)
						for n := range max(3, min(300, int(1<<21/rankByRank.schedule.Work()))) {
							rankByRank.play(n, func(d noise.Detours) collectives.Detours { return struct{ collectives.Detours }{d} })
							alike.play(n, func(d noise.Detours) collectives.Detours { return d })
							if diff := cmp.Diff(rankByRank.trial, alike.trial); diff != "" {
								t.Fatalf("variant %d, trial %d (-rank by rank +alike):\n%s", variant, n, diff)
							}
						}
					}
				})
			}
		}
	}
}

// seldom are configurations whose noise strikes once a period: only ranks, only messages, and both, also where ranks hear
// from two or share a node.
func seldom(ranks int, period float64, algorithm collectives.Algorithm) (configs []montecarlo.Config) {
	os, network := noise.Periodic{Period: period, Duration: 10e-6}, noise.Poisson{Interval: period, Lengths: noise.Exponential{Average: 1e-6}}
	both := reference(ranks)
	both.Algorithm, both.OS, both.Network = algorithm, os, network
	struck, held := both, both
	struck.Network, held.OS = noise.None{}, noise.Periodic{Period: 1e6 * period, Duration: 10e-6}
	nodes := both
	nodes.Problem.Node = collectives.Node{Ranks: 8, Latency: 10e-9, Bandwidth: 10e9}
	configs = append(configs, struck, held, both, nodes)
	if algorithm.Name == "butterfly" {
		twice := both
		twice.Problem.Redundancy.Sources = 2
		configs = append(configs, twice)
	}
	return configs
}
