package network

import "math"

// Host models the operating systems of the nodes in one trial.
type Host interface {
	// Finish returns when a node that may begin at t [s] has completed work [s] of its
	// processor. Calls for one node come in the order of t.
	Finish(node int, t, work float64) float64
}

// Delays are the events in the network that delay messages in one trial.
type Delays interface {
	// Next returns how long [s] messages of a node's controller can be in transit before
	// the next event hits one, and how long [s] the event delays that message. It is
	// called once for each event, the first time before the trial starts. Time in which
	// a message is delayed does not count as transit.
	Next(node, controller int) (transit, delay float64)
	// Extra returns how much longer [s] than its latency the first byte of a
	// controller's next message takes. It is called once for each message.
	Extra(node, controller int) float64
}

// NoiseFree is a [Host] without detours and [Delays] without events.
type NoiseFree struct{}

// Finish implements [Host].
func (NoiseFree) Finish(_ int, t, work float64) float64 { return t + work }

// Next implements [Delays].
func (NoiseFree) Next(int, int) (transit, delay float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (NoiseFree) Extra(int, int) float64 { return 0 }

var (
	_ Host   = NoiseFree{}
	_ Delays = NoiseFree{}
)
