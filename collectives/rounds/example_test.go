package rounds_test

import (
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/noise"
)

// A model names the executor of its trials.
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
	fmt.Println(m.Explain())
	// Output: tile by tile, in passes over pairs
}
