package rounds_test

import (
	"fmt"
	"strings"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/noise"
)

// A model explains how its trials are simulated.
func ExampleModel_Explain() {
	m := rounds.Model{
		Algorithm: collectives.Algorithms[0],
		Problem: collectives.Problem{
			Ranks: 4096, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:      noise.Periodic{Period: 1e-3, Duration: 10e-6},
		Network: noise.PoissonDelays{Interval: 1e-3, Lengths: noise.Constant(10e-6)},
	}
	fmt.Println(strings.ReplaceAll(m.Explain(), "; ", "\n"))
	// Output:
	// trials that noise does not touch are not simulated
	// sparse up to 16 touched ranks
	// then dense, tiles of pairs
	// one trial at a time: a trial has more than 512 ranks
}
