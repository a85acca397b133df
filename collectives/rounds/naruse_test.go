package rounds_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// steps returns the noise-free times [s] of the rounds of an all-to-all on 8 servers of 8 processes,
// relative to step 8, with a barrier between rounds.
func steps(t *testing.T, collective string) []float64 {
	t.Helper()
	p := collectives.Problem{
		Ranks: 64, Bytes: 1e6, Latency: 30e-6, Bandwidth: 250e6, MemoryBandwidth: 10e9,
		Node:       collectives.Node{Ranks: 8, Latency: 1e-6, Bandwidth: 1e9},
		Redundancy: collectives.Redundancy{Sources: 1}, Contention: collectives.HoL,
	}
	s := models.Schedule(t, collective, p)
	simulator, none := rounds.NewSimulator(p.Ranks), rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	var times []float64
	for _, round := range s.Rounds {
		one := s
		one.Rounds = []collectives.Round{round}
		one.Checkpoints = []collectives.Checkpoint{{Rounds: 1, Posters: collectives.Span{Lo: 0, Hi: p.Ranks}}}
		times = append(times, trial(t, simulator, one, p, none).Completion[0])
	}
	first := times[7]
	for i := range times {
		times[i] /= first
	}
	return times
}

// The steps of the ring and of the 2-level ring of Naruse et al. (sections 3.4, 3.6 and 5.1, figures 4,
// 6 and 9): a step that sends a share α to one of two servers takes 1/(1 − α(1 − α)) of the time.
func TestStepsOfRings(t *testing.T) {
	ring := steps(t, "a2a-ring")
	var multiples, others []float64
	for step := 8; step <= 56; step++ {
		if step%8 == 0 {
			multiples = append(multiples, ring[step-1])
		} else {
			others = append(others, ring[step-1])
		}
	}
	if most, least := slices.Max(multiples), slices.Min(others); least < 1.01*most {
		t.Errorf("steps at multiples of 8 take up to %.2f, others %.2f", most, least)
	}
	if ends, inner := stat.Mean(slices.Concat(ring[:7], ring[56:]), nil), stat.Mean(ring[7:56], nil); ends > 0.9*inner {
		t.Errorf("steps at the ends take %.2f, those between %.2f", ends, inner)
	}
	for i, published := range []float64{1.12, 1.23, 1.31, 1.33} {
		if got := ring[8+i]; math.Abs(got-published) > 0.02 {
			t.Errorf("step %d takes %.3f, want %.2f", 9+i, got, published)
		}
	}
	if most := slices.Max(steps(t, "a2a-levels")[7:]); most > 1.01 {
		t.Errorf("a step of the 2-level ring takes %.2f", most)
	}
}
