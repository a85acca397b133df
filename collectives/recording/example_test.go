package recording_test

import (
	"fmt"

	"jitterfly/collectives/recording"
)

// Rank 0 sends a message to rank 1 after a detour of 2 s.
func Example() {
	start := &recording.Moment{Track: 0}
	sent := start.Then(0, recording.Detour, 2).Then(0, recording.Sending, 3)
	arrived := sent.Then(recording.Transit, recording.Wire, 5)
	received := arrived.Then(1, recording.Receiving, 6)
	path := (&recording.Recording{Ranks: 2, End: received}).CriticalPath()
	for i := 0; i < len(path.Points); i += 2 {
		from, to := path.Points[i], path.Points[i+1]
		fmt.Printf("rank %d from %g s to %g s\n", from.Track, from.Time, to.Time)
	}
	fmt.Printf("detours %g s\n", path.Spent[recording.Detour])
	// Output:
	// rank 0 from 0 s to 3 s
	// rank 1 from 6 s to 6 s
	// detours 2 s
}
