package montecarlo

import (
	"context"

	"jitterfly/internal/rng"
)

// A Model is a collective on a machine under noise that can be simulated. It is
// data: several workers may use one at the same time.
type Model interface {
	// Shape describes a trial. Its error says why the collective cannot be simulated.
	Shape() (Shape, error)
	// LowerBound returns a time [s] below which no trial completes, at any T, whatever
	// the noise. It is called only for models whose Shape has no error.
	LowerBound() float64
	// NewRunner returns a runner for one worker. It may share the memory of old, a runner of any
	// model that the worker uses in turn with it, or nil.
	NewRunner(old Runner) (Runner, error)
}

// A Shape describes the trials of a model.
type Shape struct {
	// Checkpoints are the points at which times are reported.
	Checkpoints []Checkpoint
	// Idempotent says that the collective may combine contributions more than once,
	// which is wrong for a sum.
	Idempotent bool
	// Monotone says that in every trial the completion falls with T, or stays, as redundant
	// exchanges cost nobody anything.
	Monotone bool
	// NoiseOnlyDelays says that no trial completes earlier than the shortest trial without noise.
	NoiseOnlyDelays bool
	// Work is the cost of a trial, in simulated messages.
	Work float64
	// Noise is about what it costs to draw the noise of a trial, in simulated messages. Models whose trials
	// are simulated together share it.
	Noise float64
	// Span is about how long [s] a trial takes without noise; 0 if that is not known.
	Span float64
	// Hit is the most [s] that one detour, or one event in the network, delays: the
	// longest there is, or if lengths have no bound, one that few exceed.
	Hit float64
	// Tail returns by how much [s] the detours and events of a trial exceed a length,
	// summed, on average. It is nil if none exceeds Hit.
	Tail func(length float64) float64
	// Memory is about what a runner holds, in bytes. If it is Shared, further runners hold little beside it.
	Memory float64
	Shared bool
}

// redundancy returns the largest T.
func (s *Shape) redundancy() int { return s.Checkpoints[len(s.Checkpoints)-1].T }

// A Checkpoint is a point of a collective at which times are reported. The last checkpoint of each
// T is the completion with that redundancy, and a candidate of choices.
type Checkpoint struct {
	T        int     // redundancy
	Messages float64 // sent until then
	// Sample marks one of several times of a trial with redundancy T; the completion, which comes
	// after them, is their mean. The quantiles of a T are the quantiles of its samples.
	Sample bool
	Buffer float64 // memory [B] of a rank for what it passes on
}

// A Runner simulates trials of one model, one call after another.
type Runner interface {
	// NoiseFree simulates the collective without noise. Where trials without noise differ, it is the mean of
	// as many as its relative precision needs, up to a number that suits the model.
	NoiseFree(ctx context.Context, precision float64, trial *Trial) error
	// Run simulates the trial that each key names, and writes it to the entry of trials with the
	// same index. The result does not depend on earlier calls, nor on the other trials of the call.
	// It returns the context's error soon after that is cancelled.
	Run(ctx context.Context, keys []rng.Key, trials []Trial) error
}

// A JointRunner can simulate a trial together with other runners of its worker, which takes less than one
// after the other.
type JointRunner interface {
	Runner
	// RunJoint simulates the trial that a key names with each of some runners, one of which it is, and writes
	// it to the entry of trials with the same index, as Run does.
	RunJoint(ctx context.Context, key rng.Key, runners []Runner, trials []Trial) error
}

// A Trial is the result of simulating a collective once.
type Trial struct {
	// Completion has, for each checkpoint, the time [s] from the launch at which the last
	// rank is done. It is as long as [Shape.Checkpoints], and made by the caller.
	Completion []float64
	// LowerBound is a time [s] that no redundancy gets this trial below: the
	// collective without noise, and the latest start's way to all others.
	LowerBound float64
}

// A Config is a model, and the random numbers that its trials draw.
type Config struct {
	Model Model
	// Environment is a canonical string of everything that noise may depend on. Two configurations
	// with the same environment meet the same noise.
	Environment string
	// Reference marks a configuration that others are compared with, and that is not to be chosen.
	Reference bool
	// Plain marks a configuration whose T = 0 may be the baseline of its field.
	Plain bool
	// Algorithm names what a configuration shares with those that differ from it by their redundancy
	// alone, and Single marks the one that has none of it at T = 0.
	Algorithm string
	Single    bool
	// Native marks a configuration whose T = 0 is preferred to every configuration that is not
	// native, however many messages it sends.
	Native bool
	// Upto returns the model with at most the given number of redundant exchanges: its checkpoints are
	// the first ones of Model, with the same times. It is nil if the model is always simulated whole.
	Upto func(redundancy int) Model
	// After are gains between other configurations of the field without which this one is not
	// compared: it has more of something that did not help.
	After []Gain
	// First is the number of its first trial.
	First int
}

// A Gain is that a configuration of a field, given by its index, has a smaller objective than
// another.
type Gain struct{ Of, Over int }

// Key returns the key of the random streams of a trial, given the study's seed.
func (c *Config) Key(seed uint64, trial int) rng.Key { return c.streams(seed).Derive(uint64(trial)) }

// streams returns the key from which the keys of the configuration's trials derive.
func (c *Config) streams(seed uint64) rng.Key { return rng.NewKey(seed, c.Environment) }
