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
	f := floored{ladder([]float64{1}, 0, 1)}
	f.Of.Work, f.Of.Hit = work, 1
	f.Trial = func(_ context.Context, key rng.Key, times []float64) error {
		times[0] = 1 + key.Uniform(0) + above
		return nil
	}
	return f
}

func (floored) Floor() montecarlo.Model { return newFloored(1, 0).Made }

// What is near the floor is good without trials of others that take long, and what is not near is compared
// with them, in as few trials as each needs.
func TestFloorStandsForOthers(t *testing.T) {
	for _, c := range []struct {
		name        string
		tolerance   float64
		above, work []float64 // of the candidates; each sends more messages than those before it
		star        int
		most        []int // trials, 0 where any number will do
	}{
		{"near", 0.05, []float64{0.01, 0.001}, []float64{1, 1e9}, 0, []int{0, 3}},
		{"not near", 0.05, []float64{0.5, 0.001}, []float64{1, 1e9}, 1, []int{0, 0}},
		{"near, but more work than to compare", 0.05, []float64{0.07, 0.071}, []float64{1e7, 1e7}, 0, []int{150, 150}},
		{"a smaller one takes long", 0.05, []float64{0.04, 0.01}, []float64{1e9, 1}, 1, []int{3, 500}},
		{"near at a wide tolerance", 0.01, []float64{0.07, 0.05, 1}, []float64{1, 2, 1e9}, 1, []int{0, 0, 16}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var field montecarlo.Field
			for i, above := range c.above {
				f := newFloored(c.work[i], above)
				f.Of.Checkpoints[0].Messages = float64(i)
				field = append(field, montecarlo.Config{Model: f, Plain: i == c.star})
			}
			s := choosing(2, 5000, field)
			s.Tolerance = c.tolerance
			d := tests.Must(collect(t.Context(), t, s, montecarlo.Options{}))(t)[0]
			if d.Choice.Star.Config != c.star || d.Stop != montecarlo.Chosen || d.Choice.Regret > c.tolerance {
				t.Errorf("chose %d by %v, at most %g above the best", d.Choice.Star.Config, d.Stop, d.Choice.Regret)
			}
			for i, r := range d.Results {
				if c.most[i] > 0 && r.Trials > c.most[i] {
					t.Errorf("%d trials of %d, want at most %d", r.Trials, i, c.most[i])
				}
			}
		})
	}
}
