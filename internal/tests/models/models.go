// Package models has what tests of several packages share about models: one that is made up, and trials
// of any.
package models

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// A Made model is no collective: its trials take what a function says.
type Made struct {
	Of    montecarlo.Shape
	Bound float64   // lower bound [s]
	Quiet []float64 // times without noise [s]
	// Trial writes the times of the trial that the key names [s].
	Trial func(ctx context.Context, key rng.Key, times []float64) error
}

// Shape implements [montecarlo.Model].
func (m *Made) Shape() (montecarlo.Shape, error) { return m.Of, nil }

// LowerBound implements [montecarlo.Model].
func (m *Made) LowerBound() float64 { return m.Bound }

// NewRunner implements [montecarlo.Model].
func (m *Made) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return m, nil }

// NoiseFree implements [montecarlo.Runner].
func (m *Made) NoiseFree(_ context.Context, _ float64, trial *montecarlo.Trial) error {
	copy(trial.Completion, m.Quiet)
	return nil
}

// Run implements [montecarlo.Runner].
func (m *Made) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		trials[i].LowerBound = m.Bound
		if err := m.Trial(ctx, key, trials[i].Completion); err != nil {
			return err
		}
	}
	return nil
}

// Points returns the completions of T = 0 to n − 1 as checkpoints, at which T messages are sent.
func Points(n int) (points []montecarlo.Checkpoint) {
	for T := range n {
		points = append(points, montecarlo.Checkpoint{T: T, Messages: float64(T)})
	}
	return points
}

// NoiseFree returns a model's trial without noise.
func NoiseFree(t tests.Failer, m montecarlo.Model) montecarlo.Trial {
	t.Helper()
	r, trials := runner(t, m, 1)
	tests.NoError(t, r.NoiseFree(context.Background(), 0.0015, &trials[0]))
	return trials[0]
}

// Run returns a model's trials that keys name.
func Run(t tests.Failer, m montecarlo.Model, keys ...rng.Key) []montecarlo.Trial {
	t.Helper()
	r, trials := runner(t, m, len(keys))
	tests.NoError(t, r.Run(context.Background(), keys, trials))
	return trials
}

// Record records a model's trial that the key names, up to a checkpoint.
func Record(t tests.Failer, m montecarlo.Model, key rng.Key, checkpoint int) *recording.Recording {
	t.Helper()
	r := tests.Must(m.NewRunner(nil))(t)
	return tests.Must(r.(recording.Recorder).Record(context.Background(), key, checkpoint))(t)
}

// CheckRecording fails unless the critical path of a recording adds up to its time, and the activities of
// each track follow one another.
func CheckRecording(t tests.Failer, rec *recording.Recording) {
	t.Helper()
	end := rec.End.Time
	path, sum := rec.CriticalPath(), 0.0
	for _, s := range path.Spent {
		if sum += s; s < -1e-9*end {
			t.Fatal("negative time on the critical path: ", path.Spent)
		}
	}
	if math.Abs(sum-end) > 1e-9*end {
		t.Fatal(path.Spent, " on the critical path, and complete at ", end)
	}
	for place, track := range rec.Tracks {
		at := 0.0
		for _, a := range track.Activities {
			if a.From < at*(1-1e-9) || a.To <= a.From { // moments are sums, which round
				t.Fatal("track ", place, ": ", a, " after ", at)
			}
			at = a.To
		}
	}
}

// runner returns a runner of a model, and room for n trials.
func runner(t tests.Failer, m montecarlo.Model, n int) (montecarlo.Runner, []montecarlo.Trial) {
	t.Helper()
	shape, trials := tests.Must(m.Shape())(t), make([]montecarlo.Trial, n)
	for i := range trials {
		trials[i].Completion = make([]float64, len(shape.Checkpoints))
	}
	return tests.Must(m.NewRunner(nil))(t), trials
}

// Keys returns the keys of the first n trials of a name.
func Keys(name string, n int) []rng.Key {
	keys := make([]rng.Key, n)
	for i := range keys {
		keys[i] = rng.NewKey(1, name).Derive(uint64(i))
	}
	return keys
}

// Mean returns the mean of the times of trials at a checkpoint, and its standard error.
func Mean(trials []montecarlo.Trial, checkpoint int) (mean, stdErr float64) {
	var times []float64
	for _, trial := range trials {
		times = append(times, trial.Completion[checkpoint])
	}
	mean, deviation := stat.MeanStdDev(times, nil)
	return mean, stat.StdErr(deviation, float64(len(times)))
}
