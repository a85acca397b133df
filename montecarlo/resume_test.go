package montecarlo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// However often a run is interrupted, and wherever, it decides as one that is not: its trials
// are those kept and those simulated.
func TestInterruptedRunsGoOn(t *testing.T) {
	s := choosing(50, 20_000, field(deployment(12)...))
	s.Trials.Effort = 3e7
	for _, ranks := range tests.Part([]int{2, 64, 512}, []int{2, 64}) {
		s.Fields = append(s.Fields, field(reference(ranks)))
	}
	var all atomic.Int64
	want := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2, Progress: &all}))(t)

	got, kept := map[int]montecarlo.Decision{}, map[int][]montecarlo.Kept{}
	runs, simulated := 0, int64(0)
	for len(got) < len(s.Fields) {
		if runs++; runs > 1000 {
			t.Fatal("it does not get on")
		}
		ctx, cancel := context.WithCancel(t.Context())
		var progress atomic.Int64
		interrupted := *s
		interrupted.Fields = beforeTrials(s.Fields, func() {
			if progress.Load() >= all.Load()/20 {
				cancel()
			}
		})
		err := simulate(ctx, &interrupted, montecarlo.Options{
			Workers: 2, Progress: &progress,
			Skip:   func(i int) bool { _, done := got[i]; return done },
			Resume: func(i int) []montecarlo.Kept { return kept[i] },
			Checkpoint: func(open []montecarlo.Partial) error {
				for _, p := range open {
					kept[p.Field] = p.Kept
				}
				return nil
			},
			Done: func(i int, d montecarlo.Decision) error { got[i] = d; return nil },
		})
		if err == nil && len(got) < len(s.Fields) {
			t.Fatal("a run ended before all was decided")
		}
		cancel()
		simulated += progress.Load()
	}
	if diff := tests.Diff(want, got); diff != "" {
		t.Errorf("decisions (-at once +interrupted):\n%s", diff)
	}
	t.Logf("%d runs simulated %g times as much", runs, float64(simulated)/float64(all.Load()))
	if runs < 5 || simulated > 2*all.Load() {
		t.Errorf("%d runs simulated %d messages, one simulates %d", runs, simulated, all.Load())
	}
}

// beforeTrials returns fields of the same models, whose runners call do before they simulate
// trials.
func beforeTrials(fields []montecarlo.Field, do func()) []montecarlo.Field {
	var all []montecarlo.Field
	for _, field := range fields {
		field = slices.Clone(field)
		for i := range field {
			field[i].Model = preceded{field[i].Model, do}
		}
		all = append(all, field)
	}
	return all
}

type preceded struct {
	montecarlo.Model
	do func()
}

func (p preceded) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) {
	r, err := p.Model.NewRunner(nil)
	return precededRunner{r, p.do}, err
}

type precededRunner struct {
	montecarlo.Runner
	do func()
}

func (p precededRunner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	p.do()
	return p.Runner.Run(ctx, keys, trials)
}

// A larger number of trials continues from those that there are, and comes to what it would have
// come to at once.
func TestMoreTrialsGoOn(t *testing.T) {
	study := func(most int) *plan { return choosing(30, most, field(reference(256))) }
	few := tests.Must(collect(t.Context(), t, study(1000), montecarlo.Options{}))(t)
	var progress atomic.Int64
	more := tests.Must(collect(t.Context(), t, study(50_000), montecarlo.Options{
		Progress: &progress,
		Resume:   func(int) []montecarlo.Kept { return []montecarlo.Kept{few[0].Results[0].Kept} },
	}))(t)
	var all atomic.Int64
	want := tests.Must(collect(t.Context(), t, study(50_000), montecarlo.Options{Progress: &all}))(t)
	if diff := tests.Diff(want, more); diff != "" || want[0].Results[0].Trials <= 1000 {
		t.Errorf("decisions (-at once +later):\n%s", diff)
	}
	perTrial := all.Load() / int64(want[0].Results[0].Trials+1)
	if saved := all.Load() - progress.Load(); saved != 1000*perTrial {
		t.Errorf("%d messages are saved, want those of 1000 trials, %d", saved, 1000*perTrial)
	}
}

// What an earlier run has simulated may be enough for the first analysis, if trials without noise are left
// out at first.
func TestNothingToSimulateAtFirst(t *testing.T) {
	busy := deployment(12)
	for i := range busy {
		busy[i].Problem.Host.Overhead = 3e-7
	}
	few, many := choosing(2, 4, field(busy...)), choosing(2, 2000, field(busy...))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	earlier := tests.Must(collect(ctx, t, few, montecarlo.Options{}))(t)
	more, err := collect(ctx, t, many, montecarlo.Options{Resume: func(int) (kept []montecarlo.Kept) {
		for _, r := range earlier[0].Results {
			kept = append(kept, r.Kept)
		}
		return kept
	}})
	want := tests.Must(collect(t.Context(), t, many, montecarlo.Options{}))(t)
	if diff := tests.Diff(want, more, cmpopts.EquateNaNs()); diff != "" || err != nil {
		t.Errorf("decisions (-at once +later): %v\n%s", err, diff)
	}
}

