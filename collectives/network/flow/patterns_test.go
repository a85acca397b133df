package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
)

// A Pattern is the schedule of messages of some bytes.
type Pattern func(bytes float64) collectives.Schedule

// Named returns the pattern of a collective on a topology with that many ranks on each node. It
// fails if there is none.
func Named(name string, place network.Topology, each int) (Pattern, error) {
	p := collectives.Problem{
		Ranks: place.Nodes() * each, Bandwidth: 1, MemoryBandwidth: math.Inf(1),
		Node: collectives.Node{Ranks: each, Bandwidth: 1}, Redundancy: collectives.Redundancy{Sources: 1},
	}
	if grid, ok := place.(*network.Grid); ok {
		p.Sides = grid.Sides()
	}
	a, err := collectives.Find(name)
	if err == nil {
		_, err = a.Schedule(p)
	}
	return func(bytes float64) collectives.Schedule {
		p.Bytes = bytes
		s, err := a.Schedule(p)
		if err != nil {
			panic(err)
		}
		return s
	}, err
}

// Place returns the topology of a kind and sides.
func Place(kind string, sides ...any) network.Topology {
	x := strings.Repeat("x%d", len(sides))
	place, err := network.ParseTopology(kind + ":" + fmt.Sprintf(x, sides...)[1:])
	if err != nil {
		panic(err)
	}
	return place
}

// A2A is the all-to-all around the ring of a number of ranks.
func A2A(ranks int) Pattern {
	p, _ := Named("a2a-ring", Place("crossbar", ranks), 1)
	return p
}

// RandomRing has every rank send messages around a random ring.
func RandomRing(ranks, messages int, random *rand.Rand) Pattern {
	return list(messages, collectives.RandomRing(ranks, random.Shuffle))
}

// List has every rank send messages to its target.
func List(messages int, targets ...int) Pattern {
	var to []int32
	for _, target := range targets {
		to = append(to, int32(target))
	}
	return list(messages, to)
}

func list(messages int, targets []int32) Pattern {
	return func(bytes float64) collectives.Schedule {
		s, err := collectives.Permutation(collectives.Problem{
			Ranks: len(targets), Bytes: bytes, Bandwidth: 1, Targets: targets, Messages: messages,
			Redundancy: collectives.Redundancy{Sources: 1},
		})
		if err != nil {
			panic(err)
		}
		return s
	}
}
