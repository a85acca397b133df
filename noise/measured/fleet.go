package measured

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A Node has the measurement of one node of a fleet: a trace, or a histogram.
type Node struct {
	Name string
	noise.Trace
	Lengths *Histogram // nil if there is a trace
}

// Add adds cores to the trace of the node, or the samples of a histogram if lengths is not nil. It
// fails if the node has the other.
func (n *Node) Add(cores noise.Trace, lengths *Histogram) error {
	other := Node{Trace: cores, Lengths: lengths}
	if first := len(n.Cores) == 0 && n.Lengths == nil; !first && n.has() != other.has() {
		return fmt.Errorf("it has %s, and another file of %s has %s; measure a node with one tool",
			other.has(), n.Name, n.has())
	}
	if lengths != nil {
		if n.Lengths == nil {
			n.Lengths = &Histogram{Wakeups: lengths.Wakeups}
		}
		n.Lengths.add(*lengths)
		return nil
	}
	n.Cores = append(n.Cores, cores.Cores...)
	n.Resolution = max(n.Resolution, cores.Resolution)
	return nil
}

// has returns in words what was measured.
func (n Node) has() string {
	switch {
	case n.Lengths == nil:
		return "detours with times"
	case n.Lengths.Wakeups:
		return "a histogram of wake-ups"
	}
	return "a histogram of detours"
}

// A Group is nodes of a fleet that no test distinguishes, and their noise.
type Group struct {
	Nodes   []Node
	all     Node // what was measured of all of them
	Profile profile.Profile
	// Odd describes the differences of these nodes from usual nodes; it is empty for usual nodes.
	Odd []string
}

// Names returns the names of the nodes.
func (g *Group) Names() string {
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	return strings.Join(names, ", ")
}

// FitFleet divides nodes into groups that differ, the usual one first, and returns a profile with a
// class for each, with the share of its nodes.
//
// The node that deviates most from the median node is odd as long as at most one in a hundred fleets
// of equal nodes has a node that deviates as much. So a fleet of equal nodes is one group with a
// probability of 99%. Odd nodes are divided among themselves in the same way.
//
// The time of each trace is cut into windows, each with an overhead and a longest detour, on average
// over its cores, which may have detours together. A node deviates by its mean of either, and fleets
// of equal nodes have all windows in random order. A histogram has an overhead and numbers of
// detours, also on average over its cores. A node deviates by any of them, in deviations of the usual
// nodes, which are at least the deviations of Poisson arrivals, and fleets of equal nodes are normal.
//
// It fails for fewer than two nodes, and if some have traces and others histograms.
func FitFleet(nodes []Node, name string) (profile.Profile, []Group, error) {
	p := profile.Profile{Name: name}
	if len(nodes) < 2 {
		return p, nil, errors.New("a fleet has at least two nodes; import the files of one by their names")
	}
	for _, n := range nodes[1:] {
		if first := nodes[0]; n.has() != first.has() {
			return p, nil, fmt.Errorf("%s has %s and %s %s, which cannot be compared; measure all nodes with "+
				"one tool", first.Name, first.has(), n.Name, n.has())
		}
	}
	var groups []Group
	var usual []Node
	for rest := nodes; len(rest) > 0; {
		equal, odd := divide(rest, usual)
		if usual == nil {
			usual = equal
		}
		groups, rest = append(groups, Group{Nodes: equal}), odd
	}
	for i := range groups {
		g := &groups[i]
		label := "usual"
		if i > 0 {
			label = fmt.Sprintf("odd %d", i)
		}
		if err := g.fit(label); err != nil {
			return p, nil, err
		}
		if i > 0 {
			g.Odd = g.beyond(groups[0])
		}
		class := 0 // of all nodes
		if len(groups) > 1 {
			class = i + 1
			p.Classes = append(p.Classes,
				noise.Class{Name: label, Share: float64(len(g.Nodes)) / float64(len(nodes))})
			p.Provenance = append(p.Provenance, profile.Note{Key: label, Text: g.Names()})
		}
		for _, c := range g.Profile.OS {
			c.Class = class
			p.OS = append(p.OS, c)
		}
		if fit := g.Profile.Fit; fit != nil && fit.Verdict != profile.Good {
			p.Caveats = append(p.Caveats, fmt.Sprintf("The components of %s nodes do not describe their traces "+
				"well: %s", label, fit.Reason))
		}
	}
	return p, groups, p.Check()
}

// fit finds the noise of all nodes of the group together.
func (g *Group) fit(label string) (err error) {
	for _, n := range g.Nodes {
		_ = g.all.Add(n.Trace, n.Lengths) // all nodes have the same kind
	}
	if g.all.Lengths != nil {
		g.Profile, err = FitLengths(*g.all.Lengths, label)
	} else {
		g.Profile, err = FitTrace(g.all.Trace, label)
	}
	return err
}

// beyond describes the differences of the nodes of the group from usual nodes.
func (g *Group) beyond(usual Group) []string {
	if g.all.Lengths != nil {
		return beyondLengths(*g.all.Lengths, *usual.all.Lengths)
	}
	odd := g.Profile
	like := func(a, b float64) bool { return a < 1.5*b && b < 1.5*a }
	var words []string
	for _, c := range odd.OS {
		if !slices.ContainsFunc(usual.Profile.OS, func(u profile.Component) bool {
			return u.Kind == c.Kind && like(u.Rate(), c.Rate()) && like(u.Duration.Mean(), c.Duration.Mean())
		}) {
			words = append(words, fmt.Sprintf("detours of %s every %s that usual nodes do not have",
				inWords(c.Duration.Mean()), inWords(1/c.Rate())))
		}
	}
	return append(words, fmt.Sprintf("overhead %.3g%%, of usual nodes %.3g%%", 100*odd.Overhead(),
		100*usual.Profile.Overhead()))
}
