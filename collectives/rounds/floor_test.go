package rounds_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// floorOf returns the floor of a trial, and false if the application has none.
func floorOf(t rapid.TB, a *rounds.Application, key rng.Key) (float64, bool) {
	t.Helper()
	floor := a.Floor()
	if floor == nil {
		return 0, false
	}
	return models.Run(t, floor, key)[0].Completion[0], true
}

// No collective completes before the floor of its trial, at any T, whatever its schedule, its hosts and
// the detours are. Over a warm-up that is so of averages only.
func TestNothingIsBelowTheFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _, _, _ := drawApplication(t)
		a.Warmup = 0
		key := rng.NewKey(rapid.Uint64().Draw(t, "key"), "")
		floor, ok := floorOf(t, &a, key)
		offload := a.Collective.Problem.Redundancy.Reception == collectives.Offload
		if ok == (offload || a.Overlap) {
			t.Fatalf("a floor: %v, for %+v, overlap %v", ok, a.Collective.Problem.Redundancy, a.Overlap)
		}
		if least := slices.Min(iterationsOf(&a, runOnce(t, &a, key))); ok && least < floor {
			t.Errorf("an iteration takes %g, below the floor %g", least, floor)
		}
	})
}

// Where detours are long against messages the floor is near: what the last rank that begins waits for, and
// the rest of a detour in which a rank is then.
func TestFloorIsNear(t *testing.T) {
	os := preempted{{{0, 100}}, {{90, 150}}, nil, nil}
	p := collectives.Problem{
		Ranks: 4, Bytes: 8, Latency: 0.1, Bandwidth: 1e3, MemoryBandwidth: 1e9, Segments: 1,
		Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.CPU},
	}
	s := tests.Must(collectives.Butterfly(p))(t)
	a := rounds.Application{
		Collective: scheduled(s, p, os, noDelays(100, p.Ranks)), Iterations: 1, Calls: 1,
	}
	key := rng.NewKey(1, "floor")
	floor, ok := floorOf(t, &a, key)
	least := slices.Min(iterationsOf(&a, runOnce(t, &a, key)))
	if !ok || floor < 149.999 || floor > 150 || least < 150 || least > 151 {
		t.Errorf("a floor of %g and a completion of %g, want 150 and a little more", floor, least)
	}
}
