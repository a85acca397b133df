package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/noise"
)

// stepsOf returns the times of an all-to-all's steps on 8 servers of 8 processes, relative to
// step 8.
func stepsOf(r *Results, collective string) []float64 {
	return relative(shape000{collective, 8, 8, 1e6}.blocked(r))
}

// relative returns the times of the steps of a configuration, relative to step 8.
func relative(c *Config) []float64 {
	times := steps(c)
	first := times[7]
	for i := range times {
		times[i] /= first
	}
	return times
}

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

// stepsBetween judges the steps from 8 to 56: those at multiples of 8 are the shortest.
func stepsBetween(r *Results, _ *Claim) (string, Verdict) {
	var multiples, others []float64
	times := stepsOf(r, "a2a-ring")
	for step := 8; step <= 56; step++ {
		if step%8 == 0 {
			multiples = append(multiples, times[step-1])
		} else {
			others = append(others, times[step-1])
		}
	}
	return fmt.Sprintf("%s of step 8 at multiples of 8, %s at others", spread("%.2f", multiples),
		spread("%.2f", others)), verdict(slices.Min(others) > 1.01*slices.Max(multiples))
}

// stepsAtEnds judges the steps before 8 and after 56.
func stepsAtEnds(r *Results, _ *Claim) (string, Verdict) {
	ours, v := ends(stepsOf(r, "a2a-ring"))
	limited := relative(shape000{"a2a-ring", 8, 8, 1e6}.limited(r, "hol"))
	return fmt.Sprintf("%s; %.2f if one process can send 1750 MB/s", ours, outer(limited)), v
}

// ends compares the times of the steps before 8 and after 56 with those between.
func ends(times []float64) (string, Verdict) {
	short, inner := outer(times), stat.Mean(times[7:56], nil)
	return fmt.Sprintf("%.2f of step 8 on average, and %.2f between", short, inner),
		verdict(short < (1-tolerance)*inner)
}

// outer returns the average time of the steps before 8 and after 56.
func outer(times []float64) float64 { return stat.Mean(slices.Concat(times[:7], times[56:]), nil) }

// blockedSteps judges the times of steps 9 to 12.
func blockedSteps(r *Results, c *Claim) (string, Verdict) {
	times, v := stepsOf(r, "a2a-ring")[8:12], Holds
	var texts []string
	for i, published := range c.Expected {
		texts = append(texts, fmt.Sprintf("%.2f", times[i]))
		v = all(v, exact(times[i]).nearRatio(published))
	}
	return strings.Join(texts, ", "), v
}

// equalSteps judges the steps of the 2-level ring between servers.
func equalSteps(r *Results, _ *Claim) (string, Verdict) { return flat(stepsOf(r, "a2a-levels")) }

// flat judges whether steps between servers are no longer than those at multiples of 8.
func flat(times []float64) (string, Verdict) {
	most := slices.Max(times[7:])
	return fmt.Sprintf("the longest is %.2f of step 8", most), verdict(most < 1.01)
}
