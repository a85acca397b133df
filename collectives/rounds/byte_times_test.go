package rounds_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// Noise of the bandwidth that is always the same is a lower bandwidth, whatever the bytes of a
// round's messages and whichever of them have the whole result.
func TestByteTimesAreABandwidth(t *testing.T) {
	completion := func(a collectives.Algorithm, p collectives.Problem, n noise.Network) []float64 {
		m := rounds.Model{Algorithm: a, Problem: p, OS: noise.None{}, Network: n}
		s, err := m.Shape()
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.NewRunner(nil)
		if err != nil {
			t.Fatal(err)
		}
		trials := []montecarlo.Trial{{Completion: make([]float64, len(s.Checkpoints))}}
		key := rng.NewKey(3, "bytes")
		if err := r.Run(context.Background(), []rng.Key{key}, trials); err != nil {
			t.Fatal(err)
		}
		return trials[0].Completion
	}
	tested := 0
	for _, a := range collectives.Algorithms {
		for _, overhead := range []float64{0, 0.25} {
			p := collectives.Problem{
				Ranks: 13, Bytes: 1 << 10, Latency: 1, Bandwidth: 1 << 8, MemoryBandwidth: 1 << 14,
				Host:       collectives.Host{Overhead: overhead},
				Redundancy: collectives.Redundancy{Max: 2, Sources: 1, Forward: true},
			}
			turns := func(r collectives.Round) bool { return r.Every }
			if s, err := a.Schedule(p); err != nil || s.Queue || s.Memory || slices.ContainsFunc(s.Rounds, turns) {
				continue // links or memory that messages take turns on depend on the bandwidth too
			}
			tested++
			slower := p
			slower.Bandwidth = 1 / (1/p.Bandwidth + 1./64)
			want := completion(a, slower, noise.None{})
			for k, got := range completion(a, p, noise.ByteTimes{
				Network: noise.None{}, Lengths: noise.Constant(1. / 64),
			}) {
				if math.Abs(got/want[k]-1) > 1e-12 {
					t.Errorf("%s, overhead %g, T = %d: %g, want %g", a.Name, overhead, k, got, want[k])
				}
			}
		}
	}
	if tested < 8 {
		t.Errorf("%d cases, want more", tested)
	}
}
