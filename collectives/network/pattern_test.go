package network_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"jitterfly/collectives/network"
)

func permutation(t rapid.TB, targets []int, messages int) network.Pattern {
	t.Helper()
	var text strings.Builder
	for _, target := range targets {
		text.WriteString(strconv.Itoa(target) + "\n")
	}
	p, err := network.ReadPermutation(strings.NewReader(text.String()), len(targets), messages)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// check says whether nodes send to others only, and receive what is sent.
func check(t *testing.T, name string, p network.Pattern) {
	t.Helper()
	messages := 0.0
	defer func() {
		if p.Messages() != messages {
			t.Errorf("%s: %g messages are %g", name, messages, p.Messages())
		}
	}()
	for phase := range p.Phases() {
		receivers := 0
		for node := range p.Nodes() {
			to := p.To(phase, node)
			if to == network.NoNode {
				continue
			}
			if to == node || to < 0 || to >= p.Nodes() || p.From(phase, to) != node {
				t.Fatalf(
					"%s, phase %d: node %d sends to %d, which receives from %d", name, phase, node, to,
					p.From(phase, to),
				)
			}
			receivers++
			messages++
		}
		for node := range p.Nodes() {
			if p.From(phase, node) != network.NoNode {
				receivers--
			}
		}
		if receivers != 0 {
			t.Fatalf("%s, phase %d: some receive what nobody sends", name, phase)
		}
	}
}

func TestAllToAllsSendOnceToAll(t *testing.T) {
	for _, place := range []string{
		"crossbar:1", "crossbar:6", "mesh:5", "mesh:4x3x2", "torus:1x1",
		"torus:1x4", "torus:5x5", "torus:4x4", "torus:6x3", "mesh:3x8", "torus:2x2",
		"torus:7x1", "mesh:2x5",
	} {
		for _, pattern := range network.Patterns {
			p, err := pattern.Pattern(topology(t, place))
			if err != nil {
				continue // another test says for which
			}
			check(t, place+", "+pattern.Name, p)
			sent := map[[2]int]int{}
			for phase := range p.Phases() {
				for node := range p.Nodes() {
					sent[[2]int{node, p.To(phase, node)}]++
				}
			}
			if n := p.Nodes(); len(sent) != n*(n-1) || p.Phases() != n-1 {
				t.Errorf(
					"%s, %s: %d pairs in %d phases, want %d in %d", place, pattern.Name, len(sent), p.Phases(),
					n*(n-1), n-1,
				)
			}
		}
	}
}

// offsets are the places that node 0 of a square sends to, each coordinate between
// minus and plus half the side.
func offsets(p network.Pattern, side int) [][2]int {
	var list [][2]int
	for phase := range p.Phases() {
		to := p.To(phase, 0)
		at := [2]int{to % side, to / side}
		for d := range at {
			if at[d] > side/2 {
				at[d] -= side
			}
		}
		list = append(list, at)
	}
	return list
}

// Section 3.1 of Takaue et al. for a side of 5, written out.
func TestA2ATIsThePapers(t *testing.T) {
	p, err := network.A2AT(topology(t, "mesh:5x5"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]int{
		{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1},
		{2, 0}, {0, 2}, {-2, 0}, {0, -2}, {2, 2}, {-2, -2}, {2, -2}, {-2, 2},
		{2, 1}, {-1, -2}, {1, 2}, {-2, -1}, {2, -1}, {-1, 2}, {1, -2}, {-2, 1},
	}, offsets(p, 5)); diff != "" {
		t.Error(diff)
	}
}

func TestA2ANDGoesThroughTheCoordinates(t *testing.T) {
	p, err := network.A2AND(topology(t, "torus:3x3"))
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]int{{0, 1}, {0, -1}, {1, 0}, {1, 1}, {1, -1}, {-1, 0}, {-1, 1}, {-1, -1}}
	if diff := cmp.Diff(want, offsets(p, 3)); diff != "" {
		t.Error(diff)
	}
}

func TestRandomRingsAreRings(t *testing.T) {
	const nodes = 20
	for _, fresh := range []bool{false, true} {
		p := network.RandomRing(nodes, 3, fresh, rand.New(rand.NewPCG(1, 1)).Shuffle)
		check(t, "ring", p)
		different := map[int]bool{}
		for phase := range p.Phases() {
			steps := 1
			for at := p.To(phase, 0); at != 0; at = p.To(phase, at) {
				steps++
			}
			if steps != nodes {
				t.Errorf("fresh %v, phase %d: the ring of node 0 has %d nodes", fresh, phase, steps)
			}
			different[p.To(phase, 0)] = true
		}
		if p.Phases() != 3 || len(different) > 1 != fresh {
			t.Errorf("fresh %v: %d phases, node 0 has the successors %v", fresh, p.Phases(), different)
		}
	}
	check(t, "ring of one", network.RandomRing(1, 2, true, rand.Shuffle))
	check(t, "no messages", network.RandomRing(3, 0, true, rand.Shuffle))
}

func TestReadPermutation(t *testing.T) {
	p, err := network.ReadPermutation(strings.NewReader("# to whom\n 2\n1\n\n0"), 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "permutation", p)
	got := []int{p.Phases(), p.To(0, 0), p.To(1, 0), p.To(0, 1), p.To(1, 2)}
	if diff := cmp.Diff([]int{2, 2, 2, network.NoNode, 0}, got); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"":           "the list has 0 of 3 nodes; write a line for each",
		"1\n2\n":     "the list has 2 of 3 nodes; write a line for each",
		"1\n3\n0":    `line 2: "3" is not a node; write a number from 0 to 2`,
		"1\nx\n0":    `line 2: "x" is not a node; write a number from 0 to 2`,
		"-1":         `line 1: "-1" is not a node; write a number from 0 to 2`,
		"1\n#\n1\n0": "line 3: node 1 occurs again, after line 1; write each once",
		"0\n1\n2\n0": "line 4: node 0 occurs again, after line 1; write each once",
	} {
		if _, err := network.ReadPermutation(strings.NewReader(text), 3, 1); err == nil ||
			err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for _, c := range []struct{ pattern, place, want string }{
		{"a2and", "crossbar:4", "a2and needs a mesh or a torus, and crossbar:4 is neither"},
		{"a2at", "fat-tree:2x2x4", "a2at needs a mesh or a torus, and fat-tree:2x2x4 is neither"},
		{"a2at", "torus:3x3x3", "a2at needs two dimensions, and torus:3x3x3 has 3"},
		{"a2at", "mesh:9", "a2at needs two dimensions, and mesh:9 has 1"},
		{"a2at", "torus:4096x4096",
			"a2at is among at most 65536 nodes, and torus:4096x4096 has 16777216"},
	} {
		for _, p := range network.Patterns {
			if p.Name != c.pattern {
				continue
			}
			if _, err := p.Pattern(topology(t, c.place)); err == nil || err.Error() != c.want {
				t.Errorf("%s on %s:\n got %v\nwant %s", c.pattern, c.place, err, c.want)
			}
		}
	}
}
