// Package noise models what delays a rank: detours, in which the operating system takes
// the processor away, and events that delay a message on its way through the network.
//
// A model ([Periodic], [PoissonDelays], …) is a plain struct of its parameters. Its Detours or
// Delays are state that a trial's noise is drawn into, and act on blocks of consecutive
// ranks in place, since that is most of what a simulation does.
//
// What an executor can do faster depends on the optional interfaces of noise: see [SparseDetours],
// [GapDetours], [EachDetours], [PassingDetours] and [SparseDelays].
//
// A [Trace] is measured noise: when cores were taken away from a program, and for how long.
//
// All times are in seconds.
package noise

import (
	"math"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Block is how many ranks share one stream of random numbers. Since streams belong to
// blocks rather than to trials, blocks can be simulated in any order, and skipped.
const Block = 1024

// An OS is a model of the detours of every rank.
type OS interface {
	// Detours returns detours of as many ranks as room is long, for Draw to fill. It
	// may keep room, one number a rank, for its own use.
	Detours(room []float64) Detours
	// Hit returns the longest delay [s] by one detour, or if lengths have no bound, a length that
	// few detours exceed.
	Hit() float64
	// Tail returns the expected sum [s] of the excess of detours over h, over all ranks and a span
	// of time [s] in which every rank does the given number of pieces of work. A detour that
	// several ranks share counts once. The detours begin after the launch.
	Tail(ranks int, span float64, pieces int, h float64) float64
	// Underway returns the expected sum [s], over all ranks, of the excess over h of the detours
	// that are under way at the launch, each by what remains of it. It is 0 at a [Synchronized]
	// start.
	Underway(ranks int, h float64) float64
	// Slowness returns the largest additional time of work because nodes are slow, relative to its
	// time without noise: 1 at half of the speed.
	Slowness() float64
	// Grouped reports whether some of the ranks, but not all of them, have detours together, so that
	// it matters which ranks are neighbours.
	Grouped(ranks int) bool
	// BytesPerRank returns about how many bytes a rank takes for its detours beside the first of them.
	BytesPerRank() float64
	// Superpositions returns the superposed parts of the jitter, of all classes of a fleet.
	Superpositions() []Superposition
}

// Detours preempt the ranks of a trial.
type Detours interface {
	// Draw draws the detours of the trial that the key names, of the given number of ranks.
	Draw(ranks int, trial rng.Key)
	// Finish replaces each t[i], the time [s] at which rank lo+i may begin the piece p of its
	// work, which needs the processor for work [s], by the time at which that is done. It
	// follows the preemption rule:
	//
	//   - a beginning inside a detour [s, s+d) moves to the detour's end;
	//   - every detour that begins before the work is done extends it by the
	//     detour's length, and the extension can meet further detours.
	//
	// Some detours depend on which piece of work they meet, not only on when. Those of a piece of
	// a rank are the same in a repeated call, from any time on. The ranks belong to one block.
	Finish(p Piece, lo int, t []float64, work float64)
}

// A Piece names a piece of a rank's work in a trial, by numbers that an executor chooses. The
// zero Piece is the launch.
type Piece struct{ Kind, Call, Number, Step int }

// A Network is a model of what delays messages.
type Network interface {
	// Longest returns the longest delay [s] of a message by one event, or if lengths have no bound, a
	// delay that few events exceed.
	Longest() float64
	// Excess returns the expected sum [s] of the excess of events over h, over the messages.
	Excess(messages []Traffic, h float64) float64
	// Delays returns the delays of messages by their receivers, for Draw to fill.
	Delays() Delays
	// Events returns the delays of messages by their senders, for Draw to fill.
	Events() Events
}

// Traffic is Count messages, each of which is in transit for some time [s] without noise.
type Traffic struct{ Transit, Count float64 }

// Delays delay the messages of exchanges, block by block of the ranks that receive them.
type Delays interface {
	// Draw draws the delays of the trial that the key names, as for [Detours].
	Draw(ranks int, trial rng.Key)
	// Delay adds to arrive[i], the arrival [s] at rank lo+i of the message of an exchange, the delay
	// of that message, which does not depend on arrive. Exchanges are numbered through the collective.
	// The ranks are all ranks of one block that receive in the exchange. Without noise each message is in
	// transit for some time [s].
	Delay(exchange, lo int, arrive []float64, transit float64)
}

// Events delay messages that share links, whose time on their way depends on other messages.
// The events and the messages of each sender are numbered, and senders are independent.
type Events interface {
	// Draw draws the events of the trial that the key names.
	Draw(trial rng.Key)
	// Next returns the time [s] that the sender's messages spend in transit between the preceding
	// event and the given event, and the delay [s] of the message by the given event.
	Next(sender, event int) (transit, delay float64)
	// Extra returns the time [s] that the sender's message takes beyond its latency.
	Extra(sender, message int) float64
}

// Each of the following interfaces is a capability of detours or delays that an executor
// may use. Every model pins at compile time, in its own file, which of them it has; an
// executor that misses one says so (package rounds, Plan.Explain).

// SparseDetours know when they preempt nobody, so that nothing needs to be simulated.
type SparseDetours interface {
	// Preempts reports whether a rank may be in a detour at some time from the launch up to the given
	// one [s].
	Preempts(upto float64) bool
}

// GapDetours are periodic, and know for each rank the gap between two detours that it is
// in, so that most work costs one comparison.
type GapDetours interface {
	// Gaps returns the gaps of all ranks. Those of the block of a rank are valid for work that ends
	// by a time [s].
	Gaps(rank int, upto float64) vector.Gaps
}

// EachDetours can finish work that differs from rank to rank, faster than rank by rank.
type EachDetours interface {
	// FinishEach is [Detours].Finish for work[i] [s] of rank lo+i.
	FinishEach(lo int, t, work []float64)
}

// PassingDetours keep lists, and can drop what is over.
type PassingDetours interface {
	// Pass says that in this trial rank i is not asked for any more about times before t[i]
	// [s]; about later ones it is, in any order. Preempts, which is about the time since the launch,
	// must not be called after it.
	Pass(t []float64)
	// Swap exchanges what is known of where ranks are with what was known of others of the trial, which are
	// at other times. The results are the same without it, and take longer.
	Swap(known *Known)
}

// Known is what detours know of where the ranks of a trial are: nothing at first.
type Known struct {
	since, until []float64 // of the gap that a rank was last in [s]
	of           []Known   // of parts
}

// Forget leaves nothing known, before another trial.
func (k *Known) Forget() {
	vector.Fill(k.until, math.Inf(-1))
	for i := range k.of {
		k.of[i].Forget()
	}
}

// SparseDelays can list the messages that they delay.
type SparseDelays interface {
	// Delayed calls note for each delayed message of the exchange to one of the n ranks
	// from lo, in the order of ranks, with its rank lo+i and its delay [s]. The ranks
	// are as for [Delays].Delay, which adds the same delays, or all that there are. It calls nothing, and
	// returns false, if Delay costs less, because many messages of that transit [s] are delayed.
	Delayed(exchange, lo, n int, transit float64, note func(i int, delay float64)) bool
}

// Given is embedded by noise that is given rather than drawn: it implements Draw.
type Given struct{}

// Draw implements [Detours] and [Delays].
func (Given) Draw(int, rng.Key) {}

// Children of a trial's key.
const (
	osChild = iota
	networkChild
	bernoulliChild
)

// None is the absence of noise, of either kind.
type None struct{ Superposition }

// Delays implements [Network].
func (None) Delays() Delays { return noNoise{} }

// Events implements [Network].
func (None) Events() Events { return &senders{} }

// Longest implements [Network]: it returns 0.
func (None) Longest() float64 { return 0 }

// Excess implements [Network]: it returns 0.
func (None) Excess([]Traffic, float64) float64 { return 0 }

type noNoise struct{ Given }

func (noNoise) Finish(_ Piece, _ int, t []float64, work float64) {
	if work != 0 {
		vector.Shift(t, t, work)
	}
}

func (noNoise) Delay(int, int, []float64, float64) {}

func (noNoise) Preempts(float64) bool { return false }

func (noNoise) Delayed(int, int, int, float64, func(int, float64)) bool { return true }

var (
	_ OS            = None{}
	_ Network       = None{}
	_ SparseDetours = noNoise{}
	_ SparseDelays  = noNoise{}
)
