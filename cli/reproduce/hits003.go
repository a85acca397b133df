package reproduce

import (
	"context"
	"fmt"
	"math"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/noise"
)

// The claims of section 3.2 about preempted ranks need no random numbers: they are simulated
// with the detours of the section, on up to 2^10 ranks.

// hitRanks is one detour of some ranks, from one time [s] to another.
type hitRanks struct {
	noise.Given
	hit        func(rank int) bool
	from, till float64
}

// Finish implements [noise.Detours].
func (d hitRanks) Finish(lo int, t []float64, work float64) {
	for i := range t {
		if d.hit(lo+i) && t[i]+work > d.from && t[i] < d.till {
			t[i] += d.till - max(t[i], d.from)
		}
		t[i] += work
	}
}

// Delay implements [noise.Delays] without delays.
func (hitRanks) Delay(int, int, []float64, noise.Message) {}

// hitProblem has the values of section 4.2 A.
var hitProblem = collectives.Problem{
	Bytes: 8, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
	Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
}

// detoursEnd is when the detours end [s], long after the completion time without them.
const detoursEnd = 1e-3

// simulateHit simulates a butterfly of 2^K ranks with T redundant exchanges, in which all ranks
// except one residue class modulo 2^T are preempted after exchange T. The first redundant exchange
// is across bit first. It returns the time beyond the noise-free time, in messages.
func simulateHit(K, T, class, first int) float64 {
	p := hitProblem
	p.Ranks = 1 << K
	s, err := collectives.Butterfly(p)
	if err != nil {
		panic(fmt.Sprintf("reproduce: %v", err)) // the problem is valid
	}
	s.Rounds[K].Sources = []collectives.Source{{Peers: collectives.Xor(1 << first)}}
	wire, combine := p.Wire(p.Bytes), p.Combine(p.Bytes)
	d := hitRanks{
		hit:  func(rank int) bool { return rank%(1<<T) != class },
		from: (float64(T) + 0.5) * (wire + combine), till: detoursEnd,
	}
	trial := rounds.Trial{Completion: make([]float64, len(s.Checkpoints))}
	simulator, plan := rounds.NewSimulator(p.Ranks), rounds.NewPlan(&s, p)
	if err := simulator.Run(context.Background(), plan, rounds.NewNoise(d, d), &trial); err != nil {
		panic(fmt.Sprintf("reproduce: %v", err)) // the context is never cancelled
	}
	return (trial.Completion[T] - float64(K)*(wire+combine)) / wire
}

// rescued judges the time with T redundant exchanges, for every residue class that is not
// preempted.
func rescued(_ *Results, c *Claim) (string, Verdict) {
	T, worst := int(c.expected()), 0.0
	for K := T + 1; K <= 10; K++ {
		for class := range 1 << T {
			worst = max(worst, math.Abs(simulateHit(K, T, class, 0)-float64(T)))
		}
	}
	return fmt.Sprintf("+ %d × Tcomm, %s, at 2^%d … 2^10 processors", T, exactly(worst), T+1),
		verdict(worst < 1e-9)
}

// otherPartners judges T = 1 if the first redundant exchange has other partners than the first
// exchange of the butterfly.
func otherPartners(*Results, *Claim) (string, Verdict) {
	least := math.Inf(1)
	for K := 2; K <= 10; K++ {
		for first := 1; first < K; first++ {
			for class := range 2 {
				least = min(least, simulateHit(K, 1, class, first))
			}
		}
	}
	return fmt.Sprintf("with any others at least %.0f messages more", least), verdict(least > 1+1e-9)
}
