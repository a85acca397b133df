package montecarlo_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/collectives"
	"jitterfly/internal/vector"
	"jitterfly/noise"
)

// strict are detours whose gaps end right after the time up to which they are asked for, where more is not known:
// who works longer than that meets detours that there are not.
type strict struct {
	collectives.GapDetours
	first, end []float64
}

func (s *strict) Gaps(lo, n int, upto float64) vector.Gaps {
	g := s.GapDetours.Gaps(lo, n, upto)
	for r := lo; r < lo+n; r++ {
		s.first[r], s.end[r] = g.First[r], g.End[r]
		if math.IsInf(g.End[r], 1) {
			s.end[r] = math.Nextafter(upto, math.Inf(1))
			s.first[r] = s.end[r]
		}
	}
	g.First, g.End = s.first, s.end
	return g
}

// Rounds of pairs ask for gaps as far as anybody works in them.
func TestGapsAreKnownFarEnough(t *testing.T) {
	for _, wire := range []float64{10e-9, 1e-6, 40e-6} {
		config := reference(4096)
		config.Problem.Latency = wire
		config.OS = noise.Periodic{Period: 10e-3, Duration: 5e-3}
		config.Network = noise.Poisson{Interval: 1e-2, Lengths: noise.Exponential{Average: 100e-6}}
		loose, tight := newTrials(t, config), newTrials(t, config)
		for n := range 50 {
			loose.play(n, func(d noise.Detours) collectives.Detours { return struct{ collectives.Detours }{d} })
			tight.play(n, func(d noise.Detours) collectives.Detours {
				return &strict{d.(collectives.GapDetours), make([]float64, 4096), make([]float64, 4096)}
			})
			if diff := cmp.Diff(loose.trial, tight.trial); diff != "" {
				t.Fatalf("%g s, trial %d (-as they are +as far as they are asked for):\n%s", wire, n, diff)
			}
		}
	}
}
