package results

import (
	"context"
	"fmt"
	"math"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// rare is a model whose trials take one second, and ten more if noise hits: A's with probability
// shared + own, and B's with shared + other. What is shared hits both.
type rare struct {
	shared, own, other float64
	isB                bool
}

const hit = 10

// model returns the model.
func (m rare) model() *models.Made {
	return &models.Made{
		Of: montecarlo.Shape{Checkpoints: models.Points(1), Work: 1, Memory: 1, Hit: hit}, Bound: 1,
		Quiet: []float64{1},
		Trial: func(_ context.Context, key rng.Key, times []float64) error {
			r := rng.New(key)
			shared, own, other := r.Float64() < m.shared, r.Float64() < m.own, r.Float64() < m.other
			times[0] = 1
			if shared || own && !m.isB || other && m.isB {
				times[0] += hit
			}
			return nil
		},
	}
}

// ratio returns the ratio of the means of B and of A, of infinitely many trials.
func (m rare) ratio() float64 {
	a := 1 + hit*(1-(1-m.shared)*(1-m.own))
	b := 1 + hit*(1-(1-m.shared)*(1-m.other))
	return b / a
}

// simulate runs the trials of the model under each seed. Another name gives other random numbers.
func simulate(t *testing.T, m rare, name string, trials, seeds int) []montecarlo.Decision {
	t.Helper()
	s := &montecarlo.Settings{Seed: 1, Tolerance: 0.01, Trials: montecarlo.Trials{
		Min: trials, Max: trials, Confidence: 0.95,
	}}
	field := func(seed int) montecarlo.Field {
		return montecarlo.Field{{Model: m.model(), Environment: fmt.Sprint(name, seed)}}
	}
	decisions := make([]montecarlo.Decision, seeds)
	err := montecarlo.Run(t.Context(), s, seeds, field, montecarlo.Options{
		Done: func(field int, d montecarlo.Decision) error {
			decisions[field] = d
			return nil
		},
	})
	tests.NoError(t, err)
	return decisions
}

// measures returns the columns of the summary that intervals are computed from.
func measures(d montecarlo.Decision) *config {
	s := d.Results[0].Summaries[0]
	return &config{
		trials: int32(d.Results[0].Trials), mean: s.Mean, stddev: s.StdDev, low: s.Low, high: s.High,
	}
}

// The hit that intervals of summaries account for is found in them, however often it was met.
func TestHitIsInTheInterval(t *testing.T) {
	for _, m := range []rare{{}, {shared: 0.01}, {shared: 0.3}, {own: 0.01, other: 0.9}} {
		for _, trials := range []int{2, 3, 30, 1000} {
			for seed, d := range simulate(t, m, "", trials, 20) {
				if got := hitOf(measures(d), 0.95); math.Abs(got-hit) > 1e-6*hit {
					t.Fatalf("%+v, %d trials, seed %d: a hit of %g s, want %d s", m, trials, seed, got, hit)
				}
			}
		}
	}
	if got := hitOf(&config{trials: 30, mean: 1, low: 1, high: 1}, 0.95); got != 0 {
		t.Errorf("a hit of %g s without noise", got)
	}
}

// Intervals of ratios at 95% contain the ratio for at least 93% of seeds, whether noise is
// never met, met once or often, the same in both or not; and where there is no difference at
// most 7% of the seeds tell one.
func TestIntervalsCover(t *testing.T) {
	seeds := tests.Part(500, 200)
	for _, p := range [][3]float64{
		{}, {0.001, 0, 0}, {0, 0.001, 0.001}, {0, 0.001, 0}, {0, 0, 0.001}, {0, 0.003, 0.03},
		{0.01, 0, 0.01}, {0.01, 0.01, 0}, {0, 0.03, 0.03}, {0.03, 0, 0.003}, {0, 0.3, 0.1},
		{0.3, 0, 0.1}, {0.1, 0.1, 0.1}, {0.5, 0.01, 0.01},
	} {
		m := rare{shared: p[0], own: p[1], other: p[2]}
		for _, trials := range []int{10, 30, 100, 1000} {
			if !tests.Whole() && trials > 30 {
				continue
			}
			ofB := m
			ofB.isB = true
			as, bs := simulate(t, m, "", trials, seeds), simulate(t, ofB, "", trials, seeds)
			others := simulate(t, ofB, "other ", min(1000, 3*trials), seeds)
			covered := map[string]int{}
			told := map[string]int{}
			for seed, a := range as {
				for name, r := range map[string]Ratio{
					"unpaired": unpaired(measures(a), measures(others[seed])),
					"paired": paired(a.Results[0].Completion, bs[seed].Results[0].Completion, hit, hit,
						0.95),
				} {
					if r.Low <= m.ratio()*(1+1e-12) && m.ratio() <= r.High*(1+1e-12) {
						covered[name]++
					}
					if r.Differs() {
						told[name]++
					}
				}
			}
			for _, name := range []string{"unpaired", "paired"} {
				t.Logf("%+v, %d trials, %s: %.3f cover, %.3f tell", m, trials, name,
					float64(covered[name])/float64(seeds), float64(told[name])/float64(seeds))
				if covered[name] < seeds*93/100 {
					t.Errorf("%+v, %d trials, %s: %d of %d intervals cover", m, trials, name,
						covered[name], seeds)
				}
				if math.Abs(m.ratio()-1) < 1e-12 && told[name] > seeds*7/100 {
					t.Errorf("%+v, %d trials, %s: %d of %d tell a difference that is not",
						m, trials, name, told[name], seeds)
				}
			}
		}
	}
}
