package flow_test

import (
	"fmt"
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// applications returns iterations of an allreduce in rounds, and on flows through a crossbar, under
// the same detours.
func applications(t *testing.T, p collectives.Problem, os noise.OS,
	app rounds.Application,
) [2]*rounds.Application {
	t.Helper()
	butterfly := collectives.Algorithms[0]
	app.Collective = rounds.Model{Algorithm: butterfly, Problem: p, OS: os, Network: noise.None{}}
	on := app
	on.Network = both(t, butterfly, p, os)[1+flow.Equal].(*network.Model)
	return [2]*rounds.Application{&app, &on}
}

// Without noise ten calls take ten times as long as one, and the copies of each but the last, which
// occupy the links of their senders before the next call's messages.
func TestCallsWaitForCopies(t *testing.T) {
	const bytes = 1 << 16
	p := collectives.Problem{
		Ranks: 16, Bytes: bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e15, Busy: true,
		Redundancy: collectives.Redundancy{Sources: 1, Max: collectives.AllExchanges},
	}
	for i, app := range applications(t, p, noise.None{}, rounds.Application{Iterations: 1, Calls: 10}) {
		times := trial(t, app)
		per := len(times) / 5
		for T := range 5 {
			want := 10*4*(1e-6+bytes/1e9) + 9*float64(T)*bytes/1e9
			if got := times[(T+1)*per-1]; math.Abs(got/want-1) > 1e-6 {
				t.Errorf("model %d, T = %d: %g s, want %g s", i, T, got, want)
			}
		}
	}
}

// Where messages take links hardly any time, iterations take as long on flows as in rounds under
// the same detours, whatever R, T, reception and compute times.
func TestIterationsTakeAsLongAsInRounds(t *testing.T) {
	os := noise.Periodic{Period: 50e-6, Duration: 5e-6, Start: noise.Random}
	for _, r := range []collectives.Redundancy{
		{Sources: 1}, {Sources: 2}, {Sources: 1, Reception: collectives.CPU},
		{Sources: 2, Reception: collectives.NIC, Forward: true},
	} {
		for _, compute := range []rounds.Compute{{}, {Mean: 5e-6}, {Mean: 5e-6, Random: 0.2, Persistent: 0.1}} {
			r.Max = collectives.AllExchanges
			p := collectives.Problem{
				Ranks: 32, Bytes: 8, Latency: 1e-6, Bandwidth: 1e18, MemoryBandwidth: 1e15, Redundancy: r,
			}
			t.Run(fmt.Sprintf("%+v/%+v", r, compute), func(t *testing.T) {
				pair := applications(t, p, os, rounds.Application{
					Iterations: 40, Warmup: 4, Calls: 2, Compute: compute,
				})
				for seed := range tests.Part(uint64(3), 1) {
					key := rng.NewKey(seed, "iterations")
					inRounds, onFlows := trial(t, pair[0], key), trial(t, pair[1], key)
					for i := range inRounds {
						if math.Abs(onFlows[i]/inRounds[i]-1) > 1e-6 {
							t.Errorf("seed %d, checkpoint %d: %g s on flows, %g s in rounds", seed, i, onFlows[i],
								inRounds[i])
						}
					}
				}
			})
		}
	}
}
