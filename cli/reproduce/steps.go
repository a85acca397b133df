package reproduce

import (
	"context"
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/alphabeta"
	"jitterfly/noise"
)

// steps are what the rounds of a configuration's collective take without noise, each begun
// by all ranks at once and lasting until the last of them is done: as with a barrier between any two.
// Tables have only the time of them all.
func steps(c *Config) []float64 {
	p := collectives.Problem{
		Ranks: int(c.Ranks), Bytes: float64(c.Bytes), Latency: c.Latency, Bandwidth: c.Bandwidth, MemoryBandwidth: c.MemoryBandwidth,
		Node:       collectives.Node{Ranks: int(c.RanksPerNode), Latency: c.NodeLatency, Bandwidth: c.NodeBandwidth},
		Redundancy: collectives.Redundancy{Sources: 1}, HoL: c.Contention == "hol",
	}
	a, err := collectives.Find(c.Collective)
	if err != nil {
		panic(fmt.Sprintf("reproduce: a table has rounds of %s: %v", c.Collective, err))
	}
	s, err := a.Schedule(p)
	if err != nil {
		panic(fmt.Sprintf("reproduce: a table has what cannot be simulated: %v", err))
	}
	simulator := alphabeta.NewSimulator(p.Ranks)
	noNoise := alphabeta.NewNoise(noise.None{}.Detours(nil), noise.None{}.Delays(0))
	var times []float64
	for _, round := range s.Rounds {
		one := s
		one.Rounds = []collectives.Round{round}
		one.Checkpoints = []collectives.Checkpoint{{Rounds: 1, Posters: collectives.Span{Lo: 0, Hi: p.Ranks}}}
		trial := alphabeta.Trial{Completion: make([]float64, 1)}
		if err := simulator.Run(context.Background(), alphabeta.NewPlan(&one, p), noNoise, &trial); err != nil {
			panic(fmt.Sprintf("reproduce: %v", err)) // nobody can cancel it
		}
		times = append(times, trial.Completion[0])
	}
	return times
}
