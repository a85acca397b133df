package montecarlo_test

import (
	"context"
	"math"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// dice is a model that is no collective: T + 1 dice are cast, and the largest counts. It
// shows that package montecarlo runs whatever implements Model and Runner.
type dice struct{ most int }

func (d dice) Shape() (montecarlo.Shape, error) {
	return montecarlo.Shape{Checkpoints: d.casts(), Work: 1, Memory: 1}, nil
}

func (d dice) casts() (c []montecarlo.Checkpoint) {
	for T := range d.most + 1 {
		c = append(c, montecarlo.Checkpoint{T: T, Messages: float64(T)})
	}
	return c
}

func (dice) LowerBound() float64                                      { return 1 }
func (d dice) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return d, nil }

func (dice) NoiseFree(_ context.Context, trial *montecarlo.Trial) error {
	for t := range trial.Completion {
		trial.Completion[t] = 1
	}
	return nil
}

func (dice) Run(_ context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		random, largest := rng.New(key), 0
		for t := range trials[i].Completion {
			largest = max(largest, 1+random.Intn(6))
			trials[i].Completion[t] = float64(largest)
		}
		trials[i].LowerBound = 1
	}
	return nil
}

// The largest of n dice is 6 − Σ (k/6)ⁿ, k = 1…5, on average.
func TestAnyModelIsRun(t *testing.T) {
	s := &plan{
		Fields: []montecarlo.Field{{{Model: dice{2}, Environment: "dice"}}}, Seed: 1, Tolerance: 0.01,
		Trials: montecarlo.Trials{Min: 40_000, Max: 40_000, Confidence: 0.95},
	}
	decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 3}))(t)
	result := decisions[0].Results[0]
	for T, want := range []float64{21. / 6, 161. / 36, 1071. / 216} {
		if got := result.Summaries[T].Mean; got < want-0.05 || got > want+0.05 {
			t.Errorf("the largest of %d dice is %.3f on average, want %.3f", T+1, got, want)
		}
	}
	if star := decisions[0].Choice.Star; star.T != 0 {
		t.Errorf("T* = %d, and each die more makes the largest larger", star.T)
	}
}

// halves are dice that report the times of every T twice, the first time too early.
type halves struct{ dice }

func (h halves) Shape() (montecarlo.Shape, error) {
	s, err := h.dice.Shape()
	var twice []montecarlo.Checkpoint
	for _, c := range s.Checkpoints {
		twice = append(twice, c, c)
	}
	s.Checkpoints = twice
	return s, err
}

func (h halves) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return h, nil }

func (h halves) NoiseFree(_ context.Context, trial *montecarlo.Trial) error {
	for k := range trial.Completion {
		trial.Completion[k] = 1
	}
	return nil
}

func (h halves) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	whole := make([]montecarlo.Trial, len(trials))
	for i := range whole {
		whole[i].Completion = make([]float64, len(trials[i].Completion)/2)
	}
	if err := h.dice.Run(ctx, keys, whole); err != nil {
		return err
	}
	for i, trial := range whole {
		for t, c := range trial.Completion {
			trials[i].Completion[2*t], trials[i].Completion[2*t+1] = c/2, c
		}
		trials[i].LowerBound = trial.LowerBound
	}
	return nil
}

// Of several checkpoints of one T the last is its completion, and all are reported.
func TestCheckpointsAreNotT(t *testing.T) {
	s := &plan{
		Fields: []montecarlo.Field{
			{{Model: dice{2}, Environment: "dice"}}, {{Model: halves{dice{2}}, Environment: "dice"}},
		}, Seed: 1, Tolerance: 0.01,
		Trials: montecarlo.Trials{Min: 1000, Max: 1000, Confidence: 0.95},
	}
	decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	one, two := decisions[0], decisions[1]
	if diff := tests.Diff(one.Choice, two.Choice); diff != "" {
		t.Errorf("choice (-one checkpoint a T +two):\n%s", diff)
	}
	for T := range 3 {
		a, b := one.Results[0].Summaries[T], two.Results[0].Summaries[2*T+1]
		early := two.Results[0].Summaries[2*T]
		if a.Mean != b.Mean || early.Mean != b.Mean/2 || two.Results[0].Checkpoints[2*T].T != T {
			t.Errorf("T = %d: mean %g, with two checkpoints %g after %g", T, a.Mean, b.Mean, early.Mean)
		}
	}
}

// repeated is a model whose trials report two samples and their mean at each T: at T = 0 about 1 s
// and 9 s, and at T = 1 twice 5.5 s.
type repeated struct{ dice }

func (repeated) Shape() (montecarlo.Shape, error) {
	s := montecarlo.Shape{Work: 1, Memory: 1}
	for T := range 2 {
		c := montecarlo.Checkpoint{T: T, Messages: float64(T)}
		sample := c
		sample.Sample = true
		s.Checkpoints = append(s.Checkpoints, c, sample, sample, c)
	}
	return s, nil
}

func (r repeated) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return r, nil }

func (repeated) Run(_ context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		x := 0.01 * key.Uniform(0)
		copy(trials[i].Completion, []float64{7, 1 + x, 9 + x, 5 + x, 7, 5.5 + x, 5.5 + x, 5.5 + x})
		trials[i].LowerBound = 1
	}
	return nil
}

// Means are of trials, and their intervals too; quantiles, and choices by them, are of samples.
func TestSamples(t *testing.T) {
	for objective, want := range map[string]struct {
		star  int
		value float64
	}{"mean": {0, 5}, "p50": {0, 5}, "p95": {1, 5.5}, "max": {1, 5.5}} {
		o := tests.Must(montecarlo.FindObjective(objective))(t)
		s := &plan{
			Fields: []montecarlo.Field{{{Model: repeated{}, Environment: "repeated"}}},
			Seed:   1, Tolerance: 0.1, Objective: o,
			Trials: montecarlo.Trials{Min: 1000, Max: 1000, Confidence: 0.95},
		}
		decisions := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2}))(t)
		choice, r := decisions[0].Choice, decisions[0].Results[0]
		if choice.Star.T != want.star || math.Abs(choice.Objective-want.value) > 0.02 {
			t.Errorf("%s: T = %d of %g s, want %d of %g s",
				objective, choice.Star.T, choice.Objective, want.star, want.value)
		}
		if (objective == "mean" || objective == "p95") && choice.Warning != montecarlo.NoWarning {
			t.Errorf("%s: the choice is %v", objective, choice.Warning)
		}
		x := r.Summaries[r.Final(0)]
		q := func(share float64) float64 { return quantile(x, share) }
		if r.Samples(r.Final(0)) != 2 || r.Samples(0) != 0 || math.Abs(x.Mean-5) > 0.02 ||
			x.StdDev > 0.01 || q(0) > 1.01 || q(1) < 9 || q(0.9) < 9 || q(0.5) < 1 || q(0.5) > 9 {
			t.Errorf("%s: at T = 0 %+v", objective, x)
		}
	}
}
