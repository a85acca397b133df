package network

import "math"

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
