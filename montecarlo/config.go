// Package montecarlo simulates collectives under noise, many times and on all cores, and returns
// summaries of their completion times, and the redundancy T to choose.
//
// It simulates a [Model]; this package knows trials, random streams, statistics and choices, and no
// engine and no noise. [Run] takes [Fields], the configurations that choices are made
// from, and hands their trials to workers, each with a [Runner] of its own.
//
// Every trial draws from streams of its own, named by the study's seed, the configuration's
// environment and the trial's number. So results depend neither on the number of workers nor
// on what was computed before; and all T, and all collectives in one environment, are
// simulated under the same noise, so that they are compared in pairs.
package montecarlo

import "fmt"

// A Field is the configurations, all of one environment, that one choice is made from: the
// candidates are they and their T. The baseline is T = 0 of the one with the smallest objective
// there among those marked as plain, or of the first if none is.
type Field []Config

// Trials is the number of trials that a field gets, and when it gets no more.
type Trials struct {
	Min, Max int
	// Until is the condition that ends the trials of a field. It is checked after Min trials, and
	// each time their number has grown by a share. With Max = Min the number is fixed.
	Until Until
	// Precision is the half-width of the mean's interval, relative to the mean, that every T must
	// reach, as if there were one more trial, later by one hit of the noise.
	Precision float64
	// Confidence is the level of that interval, of those reported, and of choices.
	Confidence float64
	// Effort is the largest number of messages simulated for a field after the first check; 0 means
	// unbounded.
	Effort float64
}

// Until is a condition that ends trials.
type Until int

const (
	// UntilPrecise ends them when the mean at every T is known to the precision.
	UntilPrecise Until = iota
	// UntilChosen ends them when the choice is good with the confidence asked for, and nothing
	// with fewer messages may be.
	UntilChosen
)

func (t Trials) check() error {
	if t.Min < 2 || t.Max < t.Min {
		return fmt.Errorf("from %d to %d trials: an interval needs at least two, "+
			"and the largest number may not be below the smallest", t.Min, t.Max)
	}
	return nil
}

// adaptive reports whether trials end when the choice is certain enough.
func (t Trials) adaptive() bool { return t.Until == UntilChosen && t.Min < t.Max }

// mostFirst is the largest number of trials before the first analysis, if the smallest number of
// trials is at least twice as large.
const mostFirst = 30

// first returns the number of trials at the first analysis of candidates of which any may be the
// best: half of the smallest number, and one if few are enough.
func (t Trials) first() int {
	if t.adaptive() {
		return max(1, min(mostFirst, t.Min/2))
	}
	return min(mostFirst, max(2, t.Min/2))
}

// next returns the number of trials at the check after the one at n, if it grows by a share.
func (t Trials) next(n int, share float64) int { return min(t.Max, n+max(1, int(share*float64(n+1)))) }

// Trials grow by half, and by a quarter where all are compared, take long and may be analysed as often as one
// likes: the field then ends sooner, and what is known to be worse gets fewer of them. Few with the floor
// alone would not occupy all workers.
const growth, slowGrowth = 0.5, 0.25

// Stop is the reason why a field got no more trials, as results have it.
type Stop string

const (
	// Fixed says that their number was given.
	Fixed Stop = "fixed"
	// Precise says that every T had the precision asked for.
	Precise Stop = "precision"
	// Exhausted says that the largest number was reached.
	Exhausted Stop = "max-trials"
	// Chosen says that the choice was certain enough.
	Chosen Stop = "choice"
	// Spent says that more trials would have exceeded the effort allowed.
	Spent Stop = "effort"
	// OutOfTime says that more trials would have exceeded the time allowed.
	OutOfTime Stop = "time"
)

// Settled reports whether a larger number of trials would not have given the field more of them.
func (s Stop) Settled() bool { return s == Chosen || s == Precise }

// A Decision is the outcome of a field.
type Decision struct {
	Stop Stop
	// Results has one entry for each configuration.
	Results []Result
	Choice  Choice
}

// Messages returns the number of messages of the trials that the decision is based on.
func (d *Decision) Messages() float64 {
	sum := 0.0
	for _, r := range d.Results {
		sum += r.Messages
	}
	return sum
}

// A Result is the outcome of one configuration's trials. A configuration that cannot be chosen, as
// its lower bound shows, has no trials. Configurations of a field may have different numbers of
// trials.
type Result struct {
	Trials int
	// Messages is the number of messages of the trials, including the one without noise if it was
	// simulated.
	Messages float64
	// Checkpoints are the checkpoints of the model's shape, up to the largest T that was compared.
	Checkpoints []Checkpoint
	// Summaries has one entry for each checkpoint.
	Summaries []Summary
	// Kept are the trials, including trials of an earlier run.
	Kept
}

// Final returns the index of the checkpoint that has the completion with redundancy T: the last of
// that T. It is −1 if T is absent.
func (r *Result) Final(T int) int {
	for k := len(r.Checkpoints) - 1; k >= 0; k-- {
		if r.Checkpoints[k].T == T {
			return k
		}
	}
	return -1
}

// Finals returns [Result.Final] of each T, from 0 on.
func (r *Result) Finals() (finals []int) {
	for T := 0; r.Final(T) >= 0; T++ {
		finals = append(finals, r.Final(T))
	}
	return finals
}

// Samples returns the number of samples of each trial, right before a checkpoint, whose mean the
// checkpoint has; 0 if it has a single time.
func (r *Result) Samples(checkpoint int) int { return samplesOf(r.Checkpoints, checkpoint) }

func samplesOf(all []Checkpoint, checkpoint int) int {
	n := 0
	for !all[checkpoint].Sample && n < checkpoint && all[checkpoint-n-1].Sample {
		n++
	}
	return n
}

// Kept are trials of a configuration.
type Kept struct {
	// Completion has the trials one after the other, each with the completion time [s]
	// at every checkpoint.
	Completion []float64
	// LowerBound has the lower bound [s] of each trial.
	LowerBound []float64
}

// A Candidate is a configuration of a field, and a redundancy T.
type Candidate struct{ Config, T int }

// An Option is a candidate and its objective [s].
type Option struct {
	Candidate
	Objective float64
}

// A Choice is the candidate that the trials favour.
//
// A candidate is good if its objective exceeds the best's by at most the tolerance.
type Choice struct {
	// Star is the first candidate that is good with the confidence asked for, native ones first and
	// then in the order of messages; if none is, the first within the tolerance of the best as far
	// as is known. Its T is T*.
	Star Candidate
	// Low is the first that may be good too: trials have not shown that it exceeds the best by more
	// than half of the tolerance.
	Low Candidate
	// Argmin is the one with the smallest objective.
	Argmin Candidate
	// Near are Star and the simulated candidates after it that are within the tolerance of the best.
	Near      []Option
	Objective float64 // of Star [s]
	// Base is the baseline, and Baseline its objective [s].
	Base     Candidate
	Baseline float64
	// Without is the algorithm of Star without its redundancy.
	Without Without
	// Estimate is the first candidate, in the order of messages, that is within the tolerance of the
	// best as far as the trials show, whatever confidence they give.
	Estimate Option
	// Confidence is a lower bound of the probability that Star is good.
	Confidence float64
	// Regret is an upper bound of how far Star's objective is above the best, relative, and GainLow
	// a lower bound of the baseline's objective over Star's; each has the confidence asked for.
	// Without a bound they are +Inf and 0.
	Regret, GainLow float64
	// Needed estimates the trials after which Star is good with the confidence asked for, and
	// Low is Star; it is 0 if that is so, or cannot be estimated.
	Needed  int
	Warning Warning
}
