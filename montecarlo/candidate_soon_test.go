package montecarlo_test

import (
	"context"
	"fmt"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// struck returns a model whose trials take 400 s, a time of up to 100 s that is the same for all models, and
// with some probability a hit of 100 to 900 s of its own. Its trials are much work.
func struck(probability float64, name uint64) *models.Made {
	return &models.Made{
		Of: montecarlo.Shape{
			Checkpoints: []montecarlo.Checkpoint{{Messages: float64(name)}}, Work: 1e7, Hit: 900,
		},
		Bound: 400, Quiet: []float64{450},
		Trial: func(_ context.Context, key rng.Key, times []float64) error {
			all, own := rng.New(key), rng.New(key.Derive(name))
			times[0] = 400 + 100*all.Uniform()
			if own.Uniform() < probability {
				times[0] += 100 + 800*own.Uniform()
			}
			return nil
		},
	}
}

// Where trials take long, candidates are tested for being good at all: of many that are nearly good, none is
// said to be good more often than the confidence allows, and of several that are the best, one is known with
// fewer trials than for the first one.
func TestGoodIsKnownSoon(t *testing.T) {
	const seeds = 100
	const bad = 0.0105 // 500·0.0105 of 450 is 1.2%
	run := func(name string, probabilities ...float64) (wrong, trials int) {
		var fields []montecarlo.Field
		for seed := range seeds {
			var field montecarlo.Field
			for i, p := range probabilities {
				field = append(field, montecarlo.Config{
					Model: struck(p, uint64(i)), Plain: true, Environment: fmt.Sprint(name, seed),
				})
			}
			fields = append(fields, field)
		}
		decisions := tests.Must(collect(t.Context(), t, choosing(2, 1e5, fields...), montecarlo.Options{}))(t)
		for _, d := range decisions {
			x := d.Choice
			if d.Stop != montecarlo.Chosen || x.Regret > 0.01 {
				t.Fatalf("%s: known to be within %g by %v", name, x.Regret, d.Stop)
			}
			if probabilities[x.Star.Config] == bad {
				wrong++
			}
			for _, r := range d.Results {
				trials += r.Trials
			}
		}
		return wrong, trials / seeds
	}
	wrong, _ := run("one of ten", bad, bad, bad, bad, bad, bad, bad, bad, 0, bad)
	if wrong > seeds/20 {
		t.Errorf("%d of %d choices are not good", wrong, seeds)
	}
	_, trials := run("first nearly bad", 0.008, 0.008, 0.0225, 0.0225, 0.0225, 0, 0, 0)
	if trials > 9000 { // of tests of the first one that is good, 11,500
		t.Errorf("%d trials", trials)
	}
}
