package profile

import (
	"errors"
	"fmt"
	"math"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// Groups are the ranks that detours preempt together.
type Groups struct {
	Default Scope // of components without a scope; "" is Rank
	Node    int   // ranks on a node; 0 is 1
}

// shared returns how many consecutive ranks detours of a scope preempt together.
func (g Groups) shared(s Scope) int {
	if s == "" {
		s = g.Default
	}
	switch s {
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

// Jitter returns the model of the profile's detours, and of nodes that differ. read returns the
// traces to replay, by the names in the profile.
func (p Profile) Jitter(
	launch noise.Start, groups Groups, read func(name string) (noise.Trace, error),
) (noise.OS, error) {
	if len(p.Classes) == 0 {
		return p.jitter(launch, groups, read)
	}
	fleet := noise.Fleet{Node: groups.Node}
	for i, c := range p.Classes {
		var err error
		if c.OS, err = p.ofClass(i).jitter(launch, groups, read); err != nil {
			return nil, fmt.Errorf("%s: %w", p.ClassLabel(i), err)
		}
		fleet.Classes = append(fleet.Classes, c)
	}
	return fleet.Reduced(), nil
}

// jitter is Jitter of nodes without classes.
func (p Profile) jitter(
	launch noise.Start, groups Groups, read func(name string) (noise.Trace, error),
) (noise.OS, error) {
	s, pieces := noise.Superposition{Start: launch}, uint64(0)
	for i, c := range p.OS {
		component := noise.Component{Shared: groups.shared(c.Scope), Remedy: c.Remedy}
		source, ok := c.Source()
		switch {
		case ok:
			component.Generator = source
		case c.Kind == Replay:
			t, err := read(c.Trace)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Label(i), err)
			}
			if t.Overhead() == 0 {
				continue
			}
			component.Generator = noise.Replay{Trace: t}
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
