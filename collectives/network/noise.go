package network

import "math"

// Host is what the operating systems of the nodes do in one trial.
type Host interface {
	// Finish is when a node, which may begin a piece of work at t, has done the
	// work that needs its processor for work seconds.
	Finish(node int, t, work float64) float64
}

// Delays are the events in the network that strike messages in one trial.
type Delays interface {
	// Next says for how many more seconds a controller of a node can have messages
	// in transit until the next event strikes one, and how long the event holds it.
	// It is asked once for each event, and first for one that is to come. Time in
	// which a message is held does not count as transit.
	Next(node, controller int) (transit, hold float64)
	// Extra is how much longer than its latency the first byte of the next message
	// of a controller takes. It is asked once for each message.
	Extra(node, controller int) float64
}

// NoiseFree is the absence of noise, of either kind.
type NoiseFree struct{}

// Finish implements [Host].
func (NoiseFree) Finish(_ int, t, work float64) float64 { return t + work }

// Next implements [Delays].
func (NoiseFree) Next(int, int) (transit, hold float64) { return math.Inf(1), 0 }

// Extra implements [Delays].
func (NoiseFree) Extra(int, int) float64 { return 0 }

var (
	_ Host   = NoiseFree{}
	_ Delays = NoiseFree{}
)
