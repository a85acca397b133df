package montecarlo_test

import (
	"context"
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// An allreduce of 8 B over 1024 ranks, each of which has a detour of 10 µs every millisecond:
// how long it takes, and which redundancy T is best.
func ExampleRun() {
	model := &rounds.Model{
		Algorithm: collectives.Algorithms[0], // the butterfly
		Problem: collectives.Problem{
			Ranks: 1024, Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
			Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
		},
		OS:      noise.Periodic{Period: 1e-3, Duration: 10e-6},
		Network: noise.None{},
	}
	field := func(int) montecarlo.Field { return montecarlo.Field{{Model: model, Environment: "example"}} }
	study := &montecarlo.Settings{
		Seed:      1,
		Trials:    montecarlo.Trials{Min: 1000, Max: 1000, Confidence: 0.95},
		Tolerance: 0.01,
	}
	err := montecarlo.Run(context.Background(), study, 1, field, montecarlo.Options{
		Done: func(_ int, d montecarlo.Decision) error {
			for _, T := range []int{0, d.Choice.Star.T} {
				s := d.Results[0].Summaries[T]
				fmt.Printf("T = %d: %.1f µs, without noise %.1f µs\n", T, 1e6*s.Mean, 1e6*s.NoiseFree)
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// T = 0: 26.2 µs, without noise 10.1 µs
	// T = 4: 13.3 µs, without noise 10.1 µs
}
