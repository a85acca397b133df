package montecarlo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"jitterfly/collectives/network"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// processors lets a test run on so many processors, whatever the machine has.
func processors(t *testing.T, n int) {
	t.Helper()
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// lone is a model of dice whose trial takes until it may have so many workers.
type lone struct {
	dice
	until int
	all   *sync.WaitGroup
}

func (l lone) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) {
	return &loneRunner{lone: l}, nil
}

type loneRunner struct {
	lone
	workers func() int
}

func (l *loneRunner) Share(workers func() int) { l.workers = workers }

func (l *loneRunner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for l.workers() != l.until {
		if err := ctx.Err(); err != nil {
			return err
		}
		runtime.Gosched()
	}
	l.all.Done()
	l.all.Wait()
	return l.dice.Run(ctx, keys, trials)
}

// Workers without trials are divided among the trials that run, as far as there are processors.
func TestIdleWorkersAreShared(t *testing.T) {
	processors(t, 6)
	for _, c := range []struct{ workers, trials, each int }{
		{1, 1, 1}, {5, 1, 5}, {6, 2, 3}, {5, 2, 2}, {3, 3, 1}, {12, 1, 6},
	} {
		s := &plan{
			Seed: 1, Tolerance: 0.01, Trials: montecarlo.Trials{Min: 2, Max: 2, Confidence: 0.95},
		}
		all := new(sync.WaitGroup) // so that none ends, and gives its workers to others
		all.Add(c.trials)
		for range c.trials {
			config := montecarlo.Config{Model: lone{dice{1}, c.each, all}, Environment: "dice"}
			s.Fields = append(s.Fields, montecarlo.Field{config})
		}
		done := func(int, montecarlo.Decision) error { return nil }
		options := montecarlo.Options{Workers: c.workers, Done: done}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := simulate(ctx, s, options); err != nil {
			t.Errorf("%d workers, %d trials: %v", c.workers, c.trials, err)
		}
		cancel()
	}
}

// One trial of flows is the same on several workers, with both noises.
func TestFlowsOnSeveralWorkers(t *testing.T) {
	processors(t, 4)
	place, err := network.ParseTopology("fat-tree:12x12x24")
	if err != nil {
		t.Fatal(err)
	}
	config := reference(place.Nodes())
	config.OS = noise.Periodic{Period: 1e-3, Duration: 1e-4, Start: noise.Random}
	config.Network = noise.PoissonDelays{Interval: 1e-4, Lengths: noise.Constant(1e-5)}
	config.Flows = &network.Problem{
		Topology: place, Pattern: network.RandomRing(place.Nodes(), 3, false,
			rand.New(rand.NewPCG(1, 2)).Shuffle),
		Bytes: 64 << 10, Bandwidth: 1e9, Latency: 1e-6, Sync: network.Local,
	}
	s := &plan{
		Fields: []montecarlo.Field{field(config)}, Seed: 1, Tolerance: 0.01,
		Trials: montecarlo.Trials{Min: 2, Max: 2, Confidence: 0.95},
	}
	var want []byte
	for _, workers := range []int{1, 2, 4, 9} {
		decisions, err := collect(t.Context(), t, s, montecarlo.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(decisions[0].Results[0].Kept)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers: %s, want %s", workers, got, want)
		}
	}
}
