package montecarlo_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/collectives"
	"jitterfly/noise"
)

// Rounds that are played several at once are what they are one by one, where detours do not tell
// their gaps: to the last bit, in one block and in several tiles, under noise that is rare and that is not.
func TestRoundsAtOnceAreOneByOne(t *testing.T) {
	for _, ranks := range []int{8, 16, 128, 1024, 2048, 4096, 1 << 15, 1 << 17} {
		for _, wire := range []float64{10e-9, 100e-9, 3e-6, 40e-6} {
			for _, variant := range []struct {
				name     string
				launch   noise.Launch
				shared   int
				duration float64
				interval float64
				held     float64
			}{
				{"quiet", noise.Quiet, 1, 10e-6, 1e-3, 10e-6},
				{"stationary", noise.Stationary, 1, 300e-6, 100e-3, 10e-6},
				{"nodes", noise.Quiet, 48, 10e-6, 10e-3, 10e-6},
				{"half", noise.Stationary, 3, 500e-6, 1, 10e-6},
				{"late", noise.Quiet, 1, 1e-6, 1e-3, 100e-6}, // for longer than is known of detours
			} {
				t.Run(fmt.Sprintf("P=%d/%g/%s", ranks, wire, variant.name), func(t *testing.T) {
					t.Parallel()
					config := reference(ranks)
					config.Problem.Latency = wire
					config.OS = noise.Periodic{Period: 1e-3, Duration: variant.duration, Launch: variant.launch, Shared: variant.shared}
					config.Network = noise.Poisson{Interval: variant.interval, Lengths: noise.Exponential{Average: variant.held}}
					one, once := newTrials(t, config), newTrials(t, config)
					for n := range max(2, min(100, 1<<18/ranks)) {
						one.play(n, func(d noise.Detours) collectives.Detours { return struct{ collectives.Detours }{d} })
						once.play(n, func(d noise.Detours) collectives.Detours { return d })
						if diff := cmp.Diff(one.trial, once.trial); diff != "" {
							t.Fatalf("trial %d (-one by one +at once):\n%s", n, diff)
						}
					}
				})
			}
		}
	}
}
