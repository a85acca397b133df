package measured

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/internal/vector"
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
		if g.fit(label); i > 0 {
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
func (g *Group) fit(label string) {
	for _, n := range g.Nodes {
		_ = g.all.Add(n.Trace, n.Lengths) // all nodes have the same kind
	}
	if g.all.Lengths != nil {
		g.Profile = FitLengths(*g.all.Lengths, label)
	} else {
		g.Profile = FitTrace(g.all.Trace, label)
	}
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

// Numbers of the test.
const (
	draws       = 999
	significant = 10 // this many statistics in all may be as large, the true one included
	mostWindows = 10 * noise.Blocks
)

// A comparison says how much nodes differ, and draws how much equal nodes may differ by chance.
type comparison interface {
	// deviation returns the largest deviation of a node from the median node, and which node has it.
	deviation() (most float64, node int)
	// redraw replaces what was measured by what equal nodes may have.
	redraw(random rng.Stream)
}

// divide returns the nodes that do not differ by more than chance, and the others. Of odd nodes,
// usual has the nodes that are not odd; of all nodes it is nil.
func divide(nodes, usual []Node) (equal, odd []Node) {
	equal = slices.Clone(nodes)
	for len(equal) > 1 {
		var c comparison
		if equal[0].Lengths != nil {
			c = spreadOf(equal, usual)
		} else {
			c = windowsOf(equal)
		}
		most, node := c.deviation()
		larger, random := 1, rng.New(rng.NewKey(uint64(len(equal)), "fleet"))
		for range draws {
			c.redraw(random)
			if drawn, _ := c.deviation(); drawn >= most {
				larger++
			}
			if larger > significant {
				return equal, odd
			}
		}
		odd = append(odd, equal[node])
		equal = slices.Delete(equal, node, node+1)
	}
	return equal, odd
}

// windows are the windows of all nodes, one node after the other.
type windows struct {
	of     [2][]float64 // overhead and longest detour, in standard deviations
	counts []int        // of each node
}

// windowsOf returns windows that are as long on all nodes: a tenth of the shortest measurement.
// Of a longer one the first hundred are taken at most.
func windowsOf(nodes []Node) *windows {
	w, width := &windows{}, math.Inf(1)
	for _, n := range nodes {
		width = min(width, n.shortest()/noise.Blocks)
	}
	for _, n := range nodes {
		const rounding = 1e-9
		w.add(n, min(int(n.shortest()/width+rounding), mostWindows), width)
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

// shortest returns the shortest time [s] for which a core of the node was watched.
func (n Node) shortest() float64 {
	least := math.Inf(1)
	for _, c := range n.Cores {
		least = min(least, c.Span)
	}
	return least
}

// add adds n windows of a node, of a width [s].
func (w *windows) add(node Node, n int, width float64) {
	busy, longest := make([]float64, n), make([]float64, n)
	for _, c := range node.Cores {
		most := make([]float64, n)
		for _, d := range c.Detours {
			if i := int(d.Start / width); i < n {
				busy[i] += d.Length / width
				most[i] = max(most[i], d.Length)
			}
		}
		for i := range most {
			longest[i] += most[i]
		}
	}
	for i := range n {
		w.of[0] = append(w.of[0], busy[i]/float64(len(node.Cores)))
		w.of[1] = append(w.of[1], longest[i]/float64(len(node.Cores)))
	}
	w.counts = append(w.counts, n)
}

// redraw implements [comparison] by a random order of all windows.
func (w *windows) redraw(random rng.Stream) {
	random.Shuffle(len(w.of[0]), func(i, j int) {
		for _, of := range w.of {
			of[i], of[j] = of[j], of[i]
		}
	})
}

// deviation implements [comparison]. It is the deviation of a mean over windows, in standard errors.
func (w *windows) deviation() (most float64, node int) {
	means := make([]float64, len(w.counts))
	for _, of := range w.of {
		for i, n := range w.counts {
			means[i] = stat.Mean(of[:n], nil)
			of = of[n:]
		}
		middle := vector.Median(means)
		for i, n := range w.counts {
			if d := math.Abs(means[i]-middle) * math.Sqrt(float64(n)); d > most {
				most, node = d, i
			}
		}
	}
	return most, node
}

// spread has of each node by how much its histogram differs from the median node's, one list for
// each number that is compared, in standard deviations of Poisson arrivals. Histograms have no
// times, so that how much the noise of one node varies is not known: the nodes themselves show it, by
// the median of their deviations.
type spread struct {
	of     [][]float64 // by number and node; nil if no node has the number
	scales []float64   // standard deviations of equal nodes, by number; nil if the nodes show it
	least  float64     // such a deviation
}

// tails are lengths [s]: for each the detours that are longer are counted.
var tails = []float64{1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1}

// spreadOf compares the time that detours take, and the numbers of detours longer than each of
// [tails]. Equal nodes vary as the usual ones do, or as these nodes themselves if usual is nil.
func spreadOf(nodes, usual []Node) *spread {
	s := &spread{least: 1, of: make([][]float64, 1+len(tails))}
	if usual != nil {
		s.scales = spreadOf(usual, nil).deviations()
	}
	seen := make([][]float64, 1+len(tails)) // by number and node
	spans := make([]float64, len(nodes))
	squares := 0.0
	for i, n := range nodes {
		values, counts, samples := n.Lengths.detours()
		cores := float64(max(1, n.Lengths.Cores)) // which may have detours together
		spans[i] = n.Lengths.watched(samples) / cores
		for k, rate := range n.Lengths.rates() {
			seen[k] = append(seen[k], rate*spans[i])
		}
		for j, length := range values {
			squares += length * length * counts[j] / cores
		}
	}
	// The time varies as does a number of detours that each take the mean length in proportion to
	// length.
	busy := sum(seen[0])
	for i := range seen[0] {
		seen[0][i] *= busy / max(squares, math.SmallestNonzeroFloat64)
	}
	for i, numbers := range seen {
		if sum(numbers) > 0 && (i == 0 || !slices.Equal(numbers, seen[i-1])) {
			s.of[i] = residuals(numbers, spans)
		}
	}
	return s
}

// residuals returns by how many standard deviations of a Poisson number each number differs from
// what the median rate, or the mean rate if the median is 0, gives in its span: the signed root of
// the deviance.
func residuals(numbers, spans []float64) []float64 {
	rates := make([]float64, len(numbers))
	for i, n := range numbers {
		rates[i] = n / spans[i]
	}
	rate := cmp.Or(vector.Median(rates), sum(numbers)/sum(spans))
	for i, n := range numbers {
		expected := rate * spans[i]
		deviance := expected - n
		if n > 0 {
			deviance += n * math.Log(n/expected)
		}
		rates[i] = math.Copysign(math.Sqrt(2*max(0, deviance)), n-expected)
	}
	return rates
}

// redraw implements [comparison] by normal deviations, of an unknown spread if the nodes show it.
func (s *spread) redraw(random rng.Stream) {
	s.least = 0
	for k, of := range s.of {
		for i := range of {
			of[i] = random.NormFloat64()
		}
		if s.scales != nil {
			s.scales[k] = 1
		}
	}
}

// deviation implements [comparison]. It is in standard deviations of equal nodes.
func (s *spread) deviation() (most float64, node int) {
	scales := s.scales
	if scales == nil {
		scales = s.deviations()
	}
	for k, of := range s.of {
		middle := vector.Median(of)
		for i, x := range of {
			if d := math.Abs(x-middle) / scales[k]; d > most {
				most, node = d, i
			}
		}
	}
	return most, node
}

// deviations returns the standard deviation of each number, from the median of the deviations of the
// nodes.
func (s *spread) deviations() []float64 {
	const perMedian = 1.4826 // standard deviations in the median of a normal variable's deviations
	scales := make([]float64, len(s.of))
	for k, of := range s.of {
		if scales[k] = s.least; of == nil {
			continue
		}
		middle, off := vector.Median(of), make([]float64, len(of))
		for i, x := range of {
			off[i] = math.Abs(x - middle)
		}
		scales[k] = max(s.least, perMedian*vector.Median(off))
	}
	return scales
}

// beyondLengths returns in words how the histogram of odd nodes differs from the histogram of usual nodes:
// the time that detours take, and the longest tail whose numbers differ by half or more.
func beyondLengths(odd, usual Histogram) []string {
	a, b := odd.rates(), usual.rates()
	words := []string{fmt.Sprintf("overhead %.3g%%, of usual nodes %.3g%%", 100*a[0], 100*b[0])}
	if odd.Wakeups {
		words[0] = fmt.Sprintf("wake-ups are late by %s on average, of usual nodes by %s",
			inWords(a[0]), inWords(b[0]))
	}
	for k, tail := range slices.Backward(tails) {
		if more, less := max(a[1+k], b[1+k]), min(a[1+k], b[1+k]); more == 0 || more < 1.5*less {
			continue
		}
		if odd.Wakeups {
			return append(words, fmt.Sprintf("%.3g%% are late by more than %s, of usual nodes %.3g%%",
				100*a[1+k], inWords(tail), 100*b[1+k]))
		}
		return append(words, fmt.Sprintf("%.3g/s are longer than %s, of usual nodes %.3g/s", a[1+k],
			inWords(tail), b[1+k]))
	}
	return words
}

// rates returns the share of the time that detours take, or by how much [s] a wake-up is late on
// average, and then how many detours of a core in a second, or what share of wake-ups, are longer
// than each of [tails].
func (h Histogram) rates() []float64 {
	values, counts, samples := h.detours()
	rates, span := make([]float64, 1+len(tails)), h.watched(samples)
	for i, length := range values {
		rates[0] += length * counts[i] / span
		for k, tail := range tails {
			if length > tail {
				rates[1+k] += counts[i] / span
			}
		}
	}
	return rates
}
