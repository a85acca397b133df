package sweep

import (
	"path/filepath"
	"testing"

	"jitterfly/cli/study"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// The trials of a configuration that is under way for longer than from one checkpoint to the next
// are written, however few messages it has: those of packets take long. They are not written at the
// first checkpoint, unless they are many.
func TestCheckpoints(t *testing.T) {
	in := study.Input{Name: "test.yaml",
		Set: []string{"ranks=4,2^20", "network.latency=1us", "noise.os.duration=10us"}}
	s := tests.Must(study.Read(in, MaxConfigs()))(t)
	dir := tests.Must(Begin(filepath.Join(t.TempDir(), "results"), s, 1, false))(t)
	tests.NoError(t, dir.Writable())
	saved := newSaver(s, dir)
	underWay := func(trials int) []montecarlo.Partial {
		kept := montecarlo.Kept{LowerBound: make([]float64, trials),
			Completion: make([]float64, 3*trials)}
		return []montecarlo.Partial{{Field: 1, Kept: []montecarlo.Kept{kept}}}
	}
	for i, step := range []struct{ trials, want int }{{0, 0}, {2, 2}, {2, 2}, {5, 5}} {
		saved.took = 0 // of a disk as fast as can be
		tests.NoError(t, saved.checkpoint(underWay(step.trials)))
		if got := dir.KeptTrials(1); got != step.want {
			t.Errorf("checkpoint %d has %d of %d trials, want %d", i, got, step.trials, step.want)
		}
	}
	saved = newSaver(s, dir)
	tests.NoError(t, saved.checkpoint(underWay(7)))
	if got := dir.KeptTrials(1); got != 5 {
		t.Errorf("%d trials are written at the first checkpoint", got)
	}
	saved = newSaver(s, dir)
	many := int(keepAbove/s.Configurations[1].Work) + 1
	tests.NoError(t, saved.checkpoint(underWay(many)))
	if got := dir.KeptTrials(1); got != many {
		t.Errorf("%d of %d trials are written at the first checkpoint", got, many)
	}
}
