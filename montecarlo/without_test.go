package montecarlo_test

import (
	"context"
	"math"
	"testing"
	"time"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// hand returns a model that takes a time plus the largest of two dice, and extra times another roll, of its
// own; it counts its trials, and those from the number stuck on never end, if that is not 0.
func hand(time, extra, messages float64, trials *int, stuck int) *models.Made {
	return &models.Made{
		Of: montecarlo.Shape{
			Checkpoints: []montecarlo.Checkpoint{{Messages: messages}}, Work: 1 << 12, Memory: 1, Hit: 6 + 6*extra,
		}, Bound: 1, Quiet: []float64{time},
		Trial: func(ctx context.Context, key rng.Key, times []float64) error {
			if *trials++; stuck > 0 && *trials > stuck {
				<-ctx.Done()
				return ctx.Err()
			}
			own := rng.New(key.Derive(uint64(messages)))
			err := cast(ctx, key, times)
			times[0] += time + extra*float64(own.Intn(6))
			return err
		},
	}
}

// The algorithm without redundancy is eliminated early, and gets trials before the decision; if the time is
// over before, those that are complete count.
func TestWithoutRedundancyIsPrecise(t *testing.T) {
	for _, stuck := range []int{0, 300} {
		trials := make([]int, 3)
		config := func(i int, time, extra float64, stuck int) montecarlo.Config {
			h := hand(time, extra, float64(1+i), &trials[i], stuck)
			return montecarlo.Config{Model: h, Environment: "hands", Plain: i > 0}
		}
		bare, with, rival := config(0, 100, 60, stuck), config(1, 100, 0, 0), config(2, 101.4, 0.5, 0)
		bare.Algorithm, bare.Single, with.Algorithm, rival.Algorithm, rival.Single = "a", true, "a", "b", true
		study := choosing(10, 2000, montecarlo.Field{bare, with, rival})
		options := montecarlo.Options{Workers: 1}
		if stuck > 0 {
			options.Time = time.Second
		}
		decisions := tests.Must(collect(t.Context(), t, study, options))(t)
		results, w := decisions[0].Results, decisions[0].Choice.Without
		star, got := results[1].Trials, results[0].Trials
		if stuck > 0 && star > stuck {
			star = stuck
		}
		// A roll takes 2.5 on average, and of the hand without redundancy 150 more.
		if got > star || got < star/2 || star < 200 || w.Objective < 235 || w.Objective > 270 || w.Half > 0.3 {
			t.Errorf("stuck %d: %d of %d trials, and %+v", stuck, got, star, w)
		}
		if quiet := results[0].Summaries[0].NoiseFree; !math.IsNaN(quiet) {
			t.Errorf("stuck %d: %g s without noise are simulated, and not needed", stuck, quiet)
		}
	}
}

// More trials of the algorithm without redundancy may show that another one is the baseline. Whichever
// is, its time without noise is known.
func TestBaselineIsKnownWithoutNoise(t *testing.T) {
	bases := map[int]bool{}
	for seed := range tests.Part(uint64(300), 100) {
		config := func(time, extra, messages float64, plain bool, algorithm string) montecarlo.Config {
			return montecarlo.Config{Model: hand(time, extra, messages, new(int), 0), Environment: "hands",
				Plain: plain, Single: plain, Algorithm: algorithm}
		}
		study := choosing(10, 2000, montecarlo.Field{
			config(100, 0, 2, false, "a"),
			config(100, 60, 1, true, "a"),
			config(100, 60, 3, true, "b"),
			config(101.4, 0.5, 4, false, "c"),
		})
		study.Seed = seed
		decisions := tests.Must(collect(t.Context(), t, study, montecarlo.Options{Workers: 1}))(t)
		base := decisions[0].Choice.Base.Config
		bases[base] = true
		if quiet := decisions[0].Results[base].Summaries[0].NoiseFree; math.IsNaN(quiet) {
			t.Errorf("seed %d: configuration %d is the baseline, and unknown without noise", seed, base)
		}
	}
	if len(bases) < 2 {
		t.Errorf("the baselines are %v", bases)
	}
}
