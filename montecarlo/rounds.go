package montecarlo

import (
	"context"
	"math"

	"jitterfly/collectives"
	"jitterfly/collectives/recording"
	"jitterfly/noise"
)

// A model is a configuration's collective, ready to be played.
type model interface {
	// results is how many T there are.
	results() int
	// work is what one trial costs, in rank-rounds.
	work() float64
	// messages is how many are sent at a T.
	messages(t int) float64
	// least is a time below which no trial completes.
	least() float64
	// hop is the least time in which what a rank contributes gets everywhere.
	// No redundancy gets a trial below its latest start and a hop.
	hop() float64
	// floor is what no redundancy gets any trial below, given the least time
	// without noise.
	floor(quiet float64) float64
	// play plays a trial, on a worker's state.
	play(ctx context.Context, p *player, os noise.Detours, network noise.Delays, trial *collectives.Trial) error
	// record plays a trial up to the result of T, and records what happens.
	record(ctx context.Context, os noise.Detours, network noise.Delays, T int) (*recording.Recording, error)
}

// A besideModel can play several trials at a time: beside of them, best. It knows which
// are the quiet one, given that.
type besideModel interface {
	beside() int
	quiet(trial collectives.Trial) *collectives.Quiet
	playBeside(ctx context.Context, p *player, os noise.Detours, network noise.Delays, trials []collectives.Trial) error
}

// model makes the configuration's.
func (c *Config) model() (model, error) {
	if c.Flows != nil {
		return newFlows(c.Flows, c.Problem.Host.Polled(c.Flows.Bytes, c.Problem.Ranks)), nil
	}
	return newRounds(c.Algorithm, c.Problem)
}

// Measure says what a trial of the configuration costs, in rank-rounds, and how
// many T there are; or why it cannot be played.
func (c *Config) Measure() (work float64, results int, err error) {
	if c.Flows != nil {
		if err := c.Flows.Check(); err != nil {
			return 0, 0, err
		}
	}
	m, err := c.model()
	if err != nil {
		return 0, 0, err
	}
	return m.work(), m.results(), nil
}

// Idempotent says whether contributions may be combined more than once.
func (c *Config) Idempotent() bool {
	if c.Flows != nil {
		return false
	}
	s, err := c.Algorithm.Schedule(c.Problem)
	return err == nil && s.Idempotent
}

// rounds are a collective in rounds, which a timeline plays.
type rounds struct {
	problem  collectives.Problem
	schedule collectives.Schedule
	bound    float64 // what no trial gets below
}

func newRounds(a collectives.Algorithm, p collectives.Problem) (*rounds, error) {
	s, err := a.Schedule(p)
	if err != nil {
		return nil, err
	}
	return &rounds{p, s, s.Least(p)}, nil
}

func (r *rounds) results() int           { return len(r.schedule.Results) }
func (r *rounds) work() float64          { return r.schedule.Work() }
func (r *rounds) messages(t int) float64 { return r.schedule.Messages(t) }
func (r *rounds) least() float64         { return r.bound }

// floor is the time without noise, which in rounds never helps, unless a message
// that comes later need not be copied twice.
func (r *rounds) floor(quiet float64) float64 {
	if r.problem.Host.Progress == collectives.Async {
		return r.bound
	}
	return quiet
}

// hop is posted, over a wire, taken and combined, in the smallest message of the
// schedule. The wire is the network's unless all ranks are on one node.
func (r *rounds) hop() float64 {
	p := &r.problem
	wire := p.Wire
	if p.Node.Ranks > 1 && p.Node.Ranks >= p.Ranks {
		wire = p.Node.Wire
	}
	least := math.Inf(1)
	for _, round := range r.schedule.Rounds {
		if round.Wait == collectives.Combined && len(round.Sources) > 0 {
			hosts := p.Host.Overhead + p.Host.Take(round.Bytes, p.Ranks)
			least = min(least, wire(round.Bytes)+hosts+round.Combine)
		}
	}
	if math.IsInf(least, 1) { // a rank alone
		return 0
	}
	return least
}

func (r *rounds) play(ctx context.Context, p *player, os noise.Detours, network noise.Delays, trial *collectives.Trial) error {
	return p.timeline.Play(ctx, &r.schedule, r.problem, os, network, trial)
}

func (r *rounds) beside() int { return r.schedule.Beside(&r.problem) }

func (r *rounds) quiet(trial collectives.Trial) *collectives.Quiet {
	return collectives.NewQuiet(&r.schedule, &r.problem, trial)
}

func (r *rounds) playBeside(ctx context.Context, p *player, os noise.Detours, network noise.Delays, trials []collectives.Trial) error {
	return p.timeline.PlayBeside(ctx, &r.schedule, r.problem, os, network, trials)
}

func (r *rounds) record(ctx context.Context, os noise.Detours, network noise.Delays, T int) (*recording.Recording, error) {
	return collectives.Record(ctx, &r.schedule, r.problem, os, network, T)
}
