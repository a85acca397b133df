package rounds_test

import (
	"fmt"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// BenchmarkApplication simulates 200 iterations with a T of 0 to 4, as a sweep does, on one core.
// Its ns/message is by the messages up to each T, though of the redundant ones of calls that are
// settled none is simulated.
func BenchmarkApplication(b *testing.B) {
	for _, c := range []struct {
		log2               int
		compute, imbalance float64
	}{
		{6, 0, 0}, {10, 0, 0}, {12, 0, 0}, {12, 100e-6, 0}, {12, 100e-6, 0.02}, {16, 0, 0},
		{16, 100e-6, 0.02},
	} {
		b.Run(fmt.Sprintf("P=2^%d/compute=%g/imbalance=%g", c.log2, c.compute, c.imbalance),
			func(b *testing.B) {
				a := application(1e-6, c.compute, c.imbalance)
				a.Collective.Network = model(2).Network
				a.Collective.Problem.Ranks, a.Collective.Problem.Redundancy.Max = 1<<c.log2, 4
				a.Iterations = 200
				shape := tests.Must(a.Shape())(b)
				runner := tests.Must(a.NewRunner(nil))(b)
				trials, n := []montecarlo.Trial{{Completion: make([]float64, len(shape.Checkpoints))}}, 0
				for b.Loop() {
					keys := []rng.Key{rng.NewKey(uint64(n), "benchmark")}
					tests.NoError(b, runner.Run(b.Context(), keys, trials))
					n++
				}
				messages := float64(n) * (shape.Work - 5*200*float64(int(1)<<c.log2))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/messages, "ns/message")
			})
	}
}
