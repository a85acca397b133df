package network

import (
	"context"
	"sync"

	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A Model is a pattern of messages on a topology under noise, which the flow engine
// simulates. It implements [montecarlo.Model]. All messages are sent, so that T is 0.
type Model struct {
	Problem Problem
	// Polling is how much of [Problem.ReceiveWork] is polling [s], for recordings.
	Polling float64
	OS      noise.OS
	Network noise.Network

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
	noisePerNode := 8.
	if _, ok := m.OS.(noise.Periodic); !ok {
		noisePerNode += noise.BytesPerList
	}
	shape := montecarlo.Shape{
		Checkpoints: []montecarlo.Checkpoint{{Messages: sent}},
		Work:        workOfMessage * sent,
		Hit:         max(m.OS.Hit(), m.Network.Hit()),
		Memory: m.Problem.Memory(m.Problem.Pattern.Phases()) +
			noisePerNode*float64(m.Problem.Topology.Nodes()),
	}
	nodes, transits := float64(m.Problem.Topology.Nodes()), sent*m.Problem.MessageTime()
	shape.Tail = func(length float64) float64 {
		own := nodes * m.OS.Excess(m.LowerBound(), int(sent), length)
		return own + m.Network.Excess(transits, int(sent), length)
	}
	if m.OS.Excess(1, 1, shape.Hit)+m.Network.Excess(1, 1, shape.Hit) == 0 {
		shape.Tail = nil
	}
	return shape, nil
}

// LowerBound implements [montecarlo.Model]. It walks all routes once.
func (m *Model) LowerBound() float64 {
	m.once.Do(func() { m.bound = m.Problem.LowerBound() })
	return m.bound
}

// Explain says which engine simulates the model.
func (m *Model) Explain() string {
	return "flows that share the topology's links, one trial at a time"
}

// NewRunner implements [montecarlo.Model].
func (m *Model) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) {
	engine, err := NewEngine(m.Problem)
	if err != nil {
		return nil, err
	}
	nodes := m.Problem.Topology.Nodes()
	return &runner{
		model: m, engine: engine,
		detours: m.OS.Detours(make([]float64, nodes)), delays: m.Network.Delays(nodes),
	}, nil
}

// A runner simulates the trials of a model on one worker.
type runner struct {
	model   *Model
	engine  *Engine
	detours noise.Detours
	delays  noise.Delays
}

// NoiseFree implements [montecarlo.Runner].
func (r *runner) NoiseFree(ctx context.Context, trial *montecarlo.Trial) error {
	return r.run(ctx, NoiseFree{}, NoiseFree{}, trial)
}

// Run implements [montecarlo.Runner].
func (r *runner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		os, events := r.draw(key)
		if err := r.run(ctx, os, events, &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// run simulates one trial. No redundancy gets it below the bound of all trials, since what
// delays a flow can make others faster, nor below its latest start and one message.
func (r *runner) run(ctx context.Context, os Host, events Delays, trial *montecarlo.Trial) error {
	result, err := r.engine.Run(ctx, os, events)
	if err != nil {
		return err
	}
	hop := 0.0
	if r.model.Problem.Pattern.Messages() > 0 {
		hop = r.model.Problem.MessageTime()
	}
	trial.Completion[0] = result.CompletionTime
	trial.LowerBound = max(r.model.LowerBound(), result.LatestStart+hop)
	return nil
}

// draw draws the noise of the trial that the key names.
func (r *runner) draw(key rng.Key) (Host, Delays) {
	r.detours.Draw(key)
	r.delays.Draw(key)
	return &host{detours: r.detours}, events{r.delays, max(1, r.model.Problem.Controllers)}
}

// Record implements [montecarlo.Runner].
func (r *runner) Record(ctx context.Context, key rng.Key, _ int) (*recording.Recording, error) {
	os, events := r.draw(key)
	return Record(ctx, r.model.Problem, os, events, r.model.Polling)
}

// host is the detours of every node.
type host struct {
	detours noise.Detours
	one     [1]float64
}

// Finish implements [Host].
func (h *host) Finish(node int, t, work float64) float64 {
	h.one[0] = t
	h.detours.Finish(node, h.one[:], work)
	return h.one[0]
}

// events are those of each controller's messages.
type events struct {
	delays      noise.Delays
	controllers int
}

// Next implements [Delays].
func (e events) Next(node, controller int) (transit, delay float64) {
	return e.delays.Next(node*e.controllers + controller)
}

// Extra implements [Delays].
func (e events) Extra(node, controller int) float64 {
	return e.delays.Extra(node*e.controllers + controller)
}

var _ montecarlo.Model = (*Model)(nil)
