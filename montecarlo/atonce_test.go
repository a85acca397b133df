package montecarlo_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Rounds that are played several at once are what they are one by one, where detours do not tell
// their gaps: to the last bit, in one block and in several tiles, under noise that is rare and that is not.
func TestRoundsAtOnceAreOneByOne(t *testing.T) {
	for _, ranks := range []int{8, 16, 128, 1024, 4096, 1 << 15, 1 << 17} {
		for _, wire := range []float64{10e-9, 100e-9, 3e-6, 40e-6} {
			for _, variant := range []struct {
				name     string
				launch   noise.Launch
				shared   int
				duration float64
				interval float64
			}{
				{"quiet", noise.Quiet, 1, 10e-6, 1e-3},
				{"stationary", noise.Stationary, 1, 300e-6, 100e-3},
				{"nodes", noise.Quiet, 48, 10e-6, 10e-3},
				{"half", noise.Stationary, 3, 500e-6, 1},
			} {
				t.Run(fmt.Sprintf("P=%d/%g/%s", ranks, wire, variant.name), func(t *testing.T) {
					t.Parallel()
					config := reference(ranks)
					config.Problem.Latency = wire
					config.OS = noise.Periodic{Period: 1e-3, Duration: variant.duration, Launch: variant.launch, Shared: variant.shared}
					config.Network = noise.Poisson{Interval: variant.interval, Lengths: noise.Exponential{Average: 10e-6}}
					schedule, err := config.Algorithm.Schedule(config.Problem)
					if err != nil {
						t.Fatal(err)
					}
					detours, delays := config.OS.Detours(make([]float64, ranks)), config.Network.Delays()
					timeline := collectives.NewTimeline(ranks)
					for n := range max(2, min(100, 1<<16/ranks)) {
						play := func(os collectives.Detours) collectives.Trial {
							key := rng.NewKey(1, config.Environment).Derive(uint64(n))
							detours.Draw(key)
							delays.Draw(key)
							trial := collectives.Trial{Completion: make([]float64, len(schedule.Results))}
							if err := timeline.Play(context.Background(), &schedule, config.Problem, os, delays, &trial); err != nil {
								t.Fatal(err)
							}
							return trial
						}
						if diff := cmp.Diff(play(struct{ collectives.Detours }{detours}), play(detours)); diff != "" {
							t.Fatalf("trial %d (-one by one +at once):\n%s", n, diff)
						}
					}
				})
			}
		}
	}
}
