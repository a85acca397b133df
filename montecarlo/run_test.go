package montecarlo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// sizes are numbers of ranks with trials of next to no work, and some of which a worker
// takes on a few at a time.
var sizes = []int{1, 4, 4096, 256, 1024, 2, 2048}

// study has a field of each size.
func study(trials montecarlo.Trials) *plan {
	s := choosing(0, 0)
	s.Trials = trials
	for _, ranks := range sizes {
		s.Fields = append(s.Fields, field(reference(ranks)))
	}
	return s
}

// collect runs the study and returns what Done receives, by configuration.
func collect(
	ctx context.Context, t *testing.T, s *plan, o montecarlo.Options,
) (map[int]montecarlo.Decision, error) {
	t.Helper()
	results := map[int]montecarlo.Decision{}
	if o.Done == nil {
		o.Done = func(field int, d montecarlo.Decision) error {
			if _, again := results[field]; again {
				t.Errorf("field %d is done twice", field)
			}
			results[field] = d
			return nil
		}
	}
	return results, simulate(ctx, s, o)
}

func TestResultsDoNotDependOnWorkers(t *testing.T) {
	for _, c := range []struct {
		name   string
		trials montecarlo.Trials
	}{
		{"fixed", montecarlo.Trials{Min: 60, Max: 60, Confidence: 0.95}},
		{"by precision", montecarlo.Trials{Min: 10, Max: 150, Precision: 0.1, Confidence: 0.95}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := study(c.trials)
			one := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
			eight := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 8}))(t)
			if len(one) != len(s.Fields) {
				t.Errorf("%d results of %d configurations", len(one), len(s.Fields))
			}
			if diff := tests.Diff(one, eight); diff != "" {
				t.Errorf("results (-1 worker +8 workers):\n%s", diff)
			}
		})
	}
}

// A trial is a function of the seed, the environment and its number, whatever
// else is simulated.
func TestTrialsAreNamedBySeedAndEnvironment(t *testing.T) {
	config := reference(1024)
	run := func(seed uint64, environment string) []float64 {
		config.Environment = environment
		s := equally(40, field(config))
		s.Seed = seed
		results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2}))(t)
		return results[0].Results[0].Completion
	}
	got := run(1, "a")
	for _, other := range [][]float64{run(2, "a"), run(1, "b")} {
		if slices.Equal(got, other) {
			t.Error("another seed or environment gives the same trials")
		}
	}

	schedule := tests.Must(config.Algorithm.Schedule(config.Problem))(t)
	var want []float64
	for i := range uint64(40) {
		detours, delays := config.OS.Detours(make([]float64, 1024)), config.Network.Delays()
		key := rng.NewKey(1, "a").Derive(i)
		detours.Draw(1024, key)
		delays.Draw(1024, key)
		trial := rounds.Trial{Completion: make([]float64, len(schedule.Checkpoints))}
		plan := rounds.Compile(&schedule, config.Problem)
		if err := rounds.NewSimulator(1024).Run(t.Context(), plan, rounds.NewNoise(detours, delays),
			&trial); err != nil {
			t.Fatal(err)
		}
		want = append(want, trial.Completion...)
	}
	if diff := tests.Diff(want, got); diff != "" {
		t.Errorf("completions (-simulated alone +of the run):\n%s", diff)
	}
}

func TestErrorOfDoneEndsTheRun(t *testing.T) {
	s := study(montecarlo.Trials{Min: 5, Max: 5, Confidence: 0.95})
	for _, workers := range []int{1, 8} {
		full, calls := errors.New("disk full"), 0
		_, err := collect(t.Context(), t, s, montecarlo.Options{
			Workers: workers,
			Done: func(int, montecarlo.Decision) error {
				if calls++; calls == 2 {
					time.Sleep(50 * time.Millisecond) // the other workers have results too
					return full
				}
				return nil
			},
		})
		if !errors.Is(err, full) {
			t.Errorf("%d workers: error %v, want that of Done", workers, err)
		}
		if calls != 2 {
			t.Errorf("%d workers: Done was called %d times, 2 of them up to its error", workers, calls)
		}
	}
}

