package montecarlo_test

import (
	"fmt"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/noise"
)

// Of few ranks several trials are played at a time, from the same random numbers as one
// by one.
func TestTrialsBesideOthersDrawTheirOwnNoise(t *testing.T) {
	const played = 75
	for _, ranks := range []int{2, 16, 128, 512, 1024} {
		for _, wire := range []float64{100e-9, 30e-6, 400e-6} { // few events, some, and all windows of phases
			for _, variant := range []struct {
				name      string
				launch    noise.Launch
				shared    int
				reception collectives.Reception
				lengths   noise.Length
			}{
				{"quiet", noise.Quiet, 1, collectives.Offload, noise.Constant(10e-6)},
				{"stationary", noise.Stationary, 1, collectives.CPU, noise.Exponential{Average: 10e-6}},
				{"nodes", noise.Quiet, 48, collectives.Offload, noise.Constant(10e-6)},
			} {
				t.Run(fmt.Sprintf("P=%d/%g/%s", ranks, wire, variant.name), func(t *testing.T) {
					config := reference(ranks)
					config.Problem.Latency, config.Problem.Redundancy.Reception = wire, variant.reception
					config.OS = noise.Periodic{Period: 1e-3, Duration: 10e-6, Launch: variant.launch, Shared: variant.shared}
					config.Network = noise.Poisson{Interval: 1e-3, Lengths: variant.lengths}
					got, _ := run(t, played, config)

					alone := newTrials(t, config)
					for n := range played {
						alone.play(n, func(d noise.Detours) collectives.Detours { return d })
						want := alone.trial.Completion
						if beside := got.Completion[n*len(want):][:len(want)]; !slices.Equal(beside, want) {
							t.Fatalf("trial %d completes at %v, alone at %v", n, beside, want)
						}
					}
				})
			}
		}
	}
}