// A run whose time is over decides by the least trials of every field; without any it decides about
// none.
func TestTimeEndsTrials(t *testing.T) {
	s := choosing(40, 1e6)
	for i := range 3 {
		s.Fields = append(s.Fields, field(reference(64)))
		s.Fields[i][0].Environment = fmt.Sprint(i)
	}
	s.Fields = append(s.Fields, field(deployment(64)...))
	for least, want := range map[int]int{0: 0, 7: 7, 40: 40, 50: 40} {
		decided := 0
		err := simulate(t.Context(), s, montecarlo.Options{
			Time: time.Nanosecond, Least: least,
			Done: func(i int, d montecarlo.Decision) error {
				decided++
				if d.Stop != montecarlo.OutOfTime || i < 3 && d.Results[0].Trials != want ||
					d.Results[d.Choice.Star.Config].Trials < 1 {
					t.Errorf("field %d stopped by %v after %d trials, want %d", i, d.Stop,
						d.Results[0].Trials, want)
				}
				return nil
			},
		})
		if err != nil || want > 0 && decided != len(s.Fields) || want == 0 && decided > 0 {
			t.Errorf("%d of %d fields are decided, with at least %d trials: %v",
				decided, len(s.Fields), least, err)
		}
	}
	decisions, err := collect(t.Context(), t, s, montecarlo.Options{Time: time.Hour})
	if err != nil || decisions[0].Stop != montecarlo.Chosen {
		t.Errorf("stopped by %v with an hour left, %v", decisions[0].Stop, err)
	}
}

// A trial that is not complete when the time is over is given up, and the decision is made by the
// trials before it.
func TestTimeEndsInATrial(t *testing.T) {
	slow, begun := dice(3), 0
	slow.Of.Work = 1 << 30 // each trial is a chunk of its own
	slow.Trial = func(ctx context.Context, key rng.Key, times []float64) error {
		if begun++; begun > 2 {
			<-ctx.Done()
			return ctx.Err()
		}
		return cast(ctx, key, times)
	}
	decisions := tests.Must(collect(t.Context(), t, choosing(10, 20, montecarlo.Field{{Model: slow}}),
		montecarlo.Options{Workers: 1, Time: 50 * time.Millisecond}))(t)
	if d := decisions[0]; d.Stop != montecarlo.OutOfTime || d.Results[0].Trials != 2 ||
		len(d.Results[0].Completion) != 2*len(d.Results[0].Checkpoints) {
		t.Errorf("stopped by %v after %d trials, with %d numbers kept", d.Stop, d.Results[0].Trials,
			len(d.Results[0].Completion))
	}
}

// A run that is cancelled ends although a runner does not end its second chunk, with the trials before
// those of it; what that one finds later is not given to anybody.
func TestRunnersThatDoNotEnd(t *testing.T) {
	blocked, release := make(chan struct{}), make(chan struct{})
	stuck, simulated := dice(3), 0
	stuck.Of.Work = 1 << 16 // four trials are a chunk
	stuck.Trial = func(ctx context.Context, key rng.Key, times []float64) error {
		if simulated++; simulated == 5 {
			close(blocked)
			<-release
		}
		return cast(ctx, key, times)
	}
	study := equally(20, montecarlo.Field{{Model: stuck}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-blocked
		cancel()
	}()
	var kept []montecarlo.Kept
	late := false
	err := simulate(ctx, study, montecarlo.Options{
		Workers: 1,
		Checkpoint: func(open []montecarlo.Partial) error {
			if late {
				t.Error("a checkpoint after the run")
			}
			kept = open[0].Kept
			return nil
		},
		Done: func(int, montecarlo.Decision) error {
			t.Error("a decision of a run that was cancelled")
			return nil
		},
	})
	late = true
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := len(kept[0].LowerBound); n == 0 || n >= 20 {
		t.Errorf("%d trials are kept, want those of the first chunk", n)
	}
}

// A number of workers beyond all processors does no harm.
func TestWorkersBeyondTheWork(t *testing.T) {
	decided := 0
	err := simulate(t.Context(), equally(20, montecarlo.Field{{Model: dice(3)}}), montecarlo.Options{
		Workers: 1 << 40,
		Done:    func(int, montecarlo.Decision) error { decided++; return nil },
	})
	if err != nil || decided != 1 {
		t.Errorf("%d decisions, %v", decided, err)
	}
}
