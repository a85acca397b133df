package figures

import (
	"encoding/json"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// recorded are trials of a butterfly in which noise is frequent.
func recorded(t *testing.T, each func(*collectives.Recording)) {
	t.Helper()
	algorithm, err := collectives.Find("butterfly")
	if err != nil {
		t.Fatal(err)
	}
	c := montecarlo.Config{
		Algorithm: algorithm,
		Problem: collectives.Problem{
			Ranks: 21, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e8,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:      noise.Periodic{Period: 5e-5, Duration: 1e-5, Launch: noise.Stationary},
		Network: noise.Poisson{Interval: 5e-5, Lengths: noise.Constant(1e-5)},
	}
	for trial := range 20 {
		rec, err := c.Replay(t.Context(), 1, trial, 3)
		if err != nil {
			t.Fatal(err)
		}
		each(rec)
	}
}

// What a rank does follows without a gap, and without what it is spared ends when the
// rank is done.
func TestActivitiesFillTheTime(t *testing.T) {
	seen := [kinds]int{}
	recorded(t, func(rec *collectives.Recording) {
		ranks, copies := activities(rec)
		spared := 0
		for r, does := range ranks {
			at, done := 0.0, 0.0
			for _, a := range does {
				if math.Abs(a.from-at) > 1e-12 || a.to <= a.from {
					t.Fatalf("rank %d: %v does not follow on %g", r, a, at)
				}
				at = a.to
				if a.kind != saved {
					done = a.to
				}
				seen[a.kind]++
			}
			if want := rec.Rounds[len(rec.Rounds)-1][r].After; r < 16 && math.Abs(done-want) > 1e-12 {
				t.Fatalf("rank %d is done at %g, not at %g", r, want, done)
			}
			if does[len(does)-1].kind == saved {
				spared++
			}
		}
		if spared != len(copies) {
			t.Errorf("%d ranks are spared something by %d copies", spared, len(copies))
		}
	})
	for k, n := range seen {
		if n == 0 {
			t.Errorf("nobody is ever %v", kind(k))
		}
	}
}

// The events of a trace lie in the trial, slices of a thread do not overlap, and those
// of the critical path fill it.
func TestTrace(t *testing.T) {
	recorded(t, func(rec *collectives.Recording) {
		content, err := Trace("a \"trial\"", rec)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			DisplayTimeUnit string
			TraceEvents     []traceEvent
		}
		if err := json.Unmarshal(content, &read); err != nil {
			t.Fatal(err)
		}
		until := map[[2]int]float64{}
		flows := map[int]int{}
		for _, e := range read.TraceEvents {
			switch e.Phase {
			case "X":
				thread := [2]int{e.Process, e.Thread}
				if e.Time < until[thread]-2e-6 {
					t.Fatalf("%+v begins before %g", e, until[thread])
				}
				until[thread] = e.Time + e.Duration
			case "s", "f":
				flows[e.ID]++
			}
		}
		if end := until[[2]int{criticalProcess, 0}]; math.Abs(end-rec.Completion*1e6) > 1e-5 {
			t.Errorf("the critical path ends at %g µs, the trial at %g s", end, rec.Completion)
		}
		for id, n := range flows {
			if n != 2 {
				t.Errorf("flow %d has %d ends", id, n)
			}
		}
	})
}
