package network

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Topology is a set of nodes and directed links with one route from every node to
// every other. Nodes and links are numbered from 0. A new topology is a file with a type that
// implements Topology, and a row of the table topologies.
type Topology interface {
	// String returns the name that [ParseTopology] reads.
	String() string
	// Nodes returns the number of nodes.
	Nodes() int
	// Links returns the number of directed links; a cable counts twice.
	Links() int
	// Diameter returns the number of links of the longest route.
	Diameter() int
	// Route appends the links from one node to another to links, in the order in which
	// a message crosses them. No link occurs twice.
	Route(links []int32, from, to int) []int32
}

// A shape is the name and the size of a topology: it implements [Topology] except for Route.
type shape struct {
	name                   string
	nodes, links, diameter int
}

func (s *shape) String() string { return s.name }
func (s *shape) Nodes() int     { return s.nodes }
func (s *shape) Links() int     { return s.links }
func (s *shape) Diameter() int  { return s.diameter }

// maxLinks bounds the numbers of links and of nodes, which are stored in 32 bits.
const maxLinks = math.MaxInt32

var topologies = []struct {
	name, example string
	sides         int  // how many sides the name has; 0 allows any number
	tapers        bool // a taper may follow, which build gets as the last side
	build         func(sides []int) (Topology, error)
}{
	{"crossbar", "crossbar:64", 1, false,
		func(n []int) (Topology, error) {
			return &crossbar{shape{name("crossbar", n...), n[0], 2 * n[0], 2}}, nil
		}},
	{"mesh", "mesh:7x7", 0, false,
		func(n []int) (Topology, error) { return newGrid(n, false), nil }},
	{"torus", "torus:8x8x8", 0, false,
		func(n []int) (Topology, error) { return newGrid(n, true), nil }},
	{"fat-tree", "fat-tree:8x8x16", 3, true, newFatTree},
	{"dragonfly", "dragonfly:2x4x2", 3, false, newDragonfly},
}

// TopologyExamples returns one valid name of each kind of topology.
func TopologyExamples() []string {
	var names []string
	for _, t := range topologies {
		names = append(names, t.example)
	}
	return names
}

// ParseTopology returns the topology of a name such as "torus:8x8x8" or "fat-tree:8x8x16:2": a kind, a
// colon and sides, and of a fat tree another and its taper. It fails if the kind is unknown, if the
// sides do not fit it, or if the topology has more nodes or links than 32 bits can number.
func ParseTopology(text string) (Topology, error) {
	kind, rest, _ := strings.Cut(text, ":")
	var examples []string
	for _, t := range topologies {
		if t.name != kind {
			examples = append(examples, t.example)
			continue
		}
		sides, err := sidesOf(rest, t.sides, t.tapers)
		if err != nil {
			return nil, fmt.Errorf("topology %q: %w; write for example %s", text, err, t.example)
		}
		topology, err := t.build(sides)
		if err != nil {
			return nil, fmt.Errorf("topology %q: %w", text, err)
		}
		if topology.Nodes() < 1 || topology.Links() < 0 || topology.Links() > maxLinks {
			return nil, fmt.Errorf("topology %q: %w", text, errLarge)
		}
		return topology, nil
	}
	return nil, fmt.Errorf("unknown topology %q; write for example %s",
		text, strings.Join(examples, ", "))
}

var errLarge = fmt.Errorf("it has more than %d nodes or links", maxLinks)

// sidesOf returns the numbers of a text such as "8x8x16:2" after the kind: n sides, any number if n
// is 0, and where the kind tapers the taper, 1 without one.
func sidesOf(text string, n int, tapers bool) ([]int, error) {
	text, last, tapered := strings.Cut(text, ":")
	sides, err := parseSides(text)
	switch {
	case err != nil:
		return nil, err
	case n > 0 && len(sides) != n:
		return nil, fmt.Errorf("it has %d numbers and needs %d", len(sides), n)
	case !tapers && tapered:
		return nil, fmt.Errorf("only fat trees have a taper, and %q follows", ":"+last)
	case !tapers:
		return sides, nil
	case !tapered:
		return append(sides, 1), nil
	}
	taper, err := strconv.Atoi(last)
	if err != nil || taper < 1 {
		return nil, fmt.Errorf("the taper %q is not a whole number of at least 1", last)
	}
	return append(sides, taper), nil
}

// parseSides returns the numbers of a text such as "8x8x16".
func parseSides(text string) ([]int, error) {
	var sides []int
	product := 1.0
	for field := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a whole number of at least 1", field)
		}
		if product *= float64(n); product > maxLinks {
			return nil, errLarge
		}
		sides = append(sides, n)
	}
	return sides, nil
}

// A crossbar is a number of nodes around one non-blocking switch: a message crosses the
// link from its sender to the switch and the link from the switch to its receiver.
type crossbar struct{ shape }

func (c *crossbar) Route(links []int32, from, to int) []int32 {
	return append(links, int32(from), int32(c.nodes+to))
}

// name returns the name of a topology, which [ParseTopology] reads.
func name(kind string, sides ...int) string {
	text := make([]string, len(sides))
	for i, n := range sides {
		text[i] = strconv.Itoa(n)
	}
	return kind + ":" + strings.Join(text, "x")
}
