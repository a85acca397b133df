// Package profile describes the noise of a machine as data, and reads and writes it as YAML.
//
// A [Profile] has the detours of one core, as a superposition of components, and the parameters of
// the network between two nodes, measured or assumed. [Profile.Jitter] and [MessageNoise.Model]
// return the models of package noise that simulate them.
//
// Times are in seconds, rates per second and bandwidths in bytes per second; in the
// file each quantity has its unit.
package profile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Version is the version of the format that this package reads and writes.
const Version = 1

// A Profile is the noise of a machine.
type Profile struct {
	Name string
	// OS are the components of the detours of a core. They are superposed, each
	// independent of the others. Without any the machine is noise-free.
	OS []Component
	// Classes are the nodes that differ; without any all nodes are equal.
	Classes []noise.Class
	Network Network
	// Provenance says where the profile comes from. Its order is kept.
	Provenance []Note
	// Caveats are what a reader should know before relying on the profile.
	Caveats []string
	Fit     *Fit // nil if nothing was fitted
	// Edited reports whether the file has changed since [Write] wrote it, apart from comments and
	// layout. It is false for a file without a digest.
	Edited bool
}

// A Note is one entry of a provenance: system, tool, source, ….
type Note struct{ Key, Text string }

// A Component is one cause of detours.
type Component struct {
	Name  string // "" if it has none
	Kind  Kind
	Scope Scope // "" for the scope that the study names
	// Class is the number, from 1, of the class whose nodes have the component; 0 is all nodes. A
	// profile has components in the order of their classes.
	Class int
	// The kind determines which of the following apply. The others are zero.
	Period      float64 // periodic: seconds from one beginning to the next
	Interval    float64 // poisson: mean seconds from one arrival to the next
	Probability float64 // bernoulli: of a detour in a piece of work
	// Trace names the file to replay: a path with slashes, relative to the profile's directory,
	// that does not leave it by its words. Open it with [os.Root], which does not let links leave
	// either.
	Trace       string
	TraceDigest string // SHA-256 of that file in hexadecimal digits, or empty
	// Duration is the distribution of the detours' lengths, of all kinds except replay.
	Duration noise.Length
	// Remedy is what is done about the component, which changes no other one. Files have none.
	Remedy noise.Remedy
}

// A Scope says which ranks a detour preempts together.
type Scope string

// The scopes.
const (
	Rank Scope = "rank" // one rank
	Node Scope = "node" // the ranks of a node
	All  Scope = "all"  // all ranks
)

// Scopes are the names of the scopes.
var Scopes = []string{string(Rank), string(Node), string(All)}

// Label returns the name of the i-th component, os[i] if it has none. Those of a class begin with
// the label of that.
func (p Profile) Label(i int) string {
	name, class := p.OS[i].Name, p.OS[i].Class
	if name == "" {
		first := slices.IndexFunc(p.OS, func(c Component) bool { return c.Class == class })
		name = fmt.Sprintf("os[%d]", i-first)
	}
	if class > 0 {
		name = p.ClassLabel(class-1) + "." + name
	}
	return name
}

// A Network has the cost of a message, by the parameters of LogGP, and the noise that is added. A
// nil parameter is not given.
type Network struct {
	Latency   *float64 // L or α, seconds
	Bandwidth *float64 // 1/G or 1/β, bytes per second
	Overhead  *float64 // o: seconds of a processor for each message
	Gap       *float64 // g: least seconds between messages
	// SendOverhead is c: seconds that posting one redundant copy takes.
	SendOverhead *float64
	Noise        *MessageNoise
}

// Noisy reports whether messages are delayed.
func (n Network) Noisy() bool { return n.Noise != nil }

// MessageNoise is the noise that delays messages.
type MessageNoise struct {
	// Interval is the mean time in transit between two events that delay a message by Duration. If
	// it is 0, there are no events, and each message takes one Duration beyond its latency.
	Interval float64
	Duration noise.Length
}

// A Verdict is whether the components describe the trace that they were fitted to.
type Verdict string

// The verdicts.
const (
	// Good means that the components describe the trace.
	Good Verdict = "good"
	// ReplayIt means that they do not, and that the trace itself should be replayed.
	ReplayIt Verdict = "replay"
)

// A Fit is how well the components describe the trace that they were fitted to.
type Fit struct {
	// Criterion is what a good fit must fulfil, in words.
	Criterion string
	// KS is the greatest difference between the shares of detours up to a
	// length, of the components and of the trace.
	KS float64
	// OverheadError is by how much the share of time that the components take
	// exceeds the trace's, relative to it.
	OverheadError float64
	// P999Error is by how much the length that a thousandth of detours exceed
	// exceeds the trace's, relative to it.
	P999Error float64
	Verdict   Verdict
	// Reason says in words why the verdict is replay; "" if it is good.
	Reason string
}

// Rate returns the expected number of detours of a core in a second, on average over the shares of
// classes, of the components for which the profile determines it: periodic and Poisson ones.
// Bernoulli ones depend on the work, replayed ones on their trace. Detours that meet count as two.
func (p Profile) Rate() float64 { return p.average(Component.Rate) }

