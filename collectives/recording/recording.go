// Package recording is what happened in one trial of a collective, of whatever kind:
// what every rank did at each time, and the critical path.
//
// A trial is a graph of moments. Each followed on another, on the same rank or at the
// sender of a message, and something of one [Kind] took up the time between. The
// longest way through that graph, back from the last moment, is the critical path.
package recording

// A Recording is what happened in one trial.
type Recording struct {
	// Ranks is how many there are. Each has as many lanes, one after the other.
	Ranks  int
	Tracks []Track
	// End is the last moment, at the completion.
	End *Moment
	// Copies are, of each rank, the redundant copy that won in the end.
	Copies []Message
}
