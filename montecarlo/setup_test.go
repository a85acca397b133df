package montecarlo_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/recording"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A setup is a configuration that a test changes before it is run.
type setup struct {
	Algorithm   collectives.Algorithm
	Problem     collectives.Problem
	Flows       *flow.Network // unless nil, simulated instead of the algorithm
	OS          noise.OS
	Network     noise.Network
	Environment string
	Reference   bool
}

// reference is the setup of the published check values: 8 B at 100 ns
// and 1 GB/s, combined at 10 GB/s, under detours and network events of 10 µs
// every 1 ms.
func reference(ranks int) setup {
	return setup{
		Algorithm: collectives.Algorithms[0],
		Problem: collectives.Problem{
			Ranks: ranks, Bytes: 8,
			Latency: 100e-9, Bandwidth: 1e9, MemoryBandwidth: 10e9,
			Sides: []int{1, ranks}, Messages: 3,
			Targets:    collectives.RandomRing(ranks, rand.New(rand.NewPCG(1, 1)).Shuffle),
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:          noise.Periodic{Period: 1e-3, Duration: 10e-6},
		Network:     noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(10e-6)},
		Environment: fmt.Sprintf("reference ranks=%d", ranks),
	}
}

// config is what montecarlo runs.
func (s setup) config() montecarlo.Config {
	c := montecarlo.Config{Environment: s.Environment, Reference: s.Reference}
	if f := s.Flows; f != nil {
		f.Polling = s.Problem.Host.Polled(f.Topology.Nodes())
		c.Model = &network.Model{Network: f, Noise: network.Noise{OS: s.OS, Network: s.Network}}
	} else {
		c.Model = &rounds.Model{Algorithm: s.Algorithm, Problem: s.Problem, OS: s.OS,
			Network: s.Network}
	}
	return c
}

func (s setup) replay(
	ctx context.Context, trial, T int,
) (*recording.Recording, error) {
	c := s.config()
	runner, err := c.Model.NewRunner(nil)
	if err != nil {
		return nil, err
	}
	return runner.(recording.Recorder).Record(ctx, c.Key(1, trial), T)
}

// shares are those of the quantiles of summaries.
var shares = []float64{0, 0.5, 0.9, 0.95, 0.99, 1}

// quantile returns a quantile of a summary.
func quantile(s montecarlo.Summary, share float64) float64 {
	return s.Quantiles[slices.Index(shares, share)]
}

// A plan is a study with its fields, which [simulate] runs.
type plan struct {
	montecarlo.Settings
	Fields []montecarlo.Field
}

// choosing returns a study whose fields get from fewest to most trials, until their choices are known.
func choosing(fewest, most int, fields ...montecarlo.Field) *plan {
	return &plan{montecarlo.Settings{Seed: 1, Tolerance: 0.01, Quantiles: shares, Trials: montecarlo.Trials{
		Min: fewest, Max: most, Until: montecarlo.UntilChosen, Confidence: 0.95,
	}}, fields}
}

// equally returns a study whose configurations all have n trials.
func equally(n int, fields ...montecarlo.Field) *plan { return choosing(n, n, fields...) }

func simulate(ctx context.Context, p *plan, o montecarlo.Options) error {
	return montecarlo.Run(ctx, &p.Settings, len(p.Fields),
		func(i int) montecarlo.Field { return p.Fields[i] }, o)
}

// field is a field of setups.
func field(setups ...setup) montecarlo.Field {
	var f montecarlo.Field
	for _, s := range setups {
		f = append(f, s.config())
	}
	return f
}

// dice returns a model that is no collective: T + 1 dice are cast, and the largest counts. It shows that
// package montecarlo runs whatever implements Model and Runner.
func dice(most int) *models.Made {
	return &models.Made{
		Of:    montecarlo.Shape{Checkpoints: models.Points(most + 1), Work: 1, Memory: 1},
		Bound: 1, Quiet: slices.Repeat([]float64{1}, most+1), Trial: cast,
	}
}

// cast casts one die after the other, and writes the largest until then.
func cast(_ context.Context, key rng.Key, times []float64) error {
	random, largest := rng.New(key), 0
	for T := range times {
		largest = max(largest, 1+random.Intn(6))
		times[T] = float64(largest)
	}
	return nil
}

// The largest of n dice is 6 − Σ (k/6)ⁿ, k = 1…5, on average.
func TestAnyModelIsRun(t *testing.T) {
	s := equally(40_000, montecarlo.Field{{Model: dice(2), Environment: "dice"}})
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

// Of several checkpoints of one T the last is its completion, and all are reported.
func TestCheckpointsAreNotT(t *testing.T) {
	halves := dice(2) // which report the times of every T twice, the first time too early
	halves.Of.Checkpoints = nil
	for _, c := range models.Points(3) {
		halves.Of.Checkpoints = append(halves.Of.Checkpoints, c, c)
	}
	halves.Trial = func(ctx context.Context, key rng.Key, times []float64) error {
		var whole [3]float64
		err := cast(ctx, key, whole[:])
		for T, c := range whole {
			times[2*T], times[2*T+1] = c/2, c
		}
		return err
	}
	s := equally(1000, montecarlo.Field{{Model: dice(2), Environment: "dice"}},
		montecarlo.Field{{Model: halves, Environment: "dice"}})
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
func repeated() *models.Made {
	m := &models.Made{Of: montecarlo.Shape{Work: 1, Memory: 1}, Bound: 1, Quiet: slices.Repeat([]float64{1}, 8)}
	for _, c := range models.Points(2) {
		sample := c
		sample.Sample = true
		m.Of.Checkpoints = append(m.Of.Checkpoints, c, sample, sample, c)
	}
	m.Trial = func(_ context.Context, key rng.Key, times []float64) error {
		x := 0.01 * key.Uniform(0)
		copy(times, []float64{7, 1 + x, 9 + x, 5 + x, 7, 5.5 + x, 5.5 + x, 5.5 + x})
		return nil
	}
	return m
}

// Means are of trials, and their intervals too; quantiles, and choices by them, are of samples.
func TestSamples(t *testing.T) {
	for objective, want := range map[string]struct {
		star  int
		value float64
	}{"mean": {0, 5}, "p50": {0, 5}, "p95": {1, 5.5}, "max": {1, 5.5}} {
		s := equally(1000, montecarlo.Field{{Model: repeated(), Environment: "repeated"}})
		s.Objective, s.Tolerance = tests.Must(montecarlo.FindObjective(objective))(t), 0.1
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
