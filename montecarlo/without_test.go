package montecarlo_test

import (
	"context"
	"math"
	"testing"
	"time"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// A hand takes a time plus the largest of two dice, and another roll of its own as often as is said; its
// trials from the number stuck on never end, if that is not 0.
type hand struct {
	dice
	time, extra float64
	messages    float64
	trials      *int
	stuck       int
}

func (h hand) Shape() (montecarlo.Shape, error) {
	return montecarlo.Shape{
		Checkpoints: []montecarlo.Checkpoint{{T: 0, Messages: h.messages}}, Work: 1 << 12, Memory: 1, Hit: 6 + 6*h.extra,
	}, nil
}

func (h hand) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return h, nil }

func (h hand) NoiseFree(_ context.Context, trial *montecarlo.Trial) error {
	trial.Completion[0] = h.time
	return nil
}

func (h hand) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	if err := h.dice.Run(ctx, keys, trials); err != nil {
		return err
	}
	for i, key := range keys {
		if *h.trials++; h.stuck > 0 && *h.trials > h.stuck {
			<-ctx.Done()
			return ctx.Err()
		}
		own := rng.New(key.Derive(uint64(h.messages)))
		trials[i].Completion[0] += h.time + h.extra*float64(own.Intn(6))
	}
	return nil
}

// The algorithm without redundancy is eliminated early, and gets trials before the decision; if the time is
// over before, those that are complete count.
func TestWithoutRedundancyIsPrecise(t *testing.T) {
	for _, stuck := range []int{0, 300} {
		trials := make([]int, 3)
		config := func(i int, h hand) montecarlo.Config {
			h.dice, h.trials = dice{0}, &trials[i]
			return montecarlo.Config{Model: h, Environment: "hands", Plain: i > 0}
		}
		bare, with, rival := config(0, hand{time: 100, extra: 60, messages: 1, stuck: stuck}),
			config(1, hand{time: 100, messages: 2}), config(2, hand{time: 101.4, extra: 0.5, messages: 3})
		bare.Algorithm, bare.Single, with.Algorithm, rival.Algorithm, rival.Single = "a", true, "a", "b", true
		study := &plan{
			Fields: []montecarlo.Field{{bare, with, rival}}, Seed: 1, Tolerance: 0.01,
			Trials: montecarlo.Trials{Min: 10, Max: 2000, Confidence: 0.95, Until: montecarlo.UntilChosen},
		}
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
		config := func(h hand, plain bool, algorithm string) montecarlo.Config {
			h.trials = new(int)
			return montecarlo.Config{Model: h, Environment: "hands", Plain: plain, Single: plain,
				Algorithm: algorithm}
		}
		study := &plan{
			Fields: []montecarlo.Field{{
				config(hand{time: 100, messages: 2}, false, "a"),
				config(hand{time: 100, extra: 60, messages: 1}, true, "a"),
				config(hand{time: 100, extra: 60, messages: 3}, true, "b"),
				config(hand{time: 101.4, extra: 0.5, messages: 4}, false, "c"),
			}},
			Seed: seed, Tolerance: 0.01,
			Trials: montecarlo.Trials{Min: 10, Max: 2000, Confidence: 0.95, Until: montecarlo.UntilChosen},
		}
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
