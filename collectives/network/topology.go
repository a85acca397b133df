package network

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Topology is nodes, directed links, and one route from every node to every
// other. Nodes and links are numbered from 0.
type Topology interface {
	// String is the name that [ParseTopology] reads.
	String() string
	Nodes() int
	// Links is how many directed links there are; a cable is two.
	Links() int
	// Diameter is how many links the longest route has.
	Diameter() int
	// Route appends the links from one node to another, in the order in which
	// a message crosses them. Each is crossed once.
	Route(links []int32, from, to int) []int32
}

// maxLinks bounds the numbers of links and of nodes, which are kept in 32 bits.
const maxLinks = math.MaxInt32

// topologies are all there are.
var topologies = []struct {
	name, example string
	sides         int // how many the name has; 0 is any number
	build         func(sides []int) (Topology, error)
}{
	{"crossbar", "crossbar:64", 1, func(n []int) (Topology, error) { return Crossbar(n[0]), nil }},
	{"mesh", "mesh:7x7", 0, func(n []int) (Topology, error) { return newGrid(n, false), nil }},
	{"torus", "torus:8x8x8", 0, func(n []int) (Topology, error) { return newGrid(n, true), nil }},
	{"fat-tree", "fat-tree:8x8x16", 3, newFatTree},
	{"dragonfly", "dragonfly:2x4x2", 3, newDragonfly},
}

// Examples are a name of each kind of topology.
func Examples() []string {
	var names []string
	for _, t := range topologies {
		names = append(names, t.example)
	}
	return names
}

// ParseTopology reads a name: a kind, a colon and sides.
func ParseTopology(text string) (Topology, error) {
	kind, rest, _ := strings.Cut(text, ":")
	var examples []string
	for _, t := range topologies {
		if t.name != kind {
			examples = append(examples, t.example)
			continue
		}
		sides, err := parseSides(rest)
		if err == nil && t.sides > 0 && len(sides) != t.sides {
			err = fmt.Errorf("it has %d numbers and needs %d", len(sides), t.sides)
		}
		if err != nil {
			return nil, fmt.Errorf("topology %q: %w; write for example %s", text, err, t.example)
		}
		topology, err := t.build(sides)
		if err != nil {
			return nil, fmt.Errorf("topology %q: %w", text, err)
		}
		if topology.Links() > maxLinks {
			return nil, fmt.Errorf("topology %q: %w", text, errLarge)
		}
		return topology, nil
	}
	return nil, fmt.Errorf("topology %q is of no known kind; write for example %s", text, strings.Join(examples, ", "))
}

var errLarge = fmt.Errorf("it has more than %d nodes or links", maxLinks)

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

// name writes what parseSides reads.
func name(kind string, sides ...int) string {
	text := make([]string, len(sides))
	for i, n := range sides {
		text[i] = strconv.Itoa(n)
	}
	return kind + ":" + strings.Join(text, "x")
}
