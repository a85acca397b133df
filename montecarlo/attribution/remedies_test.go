package attribution

import (
	"context"
	"math"
	"slices"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// Of two sources that cost 10 and 1, the larger is removed first; the smaller cannot be aligned
// away then without gaining less than removing it, and what gains nothing ends the search.
func TestSearchTakesTheBestFirst(t *testing.T) {
	s := Search{
		Remedies: []Remedy{{Action: Remove}, {Action: Remove, Source: 1}, {Action: Align, Source: 1},
			{Action: Redundancy}},
		Configs: func(taken []Remedy) ([]montecarlo.Config, error) {
			first, second := Remedy{Action: Remove}, Remedy{Action: Remove, Source: 1}
			time := 20 + 10*acts(taken, first) + acts(taken, second, Remedy{Action: Align, Source: 1})
			return configs(fixed(time, time-2), fixed(time-3)), nil
		},
		Seed: 1, Trials: 100, Workers: 2, Least: 0.01,
	}
	start, steps, err := s.Run(t.Context())
	tests.NoError(t, err)
	if math.Abs(start.Objective.Value-31.5) > 0.2 {
		t.Errorf("without remedies %v", start.Objective)
	}
	want := []Remedy{{Action: Remove}, {Action: Redundancy}, {Action: Remove, Source: 1}}
	for i, step := range steps {
		if i == len(want) {
			t.Fatalf("more steps: %v", step)
		}
		if step[0].Remedy != want[i] || !step[0].Gains(s.Least) {
			t.Errorf("step %d: %v", i, step[0])
		}
	}
	if len(steps) != len(want) {
		t.Errorf("%d steps", len(steps))
	}
	if got := steps[1][0]; got.Choice != (montecarlo.Candidate{Config: 1}) || math.Abs(got.Change.Value+3) > 1e-9 {
		t.Errorf("redundancy: %+v", got)
	}
}

// A remedy that can hardly be had is compared in the first step, and not taken however much it
// gains; sources are shortened until they are removed.
func TestSearchPassesOverTheHypothetical(t *testing.T) {
	s := Search{
		Remedies: []Remedy{{Action: Remove, Hypothetical: true}, {Action: Shorten, Source: 1, Factor: 0.25},
			{Action: Remove, Source: 1}},
		Configs: func(taken []Remedy) ([]montecarlo.Config, error) {
			shorter := Remedy{Action: Shorten, Source: 1, Factor: 0.25}
			large := acts(taken, Remedy{Action: Remove, Source: 1}) * (1 + 3*acts(taken, shorter))
			hypothetical := Remedy{Action: Remove, Hypothetical: true}
			return configs(fixed(20 + 10*acts(taken, hypothetical) + large)), nil
		},
		Seed: 1, Trials: 100, Workers: 2, Least: 0.01,
	}
	_, steps, err := s.Run(t.Context())
	tests.NoError(t, err)
	var order []Remedy
	for _, o := range steps[0] {
		order = append(order, o.Remedy)
	}
	if want := []Remedy{s.Remedies[2], s.Remedies[1], s.Remedies[0]}; !slices.Equal(order, want) {
		t.Errorf("the first step has %v, not %v", order, want)
	}
	if change := steps[0][2].Change.Value; math.Abs(change+10) > 1e-9 || len(steps) != 1 {
		t.Errorf("the hypothetical remedy changes %g; %d steps", change, len(steps))
	}
}

// Where all candidates are alike the best of many looks better than it is: times of the other half
// do not.
func TestOutcomeDoesNotFlatter(t *testing.T) {
	s := Search{
		Remedies: []Remedy{{Action: Redundancy}},
		Configs: func([]Remedy) ([]montecarlo.Config, error) {
			var all []*models.Made
			for i := range 40 {
				all = append(all, noisy(i))
			}
			return configs(all...), nil
		},
		Seed: 1, Trials: 400, Workers: 2, Least: 0.001,
	}
	_, steps, err := s.Run(t.Context())
	tests.NoError(t, err)
	if o := steps[0][0]; math.Abs(o.Objective.Value-1.5) > 2*o.Objective.Half || o.Gains(s.Least) {
		t.Errorf("%+v", o)
	}
}

// acts returns 1 if none of the remedies that stop a source is taken, else 0.
func acts(taken []Remedy, remedies ...Remedy) float64 {
	if slices.ContainsFunc(taken, func(r Remedy) bool { return slices.Contains(remedies, r) }) {
		return 0
	}
	return 1
}

func configs(of ...*models.Made) (all []montecarlo.Config) {
	for _, m := range of {
		all = append(all, montecarlo.Config{Model: m})
	}
	return all
}

// fixed returns a model that has a time at each checkpoint, and the same noise at all.
func fixed(all ...float64) *models.Made {
	return &models.Made{Of: montecarlo.Shape{Checkpoints: models.Points(len(all))},
		Trial: func(_ context.Context, key rng.Key, times []float64) error {
			for k, t := range all {
				times[k] = t + key.Uniform(0)
			}
			return nil
		}}
}

// noisy returns a model that has times between 1 and 2, its own ones.
func noisy(number int) *models.Made {
	return &models.Made{Of: montecarlo.Shape{Checkpoints: models.Points(1)},
		Trial: func(_ context.Context, key rng.Key, times []float64) error {
			times[0] = 1 + key.Uniform(number)
			return nil
		}}
}
