// Package montecarlo plays collectives under noise, many times and on all
// cores, and says what the times have in common: their summaries, and the
// redundancy T that they favour.
//
// Every trial draws from streams of its own, named by the study's seed, the
// configuration's environment and the trial's number. So results depend neither
// on the number of workers nor on what was computed before, and all T, and all
// collectives in one environment, meet the same noise: they are compared in
// pairs.
package montecarlo

import (
	"fmt"
	"math"

	"jitterfly/collectives"
	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// A Config is one point of a study: a collective on a machine under noise.
type Config struct {
	Algorithm collectives.Algorithm
	Problem   collectives.Problem
	OS        noise.OS
	Network   noise.Network
	// Environment is a canonical text of all that noise may depend on. Two
	// configurations with the same environment meet the same noise.
	Environment string
}

// hit is how much one detour and one event in the network delay.
func (c *Config) hit() float64 { return c.OS.Hit() + c.Network.Hit() }

// Trials says how many trials a configuration gets.
type Trials struct {
	Min, Max int
	// Precision is the half-width of the mean's interval, relative to the
	// mean, at which every T is known well enough. It is looked at after Min
	// trials and each time their number has grown by half, and judged as if
	// one more trial had been struck by one more hit of the noise. With
	// Max = Min the number is fixed.
	Precision float64
	// Confidence is the level of that interval, and of those reported.
	Confidence float64
}

func (t Trials) check() error {
	if t.Min < 2 || t.Max < t.Min {
		return fmt.Errorf("from %d to %d trials: two are the least for an interval, and the largest number may not be below the smallest", t.Min, t.Max)
	}
	return nil
}

// next is the number of trials at the look after the one at n.
func (t Trials) next(n int) int { return min(t.Max, n+(n+1)/2) }

// Stop is the reason for which a configuration got no more trials.
type Stop int

const (
	// Fixed says that their number was given.
	Fixed Stop = iota
	// Precise says that every T had reached the precision asked for.
	Precise
	// Exhausted says that the largest number was reached and some T had not.
	Exhausted
)

func (s Stop) String() string {
	return [...]string{"fixed", "precision", "max-trials"}[s]
}

// A Result is what the trials of one configuration gave.
type Result struct {
	Trials int
	Stop   Stop
	// Summaries has one entry for each T = 0, 1, 2, ….
	Summaries []Summary
	Choice    Choice
	// Completion holds the trials one after the other, each with the
	// completion of every T.
	Completion []float64
}

// BytesPerRank is the state that one worker holds for every rank of the
// largest configuration: two clocks and one number for the OS noise.
const BytesPerRank = 24

// hop is the least time in which what a rank contributes gets everywhere: over a
// wire and combined, in the smallest message of the schedule. The wire is the
// network's unless all ranks are on one node. No redundancy gets a trial below
// its latest start and a hop.
func hop(p collectives.Problem, s *collectives.Schedule) float64 {
	wire := p.Wire
	if p.Node.Ranks > 1 && p.Node.Ranks >= p.Ranks {
		wire = p.Node.Wire
	}
	least := math.Inf(1)
	for _, r := range s.Rounds {
		if r.Wait == collectives.Combined {
			least = min(least, wire(r.Bytes)+r.Combine)
		}
	}
	if math.IsInf(least, 1) { // a rank alone
		return 0
	}
	return least
}

// streams names the trials' streams of a configuration.
func (c *Config) streams(seed uint64) rng.Key { return rng.NewKey(seed, c.Environment) }
