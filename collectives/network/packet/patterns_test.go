package packet

import (
	"math/rand/v2"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
)

// Named returns the schedule of a collective on a grid, of messages of some bytes.
func Named(t testing.TB, name string, grid network.Topology, bytes float64) collectives.Schedule {
	t.Helper()
	a := tests.Must(collectives.Find(name))(t)
	s := tests.Must(a.Schedule(collectives.Problem{
		Ranks: grid.Nodes(), Bytes: bytes, Bandwidth: 1, MemoryBandwidth: 10,
		Sides: grid.(*network.Grid).Sides(), Redundancy: collectives.Redundancy{Sources: 1},
	}))(t)
	return s
}

// Single has one rank send one message to another.
func Single(ranks, from, to int, bytes float64) collectives.Schedule {
	return collectives.Schedule{Ranks: ranks, Direct: true, Rounds: []collectives.Round{{
		Receivers: collectives.Span{Lo: to, Hi: to + 1}, Bytes: bytes,
		Sources: []collectives.Sender{{Peers: collectives.Xor(from ^ to)}},
	}}}
}

// List has every rank send messages to its target.
func List(messages int, bytes float64, targets ...int32) collectives.Schedule {
	s, err := collectives.Permutation(collectives.Problem{
		Ranks: len(targets), Bytes: bytes, Bandwidth: 1, Targets: targets, Messages: messages,
		Redundancy: collectives.Redundancy{Sources: 1},
	})
	if err != nil {
		panic(err)
	}
	return s
}

// RandomRing has every rank send messages around a random ring.
func RandomRing(ranks, messages int, bytes float64, random *rand.Rand) collectives.Schedule {
	return List(messages, bytes, collectives.RandomRing(ranks, random.Shuffle)...)
}
