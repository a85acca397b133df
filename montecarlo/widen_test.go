package montecarlo_test

import (
	"context"
	"slices"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// ladder returns a model whose trials take times[T], and the same work for each T beside that of the launch.
func ladder(times []float64, launch, each float64) *models.Made {
	m := &models.Made{
		Of:    montecarlo.Shape{Work: launch + each*float64(len(times)), Hit: 0.01, Memory: 1, Checkpoints: models.Points(len(times))},
		Bound: 0.01, Quiet: times,
		Trial: func(_ context.Context, _ rng.Key, completion []float64) error { copy(completion, times); return nil },
	}
	for T := range times {
		m.Of.Checkpoints[T].Messages++
	}
	return m
}

// Of what does not help no more is compared, and of what helps as much as does, from few trials.
func TestWhatHelpsIsExtended(t *testing.T) {
	flat, falls := []float64{2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7}, []float64{2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3}
	for _, c := range []struct {
		name     string
		models   [][]float64
		star     montecarlo.Candidate
		compared []int // redundancies of each
		launch   float64
	}{
		{"nothing helps", [][]float64{flat, flat, flat}, montecarlo.Candidate{}, []int{2, 2, 0}, 0},
		{"copies", [][]float64{flat, falls, flat}, montecarlo.Candidate{Config: 1, T: 7}, []int{2, 8, 2}, 0},
		{"sources", [][]float64{flat, {1.9, 2}, {1.5, 1.6}}, montecarlo.Candidate{Config: 2}, []int{2, 2, 2}, 0},
		{"sources that gain little", [][]float64{flat, {1.996, 2}, {1.5, 1.6}}, montecarlo.Candidate{}, []int{2, 2, 0}, 0},
		{"far behind", [][]float64{{0.5, 0.6}, falls, flat}, montecarlo.Candidate{}, []int{2, 2, 0}, 0},
		{"long launch", [][]float64{flat, falls, flat}, montecarlo.Candidate{Config: 1, T: 7}, []int{4, 8, 4}, 1e6},
	} {
		t.Run(c.name, func(t *testing.T) {
			var field montecarlo.Field
			each := max(1, 0.03*c.launch)
			for _, times := range c.models {
				field = append(field, montecarlo.Config{Model: ladder(times, c.launch, each), Plain: true,
					Upto: func(redundancy int) montecarlo.Model {
						return ladder(times[:min(len(times), redundancy+1)], c.launch, each)
					}})
			}
			field[2].Plain = false
			field[2].After = []montecarlo.Gain{{Of: 1, Over: 0}}
			var standing montecarlo.Standing
			decisions := tests.Must(collect(t.Context(), t, choosing(2, 100, field),
				montecarlo.Options{Standing: func(_ int, s montecarlo.Standing) { standing = s }}))(t)
			if standing.Compared < 2 || standing.Left > standing.Compared || !(standing.Regret > 0.01) {
				t.Errorf("after the first trial %+v is known", standing)
			}
			var compared []int
			for _, r := range decisions[0].Results {
				compared = append(compared, len(r.Checkpoints))
			}
			d := decisions[0]
			if d.Choice.Star != c.star || !slices.Equal(compared, c.compared) || d.Stop != montecarlo.Chosen ||
				d.Results[c.star.Config].Trials > 8 {
				t.Errorf("chose %+v of %d redundancies by %v after %d trials, want %+v of %d", d.Choice.Star,
					compared, d.Stop, d.Results[d.Choice.Star.Config].Trials, c.star, c.compared)
			}
		})
	}
}

// Where trials are much work they end when the choice is known, and else at the next of few analyses.
func TestMuchWorkEndsWhenKnown(t *testing.T) {
	trials := func(work float64) int {
		field := montecarlo.Field{
			{Model: ladder([]float64{2}, work, 0), Plain: true}, {Model: ladder([]float64{2.04}, work, 0)},
		}
		for i := range field {
			field[i].Model.(*models.Made).Of.Hit = 2
		}
		d := tests.Must(collect(t.Context(), t, choosing(2, 1e4, field), montecarlo.Options{Workers: 1}))(t)[0]
		if d.Stop != montecarlo.Chosen || d.Choice.Star != (montecarlo.Candidate{}) {
			t.Errorf("chose %+v by %v", d.Choice.Star, d.Stop)
		}
		return d.Results[0].Trials
	}
	little, much := trials(1), trials(1e8)
	if much >= little || much < little/2 {
		t.Errorf("%d trials of much work, %d of little", much, little)
	}
}
