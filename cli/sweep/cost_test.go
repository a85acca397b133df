package sweep

import (
	"context"
	"sync/atomic"
	"testing"

	"jitterfly/cli/study"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// What a run simulates is what its decisions say, and within the range of every field.
func TestRanges(t *testing.T) {
	base := []string{
		"assume=paper",
		"ranks=4,16", "network.latency=1us", "noise.os.duration=100us", "trials.min=30",
	}
	for name, set := range map[string][]string{
		"fixed":     {"trials.max=30"},
		"precision": {"trials.max=2000", "trials.until=precision", "trials.precision=0.1"},
		"effort":    {"trials.max=2000", "trials.until=precision", "trials.precision=1e-6", "trials.effort=20000"},
		"choice":    {"trials.max=2000", "trials.until=choice", "collective=butterfly,ring,binomial"},
	} {
		in := study.Input{Name: "s.yaml", Set: append(set, base...), Choose: name == "choice"}
		s := tests.Must(study.Read(in, 1e6))(t)
		sum := 0.0
		var progress atomic.Int64
		err := montecarlo.Run(context.Background(), &s.Settings, s, montecarlo.Options{
			Progress: &progress,
			Done: func(i int, d montecarlo.Decision) error {
				messages, r := d.Messages(), messagesOf(s, i)
				if messages < r.Least || messages > r.Most {
					t.Errorf("%s, field %d: %g messages, outside %v", name, i, messages, r)
				}
				if name == "fixed" && r.Least != r.Most {
					t.Errorf("fixed, field %d: from %g to %g", i, r.Least, r.Most)
				}
				sum += messages
				return nil
			},
		})
		tests.NoError(t, err)
		if sum != float64(progress.Load()) {
			t.Errorf("%s: decisions of %g messages, and %d were simulated", name, sum, progress.Load())
		}
	}
}

// What needs more memory than there is is refused with both numbers.
func TestFits(t *testing.T) {
	if err := Fits("a moment", 1<<20); err != nil {
		t.Error(err)
	}
	tests.Fails(t, "^all configurations need 1e+09 GB, and there are ")(Fits("all configurations", 1e18))
}
