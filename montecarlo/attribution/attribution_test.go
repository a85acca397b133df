package attribution

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
)

// Shares sum to the total, sources that are alike have equal shares, one that changes nothing has
// none, and with one source all three costs are the total.
func TestAxiomsOfShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		v := rapid.SliceOfN(rapid.Float64Range(0, 1), 1<<n, 1<<n).Draw(t, "v")
		sum := 0.0
		for i := range n {
			sum += Shapley(n, i, v)
		}
		if total := v[All(n)] - v[0]; math.Abs(sum-total) > 1e-12 {
			t.Fatalf("shares sum to %g, not %g", sum, total)
		}
		if n == 1 {
			c := Exact(1, [][]float64{{v[0], v[0]}, {v[1], v[1]}}, Statistic{})
			if e := c.Each[0]; e.Alone != e.Removed || e.Alone != e.Share || e.Share != c.Total {
				t.Fatalf("of one source %v, in all %v", e, c.Total)
			}
			return
		}
		alike := make([]float64, len(v)) // in which sources 0 and 1 are alike, and 0 is no cost of none
		idle := make([]float64, len(v))
		for s := range v {
			set := Set(s)
			alike[s] = v[set] + v[set&^3|set>>1&1|set&1<<1]
			idle[s] = v[set.Without(0)]
		}
		if a, b := Shapley(n, 0, alike), Shapley(n, 1, alike); math.Abs(a-b) > 1e-12 {
			t.Fatalf("sources that are alike have %g and %g", a, b)
		}
		if share := Shapley(n, 0, idle); share != 0 {
			t.Fatalf("a source that changes nothing has %g", share)
		}
	})
}

// The game of three musicians of Shapley values' textbooks: two of source 0 and any other are worth
// 1, so that shares are 2/3, 1/6 and 1/6.
func TestSharesOfAKnownGame(t *testing.T) {
	v := make([]float64, 8)
	for s := range v {
		if set := Set(s); set.Has(0) && (set.Has(1) || set.Has(2)) {
			v[s] = 1
		}
	}
	for i, want := range []float64{2. / 3, 1. / 6, 1. / 6} {
		if got := Shapley(3, i, v); math.Abs(got-want) > 1e-15 {
			t.Errorf("source %d has %g, not %g", i, got, want)
		}
	}
}

// The interval of a mean is the normal one, and the quantile's is about what theory has; columns
// that have everything in common differ by exactly what was added.
func TestEstimates(t *testing.T) {
	const n = 2000
	sample, shifted := make([]float64, n), make([]float64, n)
	for j := range sample {
		sample[j] = -math.Log((float64(j) + 0.5) / n) // exponential, by its quantiles
		shifted[j] = sample[j] + 3
	}
	samples := [][]float64{sample, shifted}
	keep := func(v []float64) []float64 { return []float64{v[0], v[1] - v[0]} }
	mean := Estimates(samples, Statistic{}, keep)
	if want := 1.96 / math.Sqrt(n); math.Abs(mean[0].Half/want-1) > 0.2 || math.Abs(mean[0].Value-1) > 1e-3 {
		t.Errorf("mean %v, not 1 ± %g", mean[0], want)
	}
	got := Estimates(samples, Statistic{}, slices.Clone[[]float64])
	if math.Abs(got[0].Value-mean[0].Value) > 1e-12 {
		t.Errorf("the objective itself %v, not %v", got[0], mean[0])
	}
	if math.Abs(mean[1].Value-3) > 1e-9 || mean[1].Half > 1e-9 {
		t.Errorf("difference %v, not 3", mean[1])
	}
	median := Estimates(samples, Statistic{P: 0.5}, keep)
	if math.Abs(median[0].Value-math.Ln2) > 1e-3 || median[0].Half < 0.5*1.96/math.Sqrt(n) ||
		median[0].Half > 2*1.96/math.Sqrt(n) {
		t.Errorf("median %v, not ln 2 ± %g", median[0], 1.96/math.Sqrt(n))
	}
}

// In one collective random orders find the shares that all subsets have: here the time is a sum of
// what each source costs and of what pairs of neighbours cost together.
func TestOrdersAgreeWithSubsets(t *testing.T) {
	const n, trials = 7, 64
	exact := Game{Sources: n, Config: func(s Set) (montecarlo.Config, error) {
		return montecarlo.Config{Model: sums(s)}, nil
	}, Seed: 1}
	tests.NoError(t, exact.Run(t.Context(), trials, 2))
	want := exact.Costs(0, Statistic{})
	random := Game{Sources: n, Config: exact.Config, Seed: 1}
	tests.NoError(t, random.runOrders(t.Context(), trials, 3))
	got := costs(n, random.random[0], Statistic{}, slices.Clone)
	for i := range n {
		if got, want := got.Each[i], want.Each[i]; math.Abs(got.Share.Value-want.Share.Value) > 1e-9 ||
			math.Abs(got.Alone.Value-want.Alone.Value) > 1e-9 ||
			math.Abs(got.Removed.Value-want.Removed.Value) > 1e-9 {
			t.Errorf("source %d: %v, not %v", i, got, want)
		}
	}
	if math.Abs(got.Total.Value-want.Total.Value) > 1e-9 || math.Abs(got.Lead.Value-want.Lead.Value) > 1e-9 {
		t.Errorf("%v, not %v", got, want)
	}
}

// The same trials come out for every number of workers, and in steps.
func TestExtendDoesNotDependOnWorkers(t *testing.T) {
	config := montecarlo.Config{Model: sums(5), First: 7}
	once, steps := &Series{Config: config}, &Series{Config: config}
	tests.NoError(t, Extend(t.Context(), 2, []*Series{once}, 100, 1))
	for _, trials := range []int{2, 40, 100} {
		tests.NoError(t, Extend(t.Context(), 2, []*Series{steps}, trials, 3))
	}
	if diff := tests.Diff(once.Times(0), steps.Times(0)); diff != "" {
		t.Error(diff)
	}
	want := models.Run(t, sums(5), config.Key(2, 7))[0].Completion[0]
	if got := once.Times(0); len(got) != 100 || got[0] != want {
		t.Errorf("%d trials, the first takes %g s, not %g s", len(got), got[0], want)
	}
}

// sums returns a model of the sources of a set, whose times are sums. With two sources on each side of a
// pair every order and its reverse together give the pair's cost in equal parts.
func sums(s Set) *models.Made {
	return &models.Made{Of: montecarlo.Shape{Checkpoints: models.Points(1)},
		Trial: func(_ context.Context, key rng.Key, times []float64) error {
			times[0] = 1 + key.Uniform(0)
			for i := range 32 {
				if s.Has(i) {
					times[0] += float64(i+1) * key.Uniform(i+1)
					if s.Has(i + 1) {
						times[0] -= key.Uniform(100 + i)
					}
				}
			}
			return nil
		}}
}

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
	if got := steps[1][0]; got.Choice != (montecarlo.Candidate{Config: 1}) ||
		math.Abs(got.Change.Value+3) > 1e-9 {
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
