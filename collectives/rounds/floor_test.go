package rounds_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// floorOf returns the floor of a trial, what ranks compute and calls take at least, and false if the
// application has no floor.
func floorOf(t rapid.TB, a *rounds.Application, key rng.Key) (floor, least float64, ok bool) {
	t.Helper()
	m := a.Floor()
	if m == nil {
		return 0, 0, false
	}
	trial := models.Run(t, m, key)[0]
	return trial.Completion[0], trial.LowerBound + a.LeastCalls(), true
}

// No collective completes before the floor of its trial, at any T, whatever its schedule, its hosts and
// the detours are. Over a warm-up that is so of averages only.
func TestNothingIsBelowTheFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _, _, _ := drawApplication(t)
		a.Warmup = 0
		key := rng.NewKey(rapid.Uint64().Draw(t, "key"), "")
		floor, calls, ok := floorOf(t, &a, key)
		offload := a.Collective.Problem.Redundancy.Reception == collectives.Offload
		if ok == (offload || a.Overlap) {
			t.Fatalf("a floor: %v, for %+v, overlap %v", ok, a.Collective.Problem.Redundancy, a.Overlap)
		}
		if least := slices.Min(iterationsOf(&a, runOnce(t, &a, key))); ok && least < max(floor, calls) {
			t.Errorf("an iteration takes %g, below the floor %g, or to compute and call, %g",
				least, floor, calls)
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
	floor, _, ok := floorOf(t, &a, key)
	least := slices.Min(iterationsOf(&a, runOnce(t, &a, key)))
	if !ok || floor < 149.999 || floor > 150 || least < 150 || least > 151 {
		t.Errorf("a floor of %g and a completion of %g, want 150 and a little more", floor, least)
	}
}

// Without noise all ranks compute, and then take what the rounds of the butterfly do. Of ranks that
// compute unevenly the first one counts.
func TestLeastCallsAreReached(t *testing.T) {
	p := collectives.Problem{
		Ranks: 8, Bytes: 1e6, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10, Segments: 1,
		Redundancy: collectives.Redundancy{Sources: 1, Reception: collectives.CPU},
	}
	s := tests.Must(collectives.Butterfly(p))(t)
	a := rounds.Application{
		Collective: scheduled(s, p, make(preempted, p.Ranks), noDelays(100, p.Ranks)),
		Iterations: 4, Warmup: 1, Calls: 2, Compute: rounds.Compute{Mean: 1e-3},
	}
	key, want := rng.NewKey(1, "calls"), 1e-3+2*3*(1e-6+1e-3+1e-4)
	_, even, _ := floorOf(t, &a, key)
	takes := iterationsOf(&a, runOnce(t, &a, key))[0]
	if math.Abs(even-want) > 1e-8 || math.Abs(takes-want) > 1e-8 {
		t.Errorf("at least %g s, and takes %g s, want %g s", even, takes, want)
	}
	a.Compute.Random = 0.1
	if _, uneven, _ := floorOf(t, &a, key); uneven > even-0.05e-3 || uneven < even-0.5e-3 {
		t.Errorf("at least %g s where the work of ranks differs, and %g s where it does not", uneven, even)
	}
}
