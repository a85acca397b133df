package models

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
)

// Schedule returns the schedule of the collective that has a name.
func Schedule(t tests.Failer, name string, p collectives.Problem) collectives.Schedule {
	t.Helper()
	return tests.Must(tests.Must(collectives.Find(name))(t).Schedule(p))(t)
}

// SmallTopologies are names of topologies of each kind, each of 2 to 25 nodes, of all shapes that may need
// a case.
var SmallTopologies = strings.Fields(`crossbar:2 crossbar:5 crossbar:6
	mesh:7 mesh:3x4 mesh:4x3 mesh:2x3x2 mesh:2x2x3
	torus:6 torus:1x5 torus:2x2 torus:4x3 torus:4x4 torus:5x5 torus:3x3x2 torus:3x4x2
	fat-tree:1x1x2 fat-tree:2x2x4 fat-tree:2x2x4:2 dragonfly:1x2x1 dragonfly:2x2x1`)

// Place returns the topology that has a name.
func Place(t tests.Failer, name string) network.Topology {
	t.Helper()
	return tests.Must(network.ParseTopology(name))(t)
}

// On returns the schedule of a collective on a topology with each ranks on a node, of messages of some bytes
// that are combined with a bandwidth of memory.
func On(name string, place network.Topology, each int, bytes, memory float64) (collectives.Schedule, error) {
	p := collectives.Problem{
		Ranks: place.Nodes() * each, Bytes: bytes, Bandwidth: 1, MemoryBandwidth: memory,
		Node: collectives.Node{Ranks: each, Bandwidth: 1}, Redundancy: collectives.Redundancy{Sources: 1},
	}
	if grid, ok := place.(*network.Grid); ok {
		p.Sides = grid.Sides()
	}
	a, err := collectives.Find(name)
	if err != nil {
		return collectives.Schedule{}, err
	}
	return a.Schedule(p)
}

// A2A returns the schedule of the all-to-all around the ring of a number of ranks.
func A2A(ranks int, bytes float64) collectives.Schedule {
	return must(On("a2a-ring", must(network.ParseTopology(fmt.Sprintf("crossbar:%d", ranks))), 1, bytes, 1))
}

// List returns a schedule in which every rank sends messages to its target.
func List[Rank int | int32](messages int, bytes float64, targets ...Rank) collectives.Schedule {
	p := collectives.Problem{
		Ranks: len(targets), Bytes: bytes, Bandwidth: 1, Messages: messages,
		Redundancy: collectives.Redundancy{Sources: 1},
	}
	for _, target := range targets {
		p.Targets = append(p.Targets, int32(target))
	}
	return must(collectives.Permutation(p))
}

// RandomRing returns a schedule in which every rank sends messages around a random ring.
func RandomRing(ranks, messages int, bytes float64, random *rand.Rand) collectives.Schedule {
	return List(messages, bytes, collectives.RandomRing(ranks, random.Shuffle)...)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
