package network

import (
	"context"
	"fmt"
	"sync"

	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A Model is a pattern of messages on a topology under noise, which the flow engine
// simulates. It implements [montecarlo.Model]. All messages are sent, so that T is 0.
type Model struct {
	Problem Problem
	// Polling is how much of [Problem.ReceiveWork] is polling [s], for recordings.
	Polling float64
	Noise   Noise

	once  sync.Once
	bound float64 // what no trial gets below [s]
}

// workOfMessage is about how many messages of a schedule take as long to simulate as one
// flow.
const workOfMessage = 50

// Shape implements [montecarlo.Model]. Its error says what is wrong with the problem.
func (m *Model) Shape() (montecarlo.Shape, error) {
	if err := m.Problem.Check(); err != nil {
		return montecarlo.Shape{}, err
	}
	sent := m.Problem.Pattern.Messages()
	shape := montecarlo.Shape{
		Checkpoints: []montecarlo.Checkpoint{{Messages: sent}},
		Work:        workOfMessage * sent,
		Memory:      m.Problem.Memory(m.Problem.Pattern.Phases()),
	}
	m.Noise.Describe(&shape, m.Problem.Topology.Nodes(), sent*m.Problem.MessageTime(), m.LowerBound)
	return shape, nil
}

// LowerBound implements [montecarlo.Model]. It walks all routes once.
func (m *Model) LowerBound() float64 {
	m.once.Do(func() { m.bound = m.Problem.LowerBound() })
	return m.bound
}

// Explain says which engine simulates the model.
func (m *Model) Explain() string {
	text := "flows that share the topology's links, one trial at a time"
	if most := m.Problem.MostWorkers(); most > 1 {
		text += fmt.Sprintf("; where there are fewer trials than workers, a trial has up to %d", most)
	}
	return text
}

// NewRunner implements [montecarlo.Model].
func (m *Model) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) {
	engine, err := NewEngine(m.Problem)
	if err != nil {
		return nil, err
	}
	return &runner{
		model: m, engine: engine,
		source:         m.Noise.Source(m.Problem.Topology.Nodes(), m.Problem.controllers()),
		everyNodeSends: m.Problem.EveryNodeSends(),
	}, nil
}

// Share implements [montecarlo.Sharer].
func (r *runner) Share(workers func() int) { r.engine.Share(workers, r.noiseOf) }

// noiseOf is the [NoiseOfWorker] of the trial that runs.
func (r *runner) noiseOf(i int) (Host, Delays) {
	if r.noiseFree {
		return NoiseFree{}, NoiseFree{}
	}
	return r.source.ForWorker(i)
}

// A runner simulates the trials of a model, one after the other.
type runner struct {
	model          *Model
	engine         *Engine
	source         *Source
	noiseFree      bool // the trial that runs
	everyNodeSends bool
}

// NoiseFree implements [montecarlo.Runner].
func (r *runner) NoiseFree(ctx context.Context, trial *montecarlo.Trial) error {
	r.noiseFree = true
	defer func() { r.noiseFree = false }()
	return r.run(ctx, NoiseFree{}, NoiseFree{}, trial)
}

// Run implements [montecarlo.Runner].
func (r *runner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		os, events := r.source.Draw(key)
		if err := r.run(ctx, os, events, &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// run simulates one trial. No redundancy gets it below the bound of all trials, since what
// delays a flow can make others faster, nor below its latest start and one message if every node sends.
func (r *runner) run(ctx context.Context, os Host, events Delays, trial *montecarlo.Trial) error {
	result, err := r.engine.Run(ctx, os, events)
	if err != nil {
		return err
	}
	hop := 0.0
	if r.everyNodeSends {
		hop = r.model.Problem.MessageTime()
	}
	trial.Completion[0] = result.CompletionTime
	trial.LowerBound = max(r.model.LowerBound(), result.LatestStart+hop)
	return nil
}

// Record implements [montecarlo.Runner].
func (r *runner) Record(ctx context.Context, key rng.Key, _ int) (*recording.Recording, error) {
	os, events := r.source.Draw(key)
	return Record(ctx, r.model.Problem, os, events, r.model.Polling)
}

var (
	_ montecarlo.Model  = (*Model)(nil)
	_ montecarlo.Sharer = (*runner)(nil)
)
