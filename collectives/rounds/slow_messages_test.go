package rounds

import (
	"slices"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Messages to the same nodes are slow in all calls of a trial, and to other nodes in other trials:
// by the factor of their class, and of the share of ranks that it has.
func TestSlowMessagesOfCalls(t *testing.T) {
	const ranks, perNode = 4096, 2
	fleet := noise.Fleet{Node: perNode, Classes: []noise.Class{
		{OS: noise.None{}, Share: 0.75}, {OS: noise.None{}, Share: 0.25, NetworkSpeed: 0.2},
	}}
	slow := noise.SlowMessages{Network: noise.None{}, Fleet: fleet}
	n := NewNoise(noise.None{}.Detours(nil), slow.Delays(ranks))
	delays := func(trial uint64, call int) []float64 {
		n.drawCall(rng.NewKey(trial, "slow"), call, ranks)
		arrive := make([]float64, ranks)
		for lo := 0; lo < ranks; lo += noise.Block {
			n.Delays.Delay(0, lo, arrive[lo:min(ranks, lo+noise.Block)], noise.Message{Transit: 1})
		}
		return arrive
	}
	first := delays(1, 0)
	for call := range 3 {
		if !slices.Equal(first, delays(1, call)) {
			t.Errorf("call %d has other slow nodes than the first", call)
		}
	}
	if slices.Equal(first, delays(2, 0)) {
		t.Error("two trials have the same slow nodes")
	}
	sum := 0.0
	for r, d := range delays(1, 0) {
		if d != 0 && d != 4 || d != first[r-r%perNode] {
			t.Fatalf("a message to rank %d is %g later, want 0 or 4, as on the rest of its node", r, d)
		}
		sum += d
	}
	if mean := sum / ranks; mean < 0.9 || mean > 1.1 { // 0.25 × 4 ± 0.04
		t.Errorf("messages are %g later on average, want about 1", mean)
	}
}
