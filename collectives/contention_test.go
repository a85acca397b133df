package collectives

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulateQueues returns the mean number of slots that a packet takes. The inputs of the nodes are
// saturated, each with one queue, whose heads want output i or i + 1. An output serves one of at
// most two heads that want it, at random, and the other stays.
func simulateQueues(nodes, slots int, share float64, random *rand.Rand) float64 {
	next := func() int {
		if random.Float64() < share {
			return 1
		}
		return 0
	}
	heads, winner, waiting := make([]int, nodes), make([]int, nodes), make([]int, nodes)
	served := 0
	for i := range heads {
		heads[i] = next()
	}
	for slot := range slots + 1000 {
		clear(waiting) // for each output
		for input, head := range heads {
			output := (input + head) % nodes
			if waiting[output]++; random.IntN(waiting[output]) == 0 {
				winner[output] = input
			}
		}
		for output, input := range winner {
			if waiting[output] > 0 {
				heads[input] = next()
				if slot >= 1000 {
					served++
				}
			}
		}
	}
	return float64(nodes*slots) / float64(served)
}

// The table is what queues do, and the formula is less: check values of paper 000, section 3.6,
// are 1.123, 1.231, 1.306 and 1.333.
func TestQueuesWithMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{1. / 32, 1. / 8, 0.2, 0.25, 1. / 3, 3. / 8, 0.5, 0.75, 31. / 32} {
		want := simulateQueues(24, 100000, share, random)
		if got := HoLQueue.factor(share); math.Abs(got-want) > 0.004 {
			t.Errorf("share %g: factor %.4f, and %.4f simulated", share, got, want)
		}
		if got := HoL.factor(share); got > want-0.005 {
			t.Errorf("share %g: the formula has %.4f, and queues %.4f", share, got, want)
		}
	}
	for _, share := range []float64{0.125, 0.5} {
		few := simulateQueues(3, 100000, share, random)
		if most := HoLQueue.factor(share); few > most || few < 0.99*most {
			t.Errorf("share %g: 3 nodes take %.4f, and many %.4f", share, few, most)
		}
	}
}

// Factors are symmetric, grow towards one half, and are 1 where all packets go to one node.
func TestFactorsOfShares(t *testing.T) {
	for _, c := range []Contention{HoL, HoLQueue} {
		before := 1.0
		if c.factor(0) != 1 || c.factor(1) != 1 {
			t.Errorf("contention %d: %g and %g without a second node", c, c.factor(0), c.factor(1))
		}
		for i := 1; i <= 500; i++ {
			share := float64(i) / 1000
			got := c.factor(share)
			if got <= before || math.Abs(got-c.factor(1-share)) > 1e-12 {
				t.Fatalf("contention %d, share %g: %g after %g, and %g", c, share, got, before,
					c.factor(1-share))
			}
			before = got
		}
	}
}
