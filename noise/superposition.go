package noise

import (
	"errors"
	"fmt"
	"math"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
)

// Superposition is OS jitter from several sources at once. A detour that begins during
// another waits for its end: noise is work of the processor's as well, and all of it goes
// before what the rank does. So a rank's detours are the times in which any noise is left
// to do, and the preemption rule is that of [Detours].
//
// At a [Synchronized] start no source has begun a detour before. At a [Random] one the noise that
// [PoissonDetours] have left to do is drawn, from its distribution at any moment. With other sources
// beside them that is drawn for a moment so long before the launch that what they have left then
// makes no difference at the launch. See backlog.go.
//
// With Shared, ranks 0 … Shared−1 have the same detours, the next as many others, and so
// on; if it is the number of ranks, all ranks have the same.
type Superposition struct {
	Sources []Source
	Start   Start
	Shared  int // ranks with the same detours; 0 is 1
}

// A Source of detours has the same distribution for every rank: [Ticks], [PoissonDetours] or
// [Replay].
type Source interface {
	// Rate returns the mean number of detours in a second.
	Rate() float64
	// Length returns the distribution of their lengths.
	Length() Length
	// process returns the state of so many phases.
	process(phases int) process
}

// A process draws detours of one source, in windows of time: for every block of phases one
// window after the other.
type process interface {
	// draw begins a trial at the origin [s]. Only a replayed detour has begun before that.
	draw(origin float64, launch Start)
	// window calls add for the detours of a block's phases that begin in [from, to).
	window(stream rng.Stream, of phases, from, to float64, add addDetour)
}

// phases are the n from lo on, and the number of their block.
type phases struct{ block, lo, n int }

// addDetour takes a detour of a phase.
type addDetour func(phase int, start, length float64)

// Hit implements [OS].
func (s Superposition) Hit() float64 {
	hit := 0.0
	for _, source := range s.Sources {
		hit = max(hit, longest(source.Length()))
	}
	return hit
}

// Excess implements [OS].
func (s Superposition) Excess(span float64, _ int, h float64) float64 {
	sum := 0.0
	for _, source := range s.Sources {
		sum += span * source.Rate() * source.Length().Excess(h)
	}
	return sum
}

// Underway implements [OS]. There are as many residuals as in the backlog of [PoissonDetours].
func (s Superposition) Underway(h float64) float64 {
	if s.Start == Synchronized {
		return 0
	}
	sum := 0.0
	for _, source := range s.Sources {
		sum += source.Rate() * source.Length().SquaredExcess(h) / 2
	}
	return sum / (1 - expected(s.Sources))
}

// Detours implements [OS]. One source of ticks of one length is simulated as [Periodic].
func (s Superposition) Detours(room []float64) Detours {
	if len(s.Sources) == 0 {
		return None{}.Detours(room)
	}
	if len(s.Sources) == 1 {
		switch source := s.Sources[0].(type) {
		case Ticks:
			if length, ok := source.Lengths.(Constant); ok && float64(length) < source.Period {
				return Periodic{source.Period, float64(length), s.Start, s.Shared}.Detours(room)
			}
		case Replay:
			return newReplayed(source.Trace, s.Start, s.Shared, room)
		}
	}
	d := &superposed{
		Superposition: s, room: room, stream: rng.New(rng.Key{}), hit: vector.NewBitmask(Block),
	}
	rate := 0.0
	for _, source := range s.Sources {
		rate += source.Rate()
	}
	d.step = 1 / rate
	if d.add = d.insert; s.Start == Random {
		d.origin, d.backlog = -lead(s.Sources), newBacklog(s.Sources)
	}
	d.arrange(newLayout(1, len(room), s.Shared), Block)
	return d
}

// expected returns the share of time that sources take.
func expected(sources []Source) float64 {
	sum := 0.0
	for _, s := range sources {
		sum += load(s)
	}
	return sum
}

// load returns the share of time that a source takes.
func load(s Source) float64 { return s.Rate() * s.Length().Mean() }

// Check returns an error if a source's parameters are out of range, or if the sources leave
// no time for anything else.
func (s Superposition) Check() error {
	for _, source := range s.Sources {
		if err := source.Length().Check(); err != nil {
			return err
		}
		if err := positive("the mean time between detours", 1/source.Rate()); err != nil {
			return err
		}
		if s.Start == Random && math.IsInf(source.Length().SquaredExcess(0), 1) {
			return errors.New("a Pareto length needs a shape above 2 at a random start, since otherwise " +
				"what is left of a detour has no mean; take a synchronized start")
		}
	}
	if share := expected(s.Sources); !(share < 1) {
		return fmt.Errorf("the noise takes %.3g %% of the time, so that nothing could run", 100*share)
	}
	return nil
}

// Met returns how many detours a rank meets on average while it waits for a message [s], those
// included that delay it further. It grows without bound where the noise takes nearly all of the
// time: a rank that is in a detour then stays in detours for long.
func (s Superposition) Met(wait float64) float64 {
	rate, share := 0.0, expected(s.Sources)
	for _, source := range s.Sources {
		rate += source.Rate()
	}
	if rate == 0 {
		return 0
	}
	free := 1 - share
	backlog := share * (share / rate) / free // of detours that wait for each other, to a factor of two
	return (wait + backlog) / free * rate
}

// MetInTrial estimates, to a factor of ten, the detours that are simulated in a trial of the given
// ranks whose messages take wait [s], plus the draws of all sources. It finds noise that takes nearly
// all of the time, and profiles of very many sources.
func (s Superposition) MetInTrial(wait float64, ranks int) float64 {
	const windows = 10 // of each source and block
	phases := math.Ceil(float64(ranks) / float64(max(1, s.Shared)))
	draws := float64(len(s.Sources)) * math.Ceil(phases/Block) * windows
	return phases*math.Log2(phases+1)*s.Met(wait) + draws
}
