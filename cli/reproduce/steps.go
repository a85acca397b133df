package reproduce

import (
	"context"
	"fmt"

	"jitterfly/collectives"
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
		panic(fmt.Sprintf("reproduce: a table has what cannot be played: %v", err))
	}
	timeline := collectives.NewTimeline(p.Ranks)
	var times []float64
	for _, round := range s.Rounds {
		one := s
		one.Rounds, one.Results = []collectives.Round{round}, []collectives.Result{{Rounds: 1, Posters: collectives.Span{Lo: 0, Hi: p.Ranks}}}
		trial := collectives.Trial{Completion: make([]float64, 1)}
		if err := timeline.Play(context.Background(), &one, p, silence{}, silence{}, &trial); err != nil {
			panic(fmt.Sprintf("reproduce: %v", err)) // nobody can cancel it
		}
		times = append(times, trial.Completion[0])
	}
	return times
}

// silence is no noise.
type silence struct{}

// Finish implements [collectives.Detours].
func (silence) Finish(_ int, t []float64, work float64) {
	for i := range t {
		t[i] += work
	}
}

// Delay implements [collectives.Delays].
func (silence) Delay(int, int, []float64, float64) {}
