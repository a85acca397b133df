package rounds

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
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
			block := arrive[lo:min(ranks, lo+noise.Block)]
			n.delay(0, lo, block, block, 0, noise.Message{Transit: 1})
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

// Spells that always last are none that end, and those that never begin are no slow messages: to the
// last bit, whatever simulates the schedule.
func TestSpellsThatAlwaysLastAndNever(t *testing.T) {
	always, never := noise.Spells{
		Interval: 1e-300,
		Duration: 1e300,
	}, noise.Spells{
		Interval: 1e300,
		Duration: 1e-300,
	}
	for _, a := range collectives.Algorithms {
		if a.Operation != collectives.Allreduce {
			continue
		}
		sizes := []int{64}
		if a.Name == "butterfly" {
			sizes = append(sizes, 2048)
		}
		for _, ranks := range sizes {
			for _, host := range []collectives.Host{{}, {Overhead: 1e-7, Gap: 2e-7}} {
				completion := func(class noise.Class) []float64 {
					class.OS, class.Share = noise.None{}, 0.2
					return completionOf(t, a, ranks, host, class)
				}
				slow := completion(noise.Class{NetworkSpeed: 0.1})
				lasting := completion(noise.Class{NetworkSpeed: 0.1, Spells: always})
				if diff := cmp.Diff(slow, lasting); diff != "" {
					t.Errorf("%s, %d ranks, %+v: without spells (-) and in them (+):\n%s", a.Name, ranks, host, diff)
				}
				plain := completion(noise.Class{})
				unspelled := completion(noise.Class{NetworkSpeed: 0.1, Spells: never})
				if diff := cmp.Diff(plain, unspelled); diff != "" {
					t.Errorf("%s, %d ranks, %+v: without slow messages (-) and spells (+):\n%s", a.Name, ranks, host,
						diff)
				}
				if slices.Equal(plain, slow) {
					t.Errorf("%s, %d ranks: slow messages change nothing", a.Name, ranks)
				}
			}
		}
	}
}

// completionOf returns when three trials complete with nodes of a class.
func completionOf(t *testing.T, a collectives.Algorithm, ranks int, host collectives.Host,
	class noise.Class,
) (all []float64) {
	t.Helper()
	fleet := noise.Fleet{Node: 2, Classes: []noise.Class{
		{OS: noise.Periodic{Period: 1e-3, Duration: 10e-6, Start: noise.Random}, Share: 1 - class.Share}, class,
	}}
	m := Model{
		Algorithm: a,
		Problem: collectives.Problem{
			Ranks: ranks, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10, Segments: 1,
			Node: collectives.Node{Ranks: 1 + 64/ranks, Latency: 1e-7, Bandwidth: 1e10}, Host: host, Leaders: 1,
			Redundancy: collectives.Redundancy{Max: 2, Sources: 1, SendOverhead: 1e-7},
		},
		OS: fleet,
		Network: noise.SlowMessages{
			Network: noise.Latencies{Lengths: noise.Exponential{Average: 1e-7}},
			Fleet:   fleet,
		},
	}
	r, err := m.NewRunner(nil)
	if err != nil {
		t.Fatal(err)
	}
	shape, _ := m.Shape()
	for n := range uint64(3) {
		trial := []montecarlo.Trial{{Completion: make([]float64, len(shape.Checkpoints))}}
		if err := r.Run(t.Context(), []rng.Key{rng.NewKey(n, "spells")}, trial); err != nil {
			t.Fatal(err)
		}
		all = append(all, trial[0].Completion...)
	}
	return all
}
