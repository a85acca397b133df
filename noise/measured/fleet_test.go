package measured

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// nodesOf returns nodes of two cores that were watched for a minute; of some of them other
// components act too.
func nodesOf(seed uint64, n int, also map[int]profile.Component) []Node {
	var nodes []Node
	for i := range n {
		p := profile.Profile{OS: []profile.Component{
			{Kind: profile.Poisson, Interval: 20e-3, Duration: noise.Exponential{Average: 20e-6}},
		}}
		if c, ok := also[i]; ok {
			p.OS = append(p.OS, c)
		}
		node := Node{Name: fmt.Sprintf("node%d", i)}
		for core := range 2 {
			key := rng.NewKey(seed, "nodes").Derive(uint64(i)).Derive(uint64(core))
			c, _, err := noise.NewCore(core, 60, p.Draw(key, 60))
			if err != nil {
				panic(err)
			}
			node.Cores = append(node.Cores, c)
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// Odd nodes are found, those that are odd in the same way together; the profile has their shares,
// and what is odd is said.
func TestOddNodesAreFound(t *testing.T) {
	slow := profile.Component{Kind: profile.Poisson, Interval: 1, Duration: noise.Constant(2.1e-3)}
	busy := profile.Component{Kind: profile.Poisson, Interval: 2e-3, Duration: noise.Constant(50e-6)}
	nodes := nodesOf(1, 20, map[int]profile.Component{7: slow, 3: busy, 11: busy})
	p, groups, err := FitFleet(nodes, "fleet")
	tests.NoError(t, err)
	var names []string
	for _, g := range groups[1:] {
		names = append(names, g.Names())
	}
	slices.Sort(names)
	if len(groups[0].Nodes) != 17 || len(names) != 2 || names[1] != "node7" ||
		names[0] != "node3, node11" && names[0] != "node11, node3" {
		t.Fatalf("%d nodes are alike, and odd are %q", len(groups[0].Nodes), names)
	}
	for i, c := range p.Classes {
		if want := float64(len(groups[i].Nodes)) / 20; math.Abs(c.Share-want) > 1e-12 {
			t.Errorf("class %d has the share %g, not %g", i, c.Share, want)
		}
	}
	for _, g := range groups[1:] {
		if odd := strings.Join(g.Odd, "; "); g.Names() == "node7" && !strings.Contains(odd, "overhead 0.3") {
			t.Errorf("node 7 is odd since %s", odd)
		}
	}
	if _, _, err := FitFleet(nodes[:1], "one"); err == nil {
		t.Error("one node is a fleet")
	}
	equal := nodesOf(2, 5, nil)
	if p, groups, err := FitFleet(equal, "equal"); err != nil || len(groups) != 1 || p.Classes != nil {
		t.Errorf("of equal nodes: %v, %d groups, classes %v", err, len(groups), p.Classes)
	}
	again, _, err := FitFleet(nodes, "fleet")
	if err != nil || len(again.Classes) != len(p.Classes) || again.OS[0] != p.OS[0] {
		t.Error("the same nodes give another profile")
	}
}

// histogramsOf returns the detours of nodes in bins of a microsecond.
func histogramsOf(nodes []Node) []Node {
	var all []Node
	for _, n := range nodes {
		h := &Histogram{Cores: len(n.Cores)}
		bins := map[float64]float64{}
		for _, c := range n.Cores {
			h.Span += c.Span
			for _, d := range c.Detours {
				bins[math.Floor(d.Length/us)+0.5]++
			}
		}
		for at, count := range bins {
			h.Values, h.Counts = append(h.Values, at*us), append(h.Counts, count)
		}
		all = append(all, Node{Name: n.Name, Lengths: h})
	}
	return all
}

// drawn returns nodes with histograms of two cores: of each node as many short and long detours as
// count draws.
func drawn(seed uint64, n int, count func(r rng.Stream) (short, long float64)) []Node {
	var nodes []Node
	for i := range n {
		short, long := count(rng.New(rng.NewKey(seed, "drawn").Derive(uint64(i))))
		nodes = append(nodes, Node{Name: fmt.Sprintf("node%d", i), Lengths: &Histogram{
			Values: []float64{3 * us, 700 * us}, Counts: []float64{short, long}, Span: 120, Cores: 2}})
	}
	return nodes
}

// Equal nodes are divided in about one of a hundred fleets: whether their detours come
// without memory, both cores have them together, or nodes vary more than by chance. A node that was
// watched for longer has longer detours, and is not odd for that.
func TestEqualNodesAreOneGroup(t *testing.T) {
	fleets := tests.Part(100, 40)
	for name, fleet := range map[string]func(seed uint64) []Node{
		"traces": func(seed uint64) []Node { return nodesOf(seed, 6, nil) },
		"for longer": func(seed uint64) []Node {
			nodes := nodesOf(seed, 6, nil)
			for i := range 5 {
				for core, c := range nodes[i].Cores {
					end := slices.IndexFunc(c.Detours, func(d noise.Detour) bool { return d.Start >= 5 })
					nodes[i].Cores[core] = noise.Core{ID: core, Span: 5, Detours: c.Detours[:end]}
				}
			}
			return nodes
		},
		"Poisson": func(seed uint64) []Node { return histogramsOf(nodesOf(seed, 6, nil)) },
		"shared": func(seed uint64) []Node {
			nodes := nodesOf(seed, 12, nil)
			for i := range nodes {
				nodes[i].Cores[1] = nodes[i].Cores[0]
			}
			return histogramsOf(nodes)
		},
		"various": func(seed uint64) []Node {
			return drawn(seed, 9, func(r rng.Stream) (short, long float64) {
				return math.Round(1e6 * (1 + 0.02*r.NormFloat64())), math.Round(900 * (1 + 0.2*r.NormFloat64()))
			})
		},
		"rare": func(seed uint64) []Node {
			return drawn(seed, 50, func(r rng.Stream) (short, long float64) {
				if r.Float64() < 0.1 {
					long = 1
				}
				return 0, long
			})
		},
		"silent": func(seed uint64) []Node {
			return drawn(seed, 5, func(rng.Stream) (short, long float64) { return 0, 0 })
		},
	} {
		divided := 0
		for seed := range uint64(fleets) {
			if _, odd := divide(fleet(seed), nil); len(odd) > 0 {
				divided++
			}
		}
		if divided > tests.Part(5, 3) { // more has a probability of 0.1% at most
			t.Errorf("%s: %d of %d fleets of equal nodes are divided", name, divided, fleets)
		}
	}
}

// Odd nodes are found by their tail, and if nothing was seen of them, while equal nodes vary by more
// than chance; the classes have their noise, and what is odd is said.
func TestOddHistogramsAreFound(t *testing.T) {
	nodes := drawn(1, 20, func(r rng.Stream) (short, long float64) {
		return math.Round(1e6 * (1 + 0.02*r.NormFloat64())), math.Round(40 + 6*r.NormFloat64())
	})
	nodes[7].Lengths.Counts[1] = 400 // of 700 µs
	nodes[3].Lengths.Counts = []float64{0, 0}
	for i := range nodes[12].Lengths.Counts { // twice as many in twice the time
		nodes[12].Lengths.Counts[i] *= 2
	}
	nodes[12].Lengths.Span *= 2
	p, groups, err := FitFleet(nodes, "fleet")
	tests.NoError(t, err)
	odd := map[string]string{}
	for _, g := range groups[1:] {
		odd[g.Names()] = strings.Join(g.Odd, "; ")
	}
	for node, want := range map[string]string{
		"node3": "overhead 0%, of usual nodes 2.53%; 0/s are longer than 300 µs, of usual nodes 0.332/s",
		"node7": "overhead 2.73%, of usual nodes 2.53%; 3.33/s are longer than 300 µs, of usual nodes 0.332/s",
	} {
		if len(odd) != 2 || !strings.HasPrefix(odd[node], want) {
			t.Errorf("odd are %q, not %s: %s", odd, node, want)
		}
	}
	if len(p.Classes) != 3 || len(p.OS) != 2 || p.OS[0].Kind != profile.Poisson {
		t.Fatalf("%+v", p)
	}
	usual := nodes[0].Lengths.rates()
	if p.OS[0].Class != 1 || math.Abs(p.OS[0].Overhead()/usual[0]-1) > 0.05 {
		t.Errorf("the usual nodes have %+v, and not an overhead of %g", p.OS[0], usual[0])
	}
	again, _, err := FitFleet(nodes, "fleet")
	if err != nil || fmt.Sprint(again) != fmt.Sprint(p) {
		t.Error("the same nodes give another profile")
	}
	slices.Reverse(nodes)
	if _, again, err := FitFleet(nodes, "fleet"); err != nil || len(again) != 3 || len(again[0].Nodes) != 18 {
		t.Errorf("in another order there are %d groups, %v", len(again), err)
	}
}

// Classes of wake-ups have shares of steps, for any number of samples of a node.
func TestOddWakeups(t *testing.T) {
	nodes := drawn(2, 12, func(r rng.Stream) (short, long float64) {
		return math.Round(1e4 * (1 + 0.02*r.NormFloat64())), math.Round(100 + 10*r.NormFloat64())
	})
	for i := range nodes {
		h := nodes[i].Lengths
		h.Wakeups, h.Span = true, 0
		h.Values, h.Counts = append(h.Values, 0), append(h.Counts, 1e5)
	}
	nodes[5].Lengths.Counts[1] *= 30
	for i := range nodes[8].Lengths.Counts {
		nodes[8].Lengths.Counts[i] *= 10
	}
	p, groups, err := FitFleet(nodes, "fleet")
	if err != nil || len(groups) != 2 || groups[1].Names() != "node5" {
		t.Fatalf("%v, %d groups", err, len(groups))
	}
	if c := p.OS[0]; c.Kind != profile.Bernoulli || math.Abs(c.Probability-0.0909) > 0.002 ||
		c.Duration.(noise.Empirical).Check() != nil {
		t.Errorf("%+v", c)
	}
	want := "wake-ups are late by 17.4 µs on average, of usual nodes by 855 ns; 2.45% are late by more than " +
		"300 µs, of usual nodes 0.0835%"
	if odd := strings.Join(groups[1].Odd, "; "); odd != want {
		t.Error(odd)
	}
}

// What was measured by different tools is not compared.
func TestFleetsOfSeveralTools(t *testing.T) {
	traced := nodesOf(1, 3, nil)
	mixed := slices.Concat(traced[:1], histogramsOf(traced[1:]))
	want := "node0 has detours with times and node1 a histogram of detours, which cannot be compared; " +
		"measure all nodes with one tool"
	tests.Fails(t, "^"+want+"$")(FitFleet(mixed, "mixed"))
}
