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
	"fmt"
	"slices"

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
func (p Profile) Rate() float64 {
	sum := 0.0
	for _, c := range p.OS {
		sum += p.part(c) * c.Rate()
	}
	return sum
}

// Overhead returns the expected share of time that the detours take, of the components
// that [Profile.Rate] counts.
func (p Profile) Overhead() float64 {
	sum := 0.0
	for _, c := range p.OS {
		sum += p.part(c) * c.Overhead()
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