func TestImpossibleConfigurationEndsTheRun(t *testing.T) {
	s := study(montecarlo.Trials{Min: 5, Max: 5, Confidence: 0.95})
	impossible := reference(256)
	impossible.Problem.Redundancy.Sources = 0
	s.Fields[3] = field(impossible)
	if _, err := collect(t.Context(), t, s, montecarlo.Options{Workers: 8}); err == nil {
		t.Error("no error for an exchange without sources")
	}
}

// cancelling detours cancel the run when they are drawn.
type cancelling struct {
	noise.None
	cancel func()
}

func (c cancelling) Detours([]float64) noise.Detours { return c }
func (c cancelling) Draw(int, rng.Key)               { c.cancel() }

func (cancelling) Finish(noise.Piece, int, []float64, float64) {}

func TestCancel(t *testing.T) {
	for _, c := range []struct {
		workers, trials int
	}{
		{1, 1000},
		{8, 1000},
		{8, 2}, // six of them wait for work
	} {
		t.Run(fmt.Sprintf("%d workers, %d trials", c.workers, c.trials), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			config := reference(4096)
			config.OS = cancelling{cancel: cancel}
			results, err := collect(ctx, t, equally(c.trials, field(config)), montecarlo.Options{Workers: c.workers})
			if !errors.Is(err, context.Canceled) || len(results) > 0 {
				t.Errorf("error %v and %d results, want %v and none", err, len(results), context.Canceled)
			}
		})
	}
}

func TestStop(t *testing.T) {
	noisy, quiet, rare := reference(1024), reference(1024), reference(4)
	quiet.OS, quiet.Network = noise.None{}, noise.None{}
	by := func(fewest, most int, precision float64) montecarlo.Trials {
		return montecarlo.Trials{Min: fewest, Max: most, Precision: precision, Confidence: 0.95}
	}
	for _, c := range []struct {
		name         string
		config       setup
		trials       montecarlo.Trials
		stop         string
		fewest, most int
	}{
		{"the number is given", noisy, by(7, 7, 0.01), "fixed", 7, 7},
		{"constant times", quiet, by(5, 1000, 1e-9), "precision", 5, 5},
		// At 4 ranks about one trial in 500 is hit.
		{"nothing hit is not precise", rare, by(30, 2000, 0.05), "max-trials", 2000, 2000},
		{"the precision takes some analyses", noisy, by(5, 1e6, 0.1), "precision", 6, 1e5},
		{"the precision is out of reach", noisy, by(5, 83, 1e-9), "max-trials", 83, 83},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := choosing(0, 0, field(c.config))
			s.Trials = c.trials
			var progress atomic.Int64
			results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 3, Progress: &progress}))(t)
			stop, r := results[0].Stop, results[0].Results[0]
			if string(stop) != c.stop || r.Trials < c.fewest || r.Trials > c.most {
				t.Errorf("stopped by %v after %d trials, want by %s after %d to %d", stop, r.Trials, c.stop,
					c.fewest, c.most)
			}
			if want := r.Trials * len(r.Summaries); len(r.Completion) != want {
				t.Errorf("%d completions, want %d", len(r.Completion), want)
			}
			for T, s := range r.Summaries {
				if stop == montecarlo.Precise && s.High-s.Mean > 1.000001*c.trials.Precision*s.Mean {
					t.Errorf("T = %d is known to ± %.3g of %.3g only", T, s.High-s.Mean, s.Mean)
				}
			}
			// As many rounds as two for each T > 0, and one trial more without noise.
			rounds := 2 * (len(r.Summaries) - 1)
			if want := int64(r.Trials+1) * int64(c.config.Problem.Ranks*rounds); progress.Load() != want {
				t.Errorf("progress of %d messages, want %d", progress.Load(), want)
			}
		})
	}
}

func TestImpossibleTrials(t *testing.T) {
	for _, trials := range []montecarlo.Trials{{}, {Min: 1, Max: 1}, {Min: 30, Max: 20}} {
		s := choosing(trials.Min, trials.Max, field(reference(4)))
		if _, err := collect(t.Context(), t, s, montecarlo.Options{}); err == nil {
			t.Errorf("%+v is not refused", trials)
		}
	}
}
