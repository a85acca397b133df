package montecarlo_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A stuck model is dice whose second chunk of trials never ends.
type stuck struct {
	dice
	chunks  *atomic.Int64
	blocked chan struct{} // closed when a chunk does not end
	release chan struct{}
}

func (s stuck) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return s, nil }

func (s stuck) Shape() (montecarlo.Shape, error) {
	shape, err := s.dice.Shape()
	shape.Work = 1 << 16 // a chunk has few trials
	return shape, err
}

func (s stuck) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	if s.chunks.Add(1) == 2 {
		close(s.blocked)
		<-s.release
	}
	return s.dice.Run(ctx, keys, trials)
}

// A run that is cancelled ends although a runner does not, with the trials before those of it;
// what that one finds later is not given to anybody.
func TestRunnersThatDoNotEnd(t *testing.T) {
	s := stuck{dice{3}, new(atomic.Int64), make(chan struct{}), make(chan struct{})}
	study := &plan{
		Fields: []montecarlo.Field{{{Model: s}}},
		Trials: montecarlo.Trials{Min: 20, Max: 20, Confidence: 0.95},
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.blocked
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
	close(s.release)
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
		Fields: []montecarlo.Field{{{Model: dice{3}}}},
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
