package montecarlo_test

import (
	"context"
	"errors"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A run that is cancelled ends although a runner does not end its second chunk, with the trials before those of it;
// what that one finds later is not given to anybody.
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
	study := &plan{
		Fields: []montecarlo.Field{{{Model: stuck}}},
		Trials: montecarlo.Trials{Min: 20, Max: 20, Confidence: 0.95},
	}
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

// Workers are started while there is work for them.
func TestWorkersBeyondTheWork(t *testing.T) {
	study := &plan{
		Fields: []montecarlo.Field{{{Model: dice(3)}}},
		Trials: montecarlo.Trials{Min: 20, Max: 20, Confidence: 0.95},
	}
	decided := 0
	err := simulate(t.Context(), study, montecarlo.Options{
		Workers: 1 << 40,
		Done:    func(int, montecarlo.Decision) error { decided++; return nil },
	})
	if err != nil || decided != 1 {
		t.Errorf("%d decisions, %v", decided, err)
	}
}