// Overhead returns the expected share of time that the detours take, of the components
// that [Profile.Rate] counts.
func (p Profile) Overhead() float64 { return p.average(Component.Overhead) }

// average returns the sum over the components, each times its share of nodes.
func (p Profile) average(of func(c Component) float64) (sum float64) {
	for _, c := range p.OS {
		sum += p.part(c) * of(c)
	}
	return sum
}

// Rate returns the component's share of [Profile.Rate].
func (c Component) Rate() float64 {
	if s, ok := c.Source(); ok {
		return s.Rate()
	}
	return 0
}

// Overhead returns the component's share of [Profile.Overhead].
func (c Component) Overhead() float64 {
	if s, ok := c.Source(); ok {
		return s.Rate() * s.Length().Mean()
	}
	return 0
}

// Groups are the ranks that detours preempt together.
type Groups struct {
	Default Scope // of components without a scope; "" is Rank
	Node    int   // ranks on a node; 0 is 1
}

// shared returns how many consecutive ranks detours of a scope preempt together.
func (g Groups) shared(s Scope) int {
	switch cmp.Or(s, g.Default) {
	case Node:
		return g.Node
	case All:
		return math.MaxInt
	}
	return 1
}

// Source returns the model of the component's detours. It reports false for a kind that is not a
// source of its own: pieces of work that are preempted, and a trace that is to be read.
func (c Component) Source() (noise.Generator, bool) {
	if r, _ := c.Kind.find(); r.source != nil {
		return r.source(c), true
	}
	return nil, false
}

// Jitter returns the model of the profile's detours, and of nodes that differ, given the replays of
// traces by their names in the profile.
func (p Profile) Jitter(launch noise.Start, groups Groups, traces map[string]noise.Replay) (noise.OS, error) {
	if len(p.Classes) == 0 {
		return p.jitter(launch, groups, traces)
	}
	fleet := noise.Fleet{Node: groups.Node}
	for i, c := range p.Classes {
		var err error
		if c.OS, err = p.ofClass(i).jitter(launch, groups, traces); err != nil {
			return nil, fmt.Errorf("%s: %w", p.ClassLabel(i), err)
		}
		fleet.Classes = append(fleet.Classes, c)
	}
	return fleet.Reduced(), nil
}

// jitter is Jitter of nodes without classes.
func (p Profile) jitter(launch noise.Start, groups Groups, traces map[string]noise.Replay) (noise.OS, error) {
	s, pieces := noise.Superposition{Start: launch}, uint64(0)
	for _, c := range p.OS {
		component := noise.Component{Shared: groups.shared(c.Scope), Remedy: c.Remedy}
		source, ok := c.Source()
		switch {
		case ok:
			component.Generator = source
		case c.Kind == Replay:
			replay := traces[c.Trace]
			if replay.Trace.Overhead() == 0 {
				continue
			}
			component.Generator = replay
		default:
			if c.Remedy.Aligned {
				component.Shared = math.MaxInt
			}
			b := noise.Bernoulli{Probability: c.Probability, Lengths: c.Duration,
				Shared: component.Shared, Stream: pieces}
			if c.Remedy.Factor > 0 {
				b.Lengths = c.Duration.Scaled(c.Remedy.Factor)
			}
			if pieces++; !c.Remedy.Removed {
				s.Pieces = append(s.Pieces, b)
			}
			continue
		}
		s.Components = append(s.Components, component)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Draw returns detours of one core of a usual node over a span of time [s], the detours of its
// components one after the other, as far as these are sources of their own. It begins with none
// under way.
func (p Profile) Draw(key rng.Key, span float64) []noise.Detour {
	var all []noise.Detour
	for i, c := range p.OS {
		if c.Class > 0 && c.Class != p.Usual()+1 {
			continue
		}
		if source, ok := c.Source(); ok {
			all = append(all, noise.DrawTrace(source, key.Derive(uint64(i)), span)...)
		}
	}
	return all
}

// Model returns the model of the noise that delays messages.
func (n Network) Model() noise.Network {
	switch m := n.Noise; {
	case m == nil:
		return noise.None{}
	case m.Interval == 0:
		return noise.Latencies{Lengths: m.Duration}
	default:
		return noise.PoissonDelays{Interval: m.Interval, Lengths: m.Duration}
	}
}

// Rescaled returns the network with its measured latencies scaled so that their middle is the
// latency L. The shortest of them [s] is given, and the network's noise is what others take beyond
// it; middle returns the mean or the median of a length. De Sensi et al. ("Noise in the Clouds",
// 2022) do so where different tools measured L and the latencies. It fails if the network has no L
// or no measured latencies.
func (n Network) Rescaled(shortest float64, middle func(noise.Length) float64) (Network, error) {
	if n.Latency == nil || n.Noise == nil || n.Noise.Interval != 0 {
		return n, errors.New("there is no latency to which measured latencies could be scaled")
	}
	factor := *n.Latency / (shortest + middle(n.Noise.Duration))
	base := shortest * factor
	n.Latency, n.Noise = &base, &MessageNoise{Duration: n.Noise.Duration.Scaled(factor)}
	return n, nil
}

// Median returns the median of a length [s].
func Median(l noise.Length) float64 { return l.Quantile(0.5) }
