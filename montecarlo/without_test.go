package montecarlo_test

import (
	"context"
	"testing"
	"time"

	"jitterfly/internal/rng"
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
		own := rng.New(key.Derive(1))
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
		decisions, err := collect(t.Context(), t, study, options)
		if err != nil {
			t.Fatal(err)
		}
		results, w := decisions[0].Results, decisions[0].Choice.Without
		star, got := results[1].Trials, results[0].Trials
		if stuck > 0 && star > stuck {
			star = stuck
		}
		// A roll takes 2.5 on average, and of the hand without redundancy 150 more.
		if got > star || got < star/2 || star < 200 || w.Objective < 235 || w.Objective > 270 || w.Half > 0.3 {
			t.Errorf("stuck %d: %d of %d trials, and %+v", stuck, got, star, w)
		}
	}
}
