package network_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// joints finds which ends of links are at one place, from the routes alone.
type joints struct{ parent []int }

func (j *joints) find(i int) int {
	for j.parent[i] != i {
		i = j.parent[i]
	}
	return i
}

func (j *joints) join(a, b int) { j.parent[j.find(a)] = j.find(b) }

// shapes are the numbers of parts of topologies.
var shapes = []struct {
	name     string
	nodes    int
	links    int // directed
	places   int // nodes and switches
	parallel int // links from one place to another, at most
	unused   int // links
}{
	{"crossbar:1", 1, 2, 3, 0, 2},
	{"crossbar:7", 7, 14, 8, 1, 0},
	{"mesh:7", 7, 12, 7, 1, 0},
	{"mesh:1", 1, 0, 1, 0, 0},
	{"mesh:4x3", 12, 2 * (3*3 + 4*2), 12, 1, 0},
	{"mesh:2x3x4", 24, 2 * (12 + 16 + 18), 24, 1, 0},
	{"torus:1x1", 1, 0, 1, 0, 0},
	{"torus:5x3", 15, 60, 15, 1, 0},
	{"torus:4x6", 24, 96, 24, 1, 0},
	{"torus:1x5", 5, 10, 5, 1, 0},
	{"torus:2x3", 6, 24, 6, 1, 6}, // of two cables one is used
	{"torus:3x4x5", 60, 360, 60, 1, 0},
	{"torus:2x2x2x3", 24, 192, 24, 1, 72},
	{"fat-tree:2x2x4", 16, 96, 16 + 8 + 8 + 4, 1, 0},
	{"fat-tree:4x4x8", 128, 768, 128 + 32 + 32 + 16, 1, 0},
	{"fat-tree:4x4x8:2", 128, 2*128 + 4*64, 128 + 32 + 16 + 8, 1, 0},
	{"dragonfly:1x2x1", 6, 2*6 + 3*2*2, 6 + 6, 1, 0},
	{"dragonfly:2x4x2", 72, 2*72 + 9*4*5, 72 + 36, 1, 0},
}

// joinRoutes joins the ends of links that routes connect. Node n is number n, link l begins at
// nodes+2l and ends at nodes+2l+1. It returns the links used and the length of the longest route.
func joinRoutes(t *testing.T, place network.Topology) (j joints, used map[int]bool, longest int) {
	t.Helper()
	nodes, links := place.Nodes(), place.Links()
	j, used = joints{make([]int, nodes+2*links)}, map[int]bool{}
	for i := range j.parent {
		j.parent[i] = i
	}
	for from := range nodes {
		for to := range nodes {
			if from == to {
				continue
			}
			at, seen := from, map[int]bool{}
			route := place.Route(nil, from, to)
			for _, l := range route {
				l := int(l)
				if l < 0 || l >= links || seen[l] {
					t.Fatalf("%s: the route from %d to %d is %v", place, from, to, route)
				}
				seen[l], used[l] = true, true
				j.join(at, nodes+2*l)
				at = nodes + 2*l + 1
			}
			j.join(at, to)
			longest = max(longest, len(route))
		}
	}
	return j, used, longest
}

