package montecarlo_test

import (
	"context"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// A floored model takes above [s] longer than a time that its noise draws, which is its floor.
type floored struct{ *models.Made }

func newFloored(work, above float64) floored {
	f := floored{ladder([]float64{1})}
	f.Of.Work, f.Of.Hit = work, 1
	f.Trial = func(_ context.Context, key rng.Key, times []float64) error {
		times[0] = 1 + key.Uniform(0) + above
		return nil
	}
	return f
}

func (floored) Floor() montecarlo.Model { return newFloored(1, 0).Made }

// What is near the floor is good without trials of others that take long, and what is not near is compared
// with them.
func TestFloorStandsForOthers(t *testing.T) {
	for _, c := range []struct {
		name        string
		above, work float64
		star        int
		few         bool // trials of the other
	}{
		{"near", 0.01, 1e9, 0, true},
		{"trials take no time", 0.01, 1, 0, false},
		{"not near", 0.5, 1e9, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var field montecarlo.Field
			for i, f := range []floored{newFloored(1, c.above), newFloored(c.work, 0.001)} {
				field = append(field, montecarlo.Config{Model: f, Plain: i == 0})
			}
			decisions := tests.Must(collect(t.Context(), t, &plan{
				Fields: []montecarlo.Field{field}, Tolerance: 0.05,
				Trials: montecarlo.Trials{Min: 2, Max: 5000, Until: montecarlo.UntilChosen, Confidence: 0.95},
			}, montecarlo.Options{}))(t)
			d := decisions[0]
			other := d.Results[1].Trials
			if d.Choice.Star.Config != c.star || d.Stop != montecarlo.Chosen || d.Choice.Regret > 0.05 ||
				(other < 20) != c.few {
				t.Errorf("chose %d by %v, at most %g above the best, after %d trials of the other",
					d.Choice.Star.Config, d.Stop, d.Choice.Regret, other)
			}
		})
	}
}
