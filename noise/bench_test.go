package noise

import (
	"testing"

	"jitterfly/internal/rng"
)

// The detours of 1 ms of many ranks, in ns a rank.
func BenchmarkDraw(b *testing.B) {
	const ranks = 1 << 20
	os := Superposition{Start: Random, Components: Components(1,
		Ticks{Period: 1e-3, Lengths: Exponential{Average: 3e-6}},
		PoissonDetours{Interval: 8e-3, Lengths: Exponential{Average: 10e-6}})}
	d, at := os.Detours(make([]float64, ranks)), make([]float64, 1)
	for i := range b.N {
		d.Draw(ranks, rng.NewKey(1, "bench").Derive(uint64(i)))
		for lo := 0; lo < ranks; lo += Block { // one rank of a block has all of them drawn
			at[0] = 1e-3
			d.Finish(Piece{}, lo, at, 1e-9)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ranks, "ns/rank")
}
