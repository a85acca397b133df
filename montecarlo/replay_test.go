package montecarlo_test

import (
	"fmt"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// replayed are configurations of every algorithm, in which noise is frequent.
func replayed() map[string]montecarlo.Config {
	configs := map[string]montecarlo.Config{}
	for _, a := range collectives.Algorithms {
		for _, ranks := range []int{16, 21, 2048} {
			if ranks > 16 && a.Operation != collectives.Allreduce || ranks == 2048 && a.Name == "ring" {
				continue
			}
			c := reference(ranks)
			c.Algorithm = a
			c.OS = noise.Periodic{Period: 2e-4, Duration: 1e-5}
			c.Network = noise.Poisson{Interval: 1e-4, Lengths: noise.Constant(1e-5)}
			configs[fmt.Sprintf("%s/%d", a.Name, ranks)] = c
			stationary(&c)
			c.Problem.Redundancy.Reception = collectives.CPU
			c.Problem.Redundancy.SendOverhead = 1e-7
			c.Problem.Node = collectives.Node{Ranks: 4, Latency: 2e-7, Bandwidth: 1e10}
			if a.Name == "butterfly" {
				c.Problem.Redundancy.Sources = 2
			}
			configs[fmt.Sprintf("%s/%d nodes", a.Name, ranks)] = c
		}
	}
	return configs
}

// A trial played again takes as long as it did, to the last bit, and the way by which it
// took so long leads from its beginning to its end.
func TestReplayIsTheTrial(t *testing.T) {
	won := 0
	for name, c := range replayed() {
		result, _ := run(t, 5, c)
		for trial := range 5 {
			for T := range result.Summaries {
				rec, err := c.Replay(t.Context(), 1, trial, T)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if want := result.Completion[trial*len(result.Summaries)+T]; rec.Completion != want {
					t.Fatalf("%s, trial %d, T = %d: %v, and it was %v", name, trial, T, rec.Completion, want)
				}
				checkSteps(t, name, rec)
				checkWay(t, name, rec, c.Problem.Redundancy.SendOverhead > 0 || c.Algorithm.Operation == collectives.AllToAll)
				for _, steps := range rec.Rounds {
					for _, s := range steps {
						if s.Spare && s.Won {
							won++
						}
					}
				}
			}
		}
	}
	if won < 1000 {
		t.Errorf("only %d redundant copies won", won)
	}
}

// checkSteps checks that each step begins where the one before ended, and that what it
// says fills its time.
func checkSteps(t *testing.T, name string, rec *collectives.Recording) {
	t.Helper()
	for n, steps := range rec.Rounds {
		for r, s := range steps {
			before := rec.Start[r]
			if n > 0 {
				before = rec.Rounds[n-1][r].After
			}
			if s.Before != before {
				t.Fatalf("%s, round %d, rank %d: begins at %v, and the one before ends at %v", name, n, r, s.Before, before)
			}
			want := s.Before
			switch {
			case s.Spare && s.Won:
				want = s.Arrive + s.Lost
			case !s.Spare && s.Won:
				want = s.Arrive + s.Lost + s.Work
			case !s.Spare:
				want = s.Before + s.Lost + s.Work
			}
			if math.Abs(s.After-want) > 1e-11 {
				t.Fatalf("%s, round %d, rank %d: ends at %v, not at %v: %+v", name, n, r, s.After, want, s)
			}
		}
	}
}

// checkWay checks that the critical way goes on in time, from 0 to the completion, and
// that it is filled: nothing on it waits.
func checkWay(t *testing.T, name string, rec *collectives.Recording, posting bool) {
	t.Helper()
	way := rec.Critical()
	end := collectives.Point{Rank: rec.Last, Time: rec.Completion}
	if way.Points[0].Time != 0 || way.Points[len(way.Points)-1] != end {
		t.Fatalf("%s: the way leads from %v to %v, not %v", name, way.Points[0], way.Points[len(way.Points)-1], end)
	}
	for i := 1; i < len(way.Points); i++ {
		a, b := way.Points[i-1], way.Points[i]
		if b.Time < a.Time-1e-12 || i%2 == 1 && a.Rank != b.Rank {
			t.Fatalf("%s: from %v to %v", name, a, b)
		}
	}
	sum := way.Work + way.Lost + way.Wire + way.Held
	if rest := rec.Completion - sum; rest < -1e-11 || !posting && rest > 1e-11 || math.Abs(rest-way.Posting) > 2e-12 {
		t.Fatalf("%s: %v are not the completion, %v", name, way, rec.Completion)
	}
}

func TestSlowestIsTheSlowest(t *testing.T) {
	c := replayed()["butterfly/16"]
	result, _ := run(t, 20, c)
	for T := range result.Summaries {
		trial, err := c.Slowest(t.Context(), 1, 20, T)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Completion[trial*len(result.Summaries)+T]; got != result.Summaries[T].Max {
			t.Errorf("T = %d: trial %d takes %v, and one takes %v", T, trial, got, result.Summaries[T].Max)
		}
	}
}

func TestWhatIsNotRecorded(t *testing.T) {
	hosted := reference(4)
	hosted.Problem.Host.Overhead = 1e-6
	segments := reference(4)
	segments.Algorithm, _ = collectives.Find("ring")
	segments.Problem.Segments = 3
	for _, c := range []montecarlo.Config{flowsOn(t, "torus:2x2", 1), hosted, segments} {
		if _, err := c.Replay(t.Context(), 1, 0, 0); err == nil {
			t.Errorf("%+v is recorded", c.Problem)
		}
	}
}
