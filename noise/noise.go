// Package noise models what delays a rank: detours, in which the operating
// system takes the processor away, and events that hold a message in transit.
//
// A model ([Periodic], [Poisson], …) is a plain struct of its parameters; what
// it does to one trial is drawn into a [Detours] or a [Delays]. Both act on
// blocks of consecutive ranks in place, because a trial consists of little
// else: see the rank loop of collectives.Timeline.
//
// All times are in seconds.
package noise

import (
	"math"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Block is how many ranks share one stream of random numbers. Streams per
// block rather than per trial let blocks be visited in any order, and skipped.
const Block = 1024

// An OS is a model of the detours of every rank.
type OS interface {
	// Detours returns the detours of the ranks, which are as many as room is
	// long, for Draw to fill. It may keep room, one number a rank, for its own
	// use.
	Detours(room []float64) Detours
	// Hit is the length of one detour, in seconds.
	Hit() float64
}

// Detours are those of one trial.
type Detours interface {
	// Draw draws the detours of the trial that the key names.
	Draw(trial rng.Key)
	// Finish replaces each t[i], the time at which rank lo+i may begin a
	// piece of work that needs the processor for work seconds, by the time
	// at which it has done it. It follows the preemption rule:
	//
	//   - a beginning inside a detour [s, s+d) moves to the detour's end;
	//   - every detour that begins before the work is done extends it by the
	//     detour's length, and the extension can meet further detours.
	//
	// The ranks are of one block.
	Finish(lo int, t []float64, work float64)
}

// A Network is a model of what delays messages.
type Network interface {
	// Hit is how long one event holds a message, in seconds.
	Hit() float64
	// Delays returns the delays of messages to so many ranks, for Draw to fill.
	Delays(ranks int) Delays
}

// Delays are those of the messages of one trial.
type Delays interface {
	// Draw draws the delays of the trial that the key names.
	Draw(trial rng.Key)
	// Delay adds to arrive[i], the arrival at rank lo+i of the message of
	// the given exchange (numbered through the collective), what holds that
	// message on its way: the same whatever is there. The ranks are of one block, and are all of that
	// block that take part in the exchange; a message takes transit seconds
	// undisturbed.
	Delay(exchange, lo int, arrive []float64, transit float64)
	// Next is for messages whose transit takes as long as others let it: how
	// many more seconds of transit on a lane until the next event, and how
	// long that holds the message. Lanes are numbered, and their events
	// independent.
	Next(lane int) (transit, hold float64)
	// Extra is how much longer than its latency the next message on a lane takes.
	Extra(lane int) float64
}

// What an executor can do faster depends on what the noise can tell it. Each of the
// following is one such capability. Every model pins at compile time, in its own file,
// which of them its detours or delays have; an executor that misses one says so.

// SparseDetours can list the ranks that they preempt, so that the others need not be
// simulated one by one.
type SparseDetours interface {
	// Preempted appends to ranks those that are in a detour at some time up to
	// the given one [s], in any order.
	Preempted(upto float64, ranks []int) []int
}

// GapDetours know the gap between two detours that each rank is in, so that most work
// costs one comparison.
type GapDetours interface {
	// Gaps returns the gaps of all ranks, of which those of the n from lo, of one
	// block, are valid for work that ends up to a time [s].
	Gaps(lo, n int, upto float64) vector.Gaps
}

// SparseDelays can list the messages that they delay.
type SparseDelays interface {
	// Delayed calls note for each message of the exchange that is delayed, to rank
	// lo+i of the n from lo, in the order of ranks, with its delay [s]. The ranks
	// are as for Delay, which adds the same delays, or all. Few messages of that
	// transit are delayed.
	Delayed(exchange, lo, n int, transit float64, note func(i int, delay float64))
	// Rare reports whether few messages of such a transit [s] are delayed, so
	// that to list them costs less than to look at all.
	Rare(transit float64) bool
}

// Batch is the capability of detours and delays to be those of several trials at the
// same time, whose ranks are at most a [Block] together: rank i of the n-th trial is
// then n·ranks+i. What is drawn is the same as for one trial after another.
type Batch interface {
	DrawBatch(trials []rng.Key, ranks int)
}

// Children of a trial's key.
const (
	osChild = iota
	networkChild
	bernoulliChild
)

// None is the absence of noise, of either kind.
type None struct{}

// Detours implements [OS].
func (None) Detours([]float64) Detours { return quiet{} }

// Delays implements [Network].
func (None) Delays(int) Delays { return quiet{} }

// Hit implements [OS] and [Network].
func (None) Hit() float64 { return 0 }

type quiet struct{}

func (quiet) Draw(rng.Key) {}

func (quiet) DrawBatch([]rng.Key, int) {}

func (quiet) Finish(_ int, t []float64, work float64) {
	if work == 0 {
		return
	}
	for i := range t {
		t[i] += work
	}
}

func (quiet) Delay(int, int, []float64, float64) {}

func (quiet) Preempted(_ float64, ranks []int) []int { return ranks }

func (quiet) Delayed(int, int, int, float64, func(int, float64)) {}

func (quiet) Rare(float64) bool { return true }

func (quiet) Next(int) (transit, hold float64) { return math.Inf(1), 0 }

func (quiet) Extra(int) float64 { return 0 }

var (
	_ OS      = None{}
	_ Network = None{}
)
