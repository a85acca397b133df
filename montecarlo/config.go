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

import "fmt"

// A Field is the configurations, of one environment, that one choice is made
// from: of these and their T. T = 0 of the first is the baseline.
type Field []Config

// Trials says how many trials a field gets.
type Trials struct {
	Min, Max int
	// Until is what more than Min trials are for. It is looked at after Min
	// trials and each time their number has grown by half. With Max = Min the
	// number is fixed.
	Until Until
	// Precision is the half-width of the mean's interval, relative to the
	// mean, at which a T is known well enough, judged as if one more trial had
	// been one hit of the noise later.
	Precision float64
	// Confidence is the level of that interval, of those reported, and of
	// choices.
	Confidence float64
	// Effort bounds the messages simulated for a field, beyond the first look; 0
	// is no bound.
	Effort float64
}

// Until is what trials are added for.
type Until int

const (
	// UntilPrecise is until the mean at every T is known to a precision.
	UntilPrecise Until = iota
	// UntilSure is until the choice is right with the confidence asked for.
	UntilSure
)

func (t Trials) check() error {
	if t.Min < 2 || t.Max < t.Min {
		return fmt.Errorf("from %d to %d trials: two are the least for an interval, and the largest number may not be below the smallest", t.Min, t.Max)
	}
	return nil
}

// next is the number of trials at the look after the one at n.
func (t Trials) next(n int) int { return min(t.Max, n+(n+1)/2) }

// looks is at how many looks a choice could end the trials. Each may err, so
// their risks add up.
func (t Trials) looks() float64 {
	if t.Until != UntilSure {
		return 1
	}
	looks := 1
	for n := t.Min; n < t.Max; n = t.next(n) {
		looks++
	}
	return float64(looks)
}

// Stop is the reason for which a field got no more trials.
type Stop int

const (
	// Fixed says that their number was given.
	Fixed Stop = iota
	// Precise says that every T had reached the precision asked for.
	Precise
	// Exhausted says that the largest number was reached in vain.
	Exhausted
	// Chosen says that the choice had the confidence asked for.
	Chosen
	// Spent says that more would have exceeded the effort allowed.
	Spent
)

func (s Stop) String() string {
	return [...]string{"fixed", "precision", "max-trials", "choice", "effort"}[s]
}

// A Decision is what the trials of a field gave.
type Decision struct {
	Stop Stop
	// Results has one entry for each configuration.
	Results []Result
	Choice  Choice
}

// A Result is what the trials of one configuration gave. There are none of a
// configuration that could not be chosen whatever its trials gave; those of a
// field may have different numbers.
type Result struct {
	Trials int
	// Summaries has one entry for each T = 0, 1, 2, ….
	Summaries []Summary
	// Messages are those sent in one collective, at each T.
	Messages []float64
	// Completion holds the trials one after the other, each with the
	// completion of every T.
	Completion []float64
}

// A Candidate is a configuration of a field, and a T.
type Candidate struct{ Config, T int }

// An Option is a candidate and its objective, in seconds.
type Option struct {
	Candidate
	Objective float64
}

// A Choice is the candidate that the trials favour.
type Choice struct {
	// Star is the first within the tolerance of the best, in the order of
	// the number of messages; among the T of one configuration T*, the
	// smallest.
	Star Candidate
	// Argmin is the one with the smallest objective.
	Argmin Candidate
	// Near are the simulated candidates within the tolerance of the best, Star first.
	Near      []Option
	Objective float64 // at Star, in seconds
	Baseline  float64 // of the baseline
	// Confidence bounds from below how sure it is that infinitely many trials
	// would choose Star too.
	Confidence float64
	// Needed is an estimate of the trials that would make it as sure as asked
	// for, if it is not; 0 if they cannot be estimated.
	Needed  int
	Warning Warning
}