// If each link of every route begins where the link before it ends, the routes connect exactly
// the nodes and switches of the topology, and merge none of them.
func TestRoutesFitTogether(t *testing.T) {
	for _, c := range shapes {
		place := models.Place(t, c.name)
		if got := place.String(); got != c.name {
			t.Errorf("%s calls itself %s", c.name, got)
		}
		if place.Nodes() != c.nodes || place.Links() != c.links {
			t.Errorf("%s has %d nodes and %d links, want %d and %d",
				c.name, place.Nodes(), place.Links(), c.nodes, c.links)
			continue
		}
		j, used, longest := joinRoutes(t, place)
		places, between := map[int]bool{}, map[[2]int]int{}
		for n := range c.nodes {
			places[j.find(n)] = true
		}
		if len(places) != c.nodes {
			t.Errorf("%s: of %d nodes %d are different", c.name, c.nodes, len(places))
		}
		for l := range used {
			ends := [2]int{j.find(c.nodes + 2*l), j.find(c.nodes + 2*l + 1)}
			places[ends[0]], places[ends[1]] = true, true
			if between[ends]++; between[ends] > c.parallel {
				t.Errorf("%s: link %d is one of %d in parallel", c.name, l, between[ends])
			}
			if ends[0] == ends[1] {
				t.Errorf("%s: link %d leads nowhere", c.name, l)
			}
		}
		for ends := range between {
			if between[[2]int{ends[1], ends[0]}] == 0 {
				t.Errorf("%s: a link has no link in the other direction", c.name)
			}
		}
		if c.nodes > 1 && (len(places) != c.places || c.links-len(used) != c.unused) {
			t.Errorf("%s: routes meet %d nodes and switches and use all but %d links, want %d and %d",
				c.name, len(places), c.links-len(used), c.places, c.unused)
		}
		if longest != place.Diameter() && c.nodes > 1 {
			t.Errorf("%s: the longest route has %d links, not %d",
				c.name, longest, place.Diameter())
		}
	}
}

// Each kind of topology has small examples and numbers of parts, two or more.
func TestEveryKindHasShapesAndSmallExamples(t *testing.T) {
	kind := func(name string) string {
		kind, _, _ := strings.Cut(name, ":")
		return kind
	}
	small, counted := map[string]int{}, map[string]int{}
	for _, name := range models.SmallTopologies {
		place := models.Place(t, name)
		if n := place.Nodes(); place.String() != name || n < 2 || n > 25 {
			t.Errorf("%s calls itself %s and has %d nodes; want 2 to 25", name, place, n)
		}
		joinRoutes(t, place)
		small[kind(name)]++
	}
	for _, c := range shapes {
		counted[kind(c.name)]++
	}
	for _, name := range network.TopologyExamples() {
		if k := kind(name); small[k] < 2 || counted[k] < 2 {
			t.Errorf("%s has %d small examples and %d numbers of parts; want two", k, small[k], counted[k])
		}
	}
}

// On grids a route has as many links as its ends are apart, the first dimension first;
// halfway around a torus it goes up from even coordinates and down from odd.
func TestGridRoutes(t *testing.T) {
	distance := func(a, b, side int, torus bool) int {
		d := max(a-b, b-a)
		if torus {
			return min(d, side-d)
		}
		return d
	}
	for _, name := range []string{"mesh:4x5", "torus:4x5", "torus:6x3"} {
		g := models.Place(t, name).(*network.Grid)
		X, Y := g.Sides()[0], g.Sides()[1]
		torus := strings.HasPrefix(name, "torus")
		for from := range X * Y {
			for to := range X * Y {
				x := distance(from%X, to%X, X, torus)
				y := distance(from/X, to/X, Y, torus)
				route := g.Route(nil, from, to)
				if len(route) != x+y {
					t.Errorf("%s: the route from %d to %d has %d links, want %d", name, from, to, len(route), x+y)
				}
				for _, l := range g.Route(nil, from, from/X*X+to%X) {
					if len(route) == 0 || route[0] != l {
						t.Fatalf(
							"%s: the route from %d to %d does not begin along the first dimension", name, from, to,
						)
					}
					route = route[1:]
				}
			}
		}
	}
	g := models.Place(t, "torus:6")
	for _, c := range []struct{ from, to, first int }{
		{0, 3, 1}, {1, 4, 0}, {2, 5, 3}, {3, 0, 2}, {4, 1, 5}, {5, 2, 4},
	} {
		route, next := g.Route(nil, c.from, c.to), g.Route(nil, c.from, c.first)
		if len(route) != 3 || len(next) != 1 || route[0] != next[0] {
			t.Errorf("the route from %d to %d does not begin with %d", c.from, c.to, c.first)
		}
	}
}

