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

// Equal nodes are divided in about one of a hundred fleets.
func TestEqualNodesAreOneGroup(t *testing.T) {
	const fleets = 100
	divided := 0
	for seed := range uint64(fleets) {
		if _, odd := divide(nodesOf(seed, 6, nil), nil); len(odd) > 0 {
			divided++
		}
	}
	if divided > 5 { // more has a probability of 0.05% at most
		t.Errorf("%d of %d fleets of equal nodes are divided", divided, fleets)
	}
}

// A node that was watched for longer has longer detours, and is not odd for that.
func TestNodesWatchedForLonger(t *testing.T) {
	const fleets = 20
	divided := 0
	for seed := range uint64(fleets) {
		nodes := nodesOf(seed, 6, nil)
		for i := range 5 {
			for core, c := range nodes[i].Cores {
				end := slices.IndexFunc(c.Detours, func(d noise.Detour) bool { return d.Start >= 5 })
				nodes[i].Cores[core] = noise.Core{ID: core, Span: 5, Detours: c.Detours[:end]}
			}
		}
		if _, odd := divide(nodes, nil); len(odd) > 0 {
			divided++
		}
	}
	if divided > 3 { // more has a probability of 0.01%
		t.Errorf("%d of %d fleets of equal nodes are divided", divided, fleets)
	}
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
