package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/internal/units"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// A Node is what was measured of one node of a fleet.
type Node struct {
	Name string
	trace.Trace
}

// A Group is nodes of a fleet that no test distinguishes, and their noise.
type Group struct {
	Nodes   []Node
	Profile profile.Profile
	// Odd says what these nodes have that usual ones have not; it is empty for usual ones.
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

// Fleet divides nodes into groups that differ, the usual one first, and returns a profile with a
// class for each, with the share of its nodes.
//
// The time of each node is cut into windows, each with an overhead and a longest detour, on average
// over its cores, which may have detours together. The node that deviates most is odd as long as a
// permutation test says so: its statistic is the largest deviation that a node's mean of either has
// from the median node's, and at most one in a hundred permutations of all windows among the nodes
// has a larger one. So a fleet of equal nodes is one group with a probability of 99%. Odd nodes are
// divided among themselves in the same way. It fails for fewer than two nodes.
func Fleet(nodes []Node, name string) (profile.Profile, []Group, error) {
	p := profile.Profile{Name: name}
	if len(nodes) < 2 {
		return p, nil, errors.New("a fleet has at least two nodes; import the files of one by their names")
	}
	var groups []Group
	for rest := nodes; len(rest) > 0; {
		alike, odd := divide(rest)
		groups, rest = append(groups, Group{Nodes: alike}), odd
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
			g.Odd = beyond(g.Profile, groups[0].Profile)
		}
		class := 0 // of all nodes
		if len(groups) > 1 {
			class = i + 1
			p.Classes = append(p.Classes,
				profile.Class{Name: label, Share: float64(len(g.Nodes)) / float64(len(nodes))})
			p.Provenance = append(p.Provenance, profile.Note{Key: label, Text: g.Names()})
		}
		for _, c := range g.Profile.OS {
			c.Class = class
			p.OS = append(p.OS, c)
		}
		if g.Profile.Fit.Verdict != profile.Good {
			p.Caveats = append(p.Caveats, fmt.Sprintf("The components of %s nodes do not describe their traces "+
				"well: %s", label, g.Profile.Fit.Reason))
		}
	}
	return p, groups, p.Check()
}

// fit finds the noise of all nodes of the group together.
func (g *Group) fit(label string) (err error) {
	var all trace.Trace
	for _, n := range g.Nodes {
		all.Cores = append(all.Cores, n.Cores...)
		all.Resolution = max(all.Resolution, n.Resolution)
	}
	g.Profile, err = Trace(all, label)
	return err
}

// Numbers of the test.
const (
	permutations = 999
	significant  = 10 // this many statistics in all may be as large, the true one included
)

// divide returns the nodes that are alike, and the others.
func divide(nodes []Node) (alike, odd []Node) {
	alike = slices.Clone(nodes)
	for len(alike) > 1 {
		windows := windowsOf(alike)
		most, node := windows.deviation()
		larger, random := 1, rng.New(rng.NewKey(uint64(len(alike)), "fleet"))
		for range permutations {
			random.Shuffle(len(windows.of[0]), windows.swap)
			if permuted, _ := windows.deviation(); permuted >= most {
				larger++
			}
			if larger > significant {
				return alike, odd
			}
		}
		odd = append(odd, alike[node])
		alike = slices.Delete(alike, node, node+1)
	}
	return alike, odd
}

// windows are the windows of all nodes, one node after the other.
type windows struct {
	of   [2][]float64 // overhead and longest detour, in standard deviations
	ends []int        // of each node
}

func windowsOf(nodes []Node) *windows {
	w := &windows{}
	for _, n := range nodes {
		var busy, longest [trace.Blocks]float64
		for _, c := range n.Cores {
			var most [trace.Blocks]float64
			for _, d := range c.Detours {
				i := min(int(d.Start/c.Span*trace.Blocks), trace.Blocks-1)
				busy[i] += d.Length / c.Span
				most[i] = max(most[i], d.Length)
			}
			for i := range most {
				longest[i] += most[i]
			}
		}
		for i := range busy {
			w.of[0] = append(w.of[0], busy[i]/float64(len(n.Cores)))
			w.of[1] = append(w.of[1], longest[i]/float64(len(n.Cores)))
		}
		w.ends = append(w.ends, len(w.of[0]))
	}
	for _, of := range w.of {
		if deviation := stat.StdDev(of, nil); deviation > 0 {
			for i := range of {
				of[i] /= deviation
			}
		}
	}
	return w
}

func (w *windows) swap(i, j int) {
	for _, of := range w.of {
		of[i], of[j] = of[j], of[i]
	}
}

// deviation returns the largest deviation of a node from the median, in standard errors, and which
// node has it.
func (w *windows) deviation() (most float64, node int) {
	means := make([]float64, len(w.ends))
	for _, of := range w.of {
		from := 0
		for i, end := range w.ends {
			means[i] = stat.Mean(of[from:end], nil)
			from = end
		}
		sorted := slices.Sorted(slices.Values(means))
		median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		from = 0
		for i, end := range w.ends {
			if d := math.Abs(means[i]-median) * math.Sqrt(float64(end-from)); d > most {
				most, node = d, i
			}
			from = end
		}
	}
	return most, node
}

// beyond returns in words what nodes have that usual ones have not: components, and the overhead.
func beyond(odd, usual profile.Profile) []string {
	like := func(a, b float64) bool { return a < 1.5*b && b < 1.5*a }
	var words []string
	for _, c := range odd.OS {
		if !slices.ContainsFunc(usual.OS, func(u profile.Component) bool {
			return u.Kind == c.Kind && like(u.Rate(), c.Rate()) && like(u.Duration.Mean(), c.Duration.Mean())
		}) {
			words = append(words, fmt.Sprintf("detours of %s every %s that usual nodes have not",
				units.Format(units.Time, c.Duration.Mean(), 3), units.Format(units.Time, 1/c.Rate(), 3)))
		}
	}
	return append(words, fmt.Sprintf("overhead %.3g%%, of usual nodes %.3g%%", 100*odd.Overhead(),
		100*usual.Overhead()))
}