// All that comes to a node of a fat tree from other pods comes down one path, and a
// shift of all nodes meets no contention, whatever its length.
func TestFatTreeRoutes(t *testing.T) {
	f := models.Place(t, "fat-tree:3x3x6")
	for to := range f.Nodes() {
		down := map[[3]int32]bool{}
		for from := range f.Nodes() {
			if from/9 != to/9 {
				down[[3]int32(f.Route(nil, from, to)[3:])] = true
			}
		}
		if len(down) != 1 {
			t.Fatalf("%d paths lead down to node %d", len(down), to)
		}
	}
	for shift := 1; shift < f.Nodes(); shift++ {
		used := map[int32]bool{}
		for n := range f.Nodes() {
			for _, l := range f.Route(nil, n, (n+shift)%f.Nodes()) {
				if used[l] {
					t.Fatalf("two messages of a shift by %d share link %d", shift, l)
				}
				used[l] = true
			}
		}
	}
}

func TestParseTopologyErrors(t *testing.T) {
	kinds := "; write for example " + strings.Join(network.TopologyExamples(), ", ")
	const (
		whole = "is not a whole number of at least 1; write for example"
		large = "it has more than 2147483647 nodes or links"
	)
	for text, want := range map[string]string{
		"":         `unknown topology ""` + kinds,
		"ring:5":   `unknown topology "ring:5"` + kinds,
		"torus":    `topology "torus": "" ` + whole + ` torus:8x8x8`,
		"torus:8x": `topology "torus:8x": "" ` + whole + ` torus:8x8x8`,
		"mesh:0x4": `topology "mesh:0x4": "0" ` + whole + ` mesh:7x7`,
		"mesh:4.5": `topology "mesh:4.5": "4.5" ` + whole + ` mesh:7x7`,
		"crossbar:4x4": `topology "crossbar:4x4": ` +
			`it has 2 numbers and needs 1; write for example crossbar:64`,
		"fat-tree:8x8": `topology "fat-tree:8x8": ` +
			`it has 2 numbers and needs 3; write for example fat-tree:8x8x16`,
		"fat-tree:8x8x8": `topology "fat-tree:8x8x8": ` +
			`a full tree of 16-port switches is fat-tree:8x8x16`,
		"torus:100000x100000": `topology "torus:100000x100000": ` +
			large + `; write for example torus:8x8x8`,
		"torus:30000x30000":        `topology "torus:30000x30000": ` + large,
		"fat-tree:1000x1000x2000":  `topology "fat-tree:1000x1000x2000": ` + large,
		"dragonfly:1000x1000x1000": `topology "dragonfly:1000x1000x1000": ` + large,
		"crossbar:9999999999999999": `topology "crossbar:9999999999999999": ` +
			large + `; write for example crossbar:64`,
	} {
		tests.Fails(t, "^"+want+"$", text)(network.ParseTopology(text))
	}
}

// The trees of Suzuki et al. (table 3.1) have as many cables as there, each of which is two links.
func TestLinksOfFatTrees(t *testing.T) {
	for name, cables := range map[string]int{
		"fat-tree:8x8x16": 3072, "fat-tree:12x12x24": 10368, "fat-tree:20x20x40": 48000,
		"fat-tree:24x24x48": 82944, "fat-tree:32x32x64": 196608,
	} {
		if got := models.Place(t, name).Links(); got != 2*cables {
			t.Errorf("%s has %d links, want %d", name, got, 2*cables)
		}
	}
}

func TestTopologiesAreDocumented(t *testing.T) {
	for _, example := range network.TopologyExamples() {
		kind, _, _ := strings.Cut(example, ":")
		tests.Documented(t, "../../docs/model/topologies.md", kind+":")
	}
}

// A topology of any size is refused, or has nodes that can be numbered.
func TestTopologiesOfAnySize(t *testing.T) {
	number := regexp.MustCompile(`\d+`)
	for _, example := range network.TopologyExamples() {
		for _, side := range []string{"1", "31", "32", "63", "64", "65536", "2147483648", "9223372036854775807"} {
			name := number.ReplaceAllString(example, side)
			place, err := network.ParseTopology(name)
			if err == nil && (place.Nodes() < 1 || place.Links() < 0 || place.Nodes() > math.MaxInt32) {
				t.Errorf("%s has %d nodes and %d links", name, place.Nodes(), place.Links())
			}
		}
	}
}
