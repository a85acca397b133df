package collectives_test

import (
	"fmt"

	"jitterfly/collectives"
)

// The butterfly of 8 ranks has 3 rounds, and up to 3 redundant exchanges, each with one
// message more a rank.
func ExampleButterfly() {
	s, err := collectives.Butterfly(collectives.Problem{
		Ranks: 8, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, round := range s.Rounds {
		peers := round.Sources[0].Peers
		fmt.Printf("rank 0 receives from rank %d\n", peers.From(0))
	}
	for k, c := range s.Checkpoints {
		fmt.Printf("T = %d: %d rounds, %g messages\n", c.T, c.Rounds, s.Messages(k))
	}
	// Output:
	// rank 0 receives from rank 1
	// rank 0 receives from rank 2
	// rank 0 receives from rank 4
	// rank 0 receives from rank 1
	// rank 0 receives from rank 2
	// rank 0 receives from rank 4
	// T = 0: 3 rounds, 24 messages
	// T = 1: 4 rounds, 32 messages
	// T = 2: 5 rounds, 40 messages
	// T = 3: 6 rounds, 48 messages
}
