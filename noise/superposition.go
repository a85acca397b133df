package noise

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"jitterfly/internal/rng"
)

// Superposition is OS jitter from several components at once. A detour that begins during another
// waits for its end: noise is work of the processor's as well, and all of it goes before what the
// rank does. So a rank's detours are the times in which any noise is left to do, and the preemption
// rule of [Detours] applies.
//
// Every component has random streams of its own, so that its detours are the same whatever is
// done about the others.
//
// At a [Synchronized] start no component has begun a detour before. At a [Random] one the noise
// that [PoissonDetours] have left to do is drawn, from its distribution at any moment. With other
// sources beside them the backlog is drawn for a moment long enough before the launch that what
// they have left then makes no difference at the launch. See the type backlog.
type Superposition struct {
	Components []Component
	Pieces     []Bernoulli // detours in pieces of work, beside those of the components
	Start      Start
}

// A Component is a source of detours and the ranks that it preempts together. Ranks
// 0 … Shared−1 have the same detours, the next Shared ranks others, and so on; from the number of
// ranks on, all have the same.
type Component struct {
	Generator
	Shared int // 0 is 1
	Remedy Remedy
}

// A Remedy is what is done about a component. It changes no random number of another one.
type Remedy struct {
	Removed bool    // the component does not act
	Aligned bool    // its detours begin at the same times on all ranks
	Factor  float64 // what their lengths are multiplied by, above 0 and at most 1; 0 is 1
}

// Components returns components of the sources, each with the same Shared.
func Components(shared int, sources ...Generator) []Component {
	var all []Component
	for _, s := range sources {
		all = append(all, Component{Generator: s, Shared: shared})
	}
	return all
}

// shared returns how many consecutive ranks have the component's detours at the same time.
func (c Component) shared() int {
	if c.Remedy.Aligned {
		return math.MaxInt
	}
	return max(1, c.Shared)
}

// groups returns how many groups of shared consecutive ranks there are.
func groups(ranks, shared int) float64 { return math.Ceil(float64(ranks) / float64(max(1, shared))) }

// grouped reports whether some, but not all, of the ranks have the same detours.
func grouped(shared, ranks int) bool { return 1 < shared && shared < ranks }

// Grouped implements [OS].
func (s Superposition) Grouped(ranks int) bool {
	return slices.ContainsFunc(s.acting(), func(c Component) bool { return grouped(c.shared(), ranks) }) ||
		slices.ContainsFunc(s.Pieces, func(b Bernoulli) bool { return grouped(b.Shared, ranks) })
}

// Slowness implements [OS]: it returns 0.
func (Superposition) Slowness() float64 { return 0 }

// BytesPerRank implements [OS].
func (Superposition) BytesPerRank() float64 { return BytesPerList }

// Superpositions implements [OS].
func (s Superposition) Superpositions() []Superposition { return []Superposition{s} }

// acting returns the components that are not removed, with the sources that act.
func (s Superposition) acting() (acting []Component) {
	for _, c := range s.Components {
		if !c.Remedy.Removed {
			acting = append(acting, c.treated())
		}
	}
	return acting
}

// treated returns the component with the source that acts.
func (c Component) treated() Component {
	if c.Remedy.Factor > 0 {
		c.Generator, c.Remedy.Factor = c.Shortened(c.Remedy.Factor), 0
	}
	return c
}

// A Generator of detours has the same distribution for every rank: [Ticks], [PoissonDetours] or
// [Replay].
type Generator interface {
	// Rate returns the mean number of detours in a second.
	Rate() float64
	// Length returns the distribution of their lengths.
	Length() Distribution
	// Shortened returns the source with its detours at the same times, and their lengths multiplied
	// by a factor above 0 and at most 1.
	Shortened(factor float64) Generator
	// process returns the state of the given number of phases.
	process(phases int) process
}

// A process draws detours of one source, in windows of time: for every block of phases one
// window after the other.
type process interface {
	// draw begins a trial at the origin [s]. Only a replayed detour has begun before that.
	draw(origin float64, launch Start)
	// window appends the detours of a block's phases that begin in [from, to), those of a phase in the order
	// of time.
	window(stream rng.Stream, of phases, from, to float64, all []drawn) []drawn
}

// phases are the n phases of a component from lo on, and the number of their block.
type phases struct{ block, lo, n int }

// A drawn is a detour of a phase.
type drawn struct {
	phase         int32
	start, length float64 // [s]
}

// Hit implements [OS].
func (s Superposition) Hit() float64 {
	hit := 0.0
	for _, c := range s.acting() {
		hit = max(hit, longest(c.Length()))
	}
	for _, b := range s.Pieces {
		hit = max(hit, longest(b.Lengths))
	}
	return hit
}

