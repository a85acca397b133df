package montecarlo_test

import (
	"context"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// A floored model takes above [s] longer than a time that its noise draws, which is its floor.
type floored struct {
	ladder
	work, above float64
	isFloor     bool
}

func (f floored) Shape() (montecarlo.Shape, error) {
	shape, err := f.ladder.Shape()
	shape.Work, shape.Hit = f.work, 1
	return shape, err
}

func (f floored) Floor() montecarlo.Model {
	return floored{ladder: ladder{[]float64{0}}, work: 1, isFloor: true}
}

func (f floored) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return f, nil }

func (f floored) Run(_ context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		for T := range trials[i].Completion {
			trials[i].Completion[T] = 1 + key.Uniform(0) + f.above
		}
	}
	return nil
}

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
			for i, f := range []floored{{work: 1, above: c.above}, {work: c.work, above: 0.001}} {
				f.ladder = ladder{[]float64{1}}
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
