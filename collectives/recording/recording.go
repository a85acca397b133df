// Package recording represents what happened in one trial of a collective: what every rank
// did at each time, and the critical path. Every engine records into the same types.
//
// A trial is a graph of moments. Each [Moment] was caused by an earlier one, on the same
// rank or at the sender of a message, and an activity of one [Kind] took the time between
// them. The chain of causes from the last moment back to the start is the critical path,
// which [Recording.CriticalPath] returns. A [Track] lists the activities of one rank, or of
// a part of it such as a processor, for pictures.
package recording

import (
	"context"

	"jitterfly/internal/rng"
)

// A Recorder is a runner of an engine that can record a trial.
type Recorder interface {
	// Record simulates the trial that the key names up to a checkpoint, and returns what every
	// rank did, and when.
	Record(ctx context.Context, key rng.Key, checkpoint int) (*Recording, error)
}

// A Recording is what happened in one trial. Times are in seconds from the start.
type Recording struct {
	// Ranks is the number of ranks. Each has the same number of consecutive tracks.
	Ranks  int
	Tracks []Track
	// End is the last moment, at the completion time.
	End *Moment
	// Copies are the redundant copies from which ranks continued in the end.
	Copies []Message
	// Messages are, in rounds, the messages for which ranks waited, without redundant copies.
	Messages []Message
	// Polls is how often ranks polled their connections, and Reads how often they read from one.
	Polls, Reads int
}