// Tail implements [OS].
func (s Superposition) Tail(ranks int, span float64, pieces int, h float64) float64 {
	sum := 0.0
	for _, c := range s.acting() {
		sum += float64(groups(ranks, c.shared()) * (span * c.Rate() * c.Length().Excess(h)))
	}
	for _, b := range s.Pieces {
		sum += float64(groups(ranks, b.Shared) * (b.Probability * float64(pieces) * b.Lengths.Excess(h)))
	}
	return sum
}

// Underway implements [OS]. There are as many residuals as in the backlog of [PoissonDetours].
func (s Superposition) Underway(ranks int, h float64) float64 {
	if s.Start == Synchronized {
		return 0
	}
	sum := 0.0
	for _, c := range s.acting() {
		sum += float64(groups(ranks, c.shared()) * (c.Rate() * c.Length().squaredExcess(h) / 2))
	}
	return sum / (1 - expected(s.Components))
}

// Detours implements [OS].
func (s Superposition) Detours(room []float64) Detours {
	d := s.ofComponents(room)
	for _, b := range s.Pieces {
		d = &bernoulliDetours{Bernoulli: b, other: d, stream: rng.New(rng.Key{})}
	}
	return d
}

// ofComponents returns the detours of components. One component of ticks of one length is simulated
// as [Periodic].
func (s Superposition) ofComponents(room []float64) Detours {
	acting := s.acting()
	if len(acting) == 0 {
		return noNoise{}
	}
	if len(s.Components) == 1 {
		if ticks, ok := acting[0].Generator.(Ticks); ok {
			length, ok := ticks.Lengths.(Constant)
			if ok && float64(length) < ticks.Period {
				p := Periodic{ticks.Period, float64(length), s.Start, acting[0].shared()}
				return p.Detours(room)
			}
		}
	}
	return newSuperposed(s, room)
}

// DrawTrace returns the detours that a source begins on one core in a span of time [s].
func DrawTrace(source Generator, key rng.Key, span float64) []Detour {
	var all []Detour
	p := source.process(1)
	p.draw(0, Synchronized)
	for _, d := range p.window(rng.New(key), phases{n: 1}, 0, span, nil) {
		all = append(all, Detour{Start: d.start, Length: d.length})
	}
	return all
}

// expected returns the share of time that components take.
func expected(components []Component) float64 { return sumOf(components, load) }

// load returns the share of time that a source takes.
func load(s Generator) float64 { return s.Rate() * s.Length().Mean() }

// Rate returns the mean number of detours of all components in a second.
func (s Superposition) Rate() float64 { return sumOf(s.Components, Generator.Rate) }

func sumOf(components []Component, of func(Generator) float64) (sum float64) {
	for _, c := range components {
		sum += of(c)
	}
	return sum
}

// Check returns an error if the components leave no time for anything else, or if what is left of a
// detour has no mean at the launch.
func (s Superposition) Check() error {
	for _, c := range s.Components {
		if s.Start == Random && math.IsInf(c.Length().squaredExcess(0), 1) {
			return errors.New("a Pareto length needs a shape above 2 at a random start, since otherwise " +
				"what is left of a detour has no mean; take a synchronized start")
		}
	}
	if share := expected(s.Components); !(share < 1) {
		return fmt.Errorf("the noise takes %.3g%% of the time, so that nothing could run", 100*share)
	}
	return nil
}

// Met returns how many detours a rank meets on average while it waits for a message [s], those
// included that delay it further. It grows without bound where the noise takes nearly all of the
// time: a rank that is in a detour then stays in detours for long.
func (s Superposition) Met(wait float64) float64 {
	rate, share := s.Rate(), expected(s.Components)
	if rate == 0 {
		return 0
	}
	free := 1 - share
	backlog := share * (share / rate) / free // of detours that wait for each other, to a factor of two
	return (wait + backlog) / free * rate
}

// MetInTrial estimates, to a factor of ten, the detours that are simulated in a trial of the given
// ranks whose messages take wait [s], plus the draws of all components. It finds noise that takes
// nearly all of the time, and profiles of very many components.
func (s Superposition) MetInTrial(wait float64, ranks int) float64 {
	const windows = 10 // of each component and block
	phases := 1.0
	for _, c := range s.Components {
		phases = max(phases, groups(ranks, c.Shared))
	}
	draws := float64(len(s.Components)) * math.Ceil(phases/Block) * windows
	return phases*math.Log2(phases+1)*s.Met(wait) + draws
}
