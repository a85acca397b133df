package network

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Each piece of a node's work is preempted alone, also of those that begin at the same moment, but
// not its launch, be that later than others'.
func TestPiecesOfNodes(t *testing.T) {
	const n, p = 20000, 0.1
	os := noise.Superposition{Pieces: []noise.Bernoulli{{Probability: p, Lengths: noise.Constant(1)}}}
	plan := Sequence{Schedule: &collectives.Schedule{Ranks: 2, Direct: true}}
	source := (&Noise{OS: os, Network: noise.None{}}).Source(&plan, 1, nil)
	host, _ := source.Draw(rng.NewKey(1, "pieces"))
	count, both := 0., 0.
	for i := range n + 1 {
		a, b := host.Finish(0, 5, 0)-5, host.Finish(1, 5, 0)-5
		if i == 0 && a+b > 0 {
			t.Error("the launch is preempted")
		}
		count += a
		both += a * b
	}
	for _, c := range []struct{ got, p float64 }{{count, p}, {both, p * p}} {
		if math.Abs(c.got-n*c.p) > 4*math.Sqrt(n*c.p) {
			t.Errorf("%g of %d are preempted, want %g", c.got, n, n*c.p)
		}
	}
}
