package reproduce

import (
	"context"
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/noise"
)

// steps returns the noise-free times [s] of the rounds of a configuration's collective, with a
// barrier between rounds: all ranks begin a round at the same time, and it ends with the last
// rank. Tables contain only the time of all rounds.
func steps(c *Config) []float64 {
	p := collectives.Problem{
		Ranks: int(c.Ranks), Bytes: float64(c.Bytes),
		Latency: c.Latency, Bandwidth: c.Bandwidth, MemoryBandwidth: c.MemoryBandwidth,
		Node: collectives.Node{
			Ranks: int(c.RanksPerNode), Latency: c.NodeLatency, Bandwidth: c.NodeBandwidth,
			ProcessBandwidth: c.ProcessBandwidth,
		},
		Redundancy: collectives.Redundancy{Sources: 1}, Contention: contention000[c.Contention],
	}
	a, err := collectives.Find(c.Collective)
	if err != nil {
		panic(fmt.Sprintf("reproduce: no schedule for %s: %v", c.Collective, err))
	}
	s, err := a.Schedule(p)
	if err != nil {
		panic(fmt.Sprintf("reproduce: %v", err))
	}
	simulator := rounds.NewSimulator(p.Ranks)
	noNoise := rounds.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays(0))
	var times []float64
	for _, round := range s.Rounds {
		one := s
		one.Rounds = []collectives.Round{round}
		one.Checkpoints = []collectives.Checkpoint{
			{Rounds: 1, Posters: collectives.Span{Lo: 0, Hi: p.Ranks}},
		}
		trial := rounds.Trial{Completion: make([]float64, 1)}
		plan := rounds.NewPlan(&one, p)
		if err := simulator.Run(context.Background(), plan, noNoise, &trial); err != nil {
			panic(fmt.Sprintf("reproduce: %v", err)) // the context is never cancelled
		}
		times = append(times, trial.Completion[0])
	}
	return times
}

// contention000 are the values of the key contention.
var contention000 = map[string]collectives.Contention{
	"hol": collectives.HoL, "hol-queue": collectives.HoLQueue,
}
