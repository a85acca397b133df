package montecarlo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// BenchmarkChoose takes one deployment from nothing to a choice with 95% confidence within
// 1%, on all cores.
func BenchmarkChoose(b *testing.B) {
	for _, log2 := range []int{7, 10, 14} {
		b.Run(fmt.Sprintf("P=2^%d", log2), func(b *testing.B) {
			s := choosing(100, 1_000_000, field(deployment(1<<log2)...))
			for b.Loop() {
				s.Seed++
				err := simulate(context.Background(), s,
					montecarlo.Options{Done: func(_ int, d montecarlo.Decision) error {
						if d.Stop != montecarlo.Chosen {
							b.Errorf("stopped by %v", d.Stop)
						}
						return nil
					}})
				tests.NoError(b, err)
			}
		})
	}
}

// BenchmarkDefaultStudy takes the 64 configurations of the paper from nothing to choices
// that are good with 95% confidence, on all cores.
func BenchmarkDefaultStudy(b *testing.B) {
	trials := 0
	for b.Loop() {
		s, _ := defaultStudy()
		err := simulate(context.Background(), s, montecarlo.Options{
			Done: func(_ int, d montecarlo.Decision) error {
				trials += d.Results[0].Trials
				return nil
			},
		})
		tests.NoError(b, err)
	}
	b.ReportMetric(float64(trials)/float64(b.N), "trials/op")
}

// BenchmarkWorkers simulates sixty-four trials of ten messages a node around a random ring
// on full fat trees, under both noises, on GOMAXPROCS workers: with -cpu 1,2,4 the
// times say what more cores are worth.
func BenchmarkWorkers(b *testing.B) {
	for _, tree := range []string{"fat-tree:8x8x16", "fat-tree:12x12x24", "fat-tree:16x16x32"} {
		b.Run(tree, func(b *testing.B) {
			f := &flow.Network{}
			var err error
			if f.Topology, err = network.ParseTopology(tree); err != nil {
				b.Fatal(err)
			}
			config := reference(f.Topology.Nodes())
			f.Schedule, err = collectives.Permutation(collectives.Problem{
				Ranks: f.Topology.Nodes(), Bytes: 64 << 10, Bandwidth: 1e9, Messages: 10,
				Targets:    collectives.RandomRing(f.Topology.Nodes(), rand.New(rand.NewPCG(1, 2)).Shuffle),
				Redundancy: collectives.Redundancy{Sources: 1},
			})
			tests.NoError(b, err)
			f.Bandwidth, f.Latency, config.Flows = 1e9, 1e-6, f
			s := equally(64, field(config))
			done := func(int, montecarlo.Decision) error { return nil }
			for b.Loop() {
				tests.NoError(b, simulate(context.Background(), s, montecarlo.Options{Done: done}))
			}
		})
	}
}
