package rounds_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// mostRecorded are the ranks of trials that are recorded in tests.
const mostRecorded = 100

// checkRecorded records a trial at every T, and checks that it completes when it should, to
// the last bit.
func checkRecorded(
	t rapid.TB, s collectives.Schedule, p collectives.Problem,
	os noise.Detours, network noise.Delays, want rounds.Trial,
) {
	t.Helper()
	if s.Ranks > mostRecorded {
		return
	}
	compiled, given := rounds.Compile(&s, p), rounds.NewNoise(os, network)
	for T, at := range want.Completion {
		rec := tests.Must(rounds.Record(context.Background(), compiled, given, T))(t)
		if rec.End.Time != at {
			t.Fatalf("T = %d: recorded as complete at %v, and it was at %v", T, rec.End.Time, at)
		}
	}
}

// An early message is copied twice, and taken from when the receiver's processor is free.
func TestRecordedMessageIsEarly(t *testing.T) {
	p := collectives.Problem{
		Ranks: 3, Bytes: 1000, Latency: 1e-7, Bandwidth: 1e10, MemoryBandwidth: 1e8,
		Host:       collectives.Host{Progress: collectives.Async, Interrupt: 1e-6},
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	s := models.Schedule(t, "butterfly", p)
	none := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays())
	rec := tests.Must(rounds.Record(t.Context(), rounds.Compile(&s, p), none, 0))(t)
	// Rank 1's message comes to rank 0 while that combines what rank 2 has handed it: it
	// takes 10 µs to combine, and as much to copy.
	want := 1e-7 + 1e-7 + (1e-6 + 1e-5) + (1e-6 + 2e-5) + 1e-7 + 1e-7 + 1e-6
	if got := rec.End.Time; got < want*(1-1e-9) || got > want*(1+1e-9) {
		t.Errorf("complete at %v, want %v", got, want)
	}
}
