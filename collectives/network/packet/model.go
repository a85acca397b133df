package packet

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A Model is a pattern of messages on a mesh or torus under noise, which the packet engine
// simulates. It implements [montecarlo.Model]. All messages are sent, so that T is 0.
type Model struct {
	Problem Problem
	// Polling is how much of [network.Problem.ReceiveWork] is polling [s], for recordings.
	Polling float64
	Noise   network.Noise

	once     sync.Once
	bound    float64 // what no trial gets below [s]
	counting sync.Once
	flitHops float64
}

// workOfFlitHop is about how many messages of a schedule take as long to simulate as one flit that
// moves to another router.
const workOfFlitHop = 2

// Shape implements [montecarlo.Model]. Its error says what is wrong with the problem.
func (m *Model) Shape() (montecarlo.Shape, error) {
	if err := m.Problem.Check(); err != nil {
		return montecarlo.Shape{}, err
	}
	sent := m.Problem.Pattern.Messages()
	shape := montecarlo.Shape{
		Checkpoints: []montecarlo.Checkpoint{{Messages: sent}},
		Work:        workOfFlitHop * m.FlitHops(),
		Memory:      m.Problem.Memory(),
	}
	m.Noise.Describe(&shape, m.Problem.Topology.Nodes(), sent*m.Problem.MessageTime(), m.LowerBound)
	return shape, nil
}

// FlitHops returns how often flits move from a router to another or to their receiver in a trial.
func (m *Model) FlitHops() float64 {
	m.counting.Do(func() { m.flitHops = m.Problem.FlitHops() })
	return m.flitHops
}

// LowerBound implements [montecarlo.Model]. It walks all routes once.
func (m *Model) LowerBound() float64 {
	m.once.Do(func() { m.bound = m.Problem.LowerBound() })
	return m.bound
}

// Explain says which engine simulates the model.
func (m *Model) Explain() string {
	return fmt.Sprintf("packets, flit by flit through routers, one trial at a time: %.3g flit-hops each",
		m.FlitHops())
}

// NewRunner implements [montecarlo.Model].
func (m *Model) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) {
	engine, err := NewEngine(m.Problem)
	if err != nil {
		return nil, err
	}
	return &runner{
		model: m, engine: engine,
		source:         m.Noise.Source(engine.fabric.nodes, engine.fabric.controllers),
		everyNodeSends: m.Problem.EveryNodeSends(),
	}, nil
}

// A runner simulates the trials of a model on one worker.
type runner struct {
	model          *Model
	engine         *Engine
	source         *network.Source
	everyNodeSends bool
}

// NoiseFree implements [montecarlo.Runner].
func (r *runner) NoiseFree(ctx context.Context, trial *montecarlo.Trial) error {
	return r.run(ctx, network.NoiseFree{}, network.NoiseFree{}, trial)
}

// Run implements [montecarlo.Runner].
func (r *runner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i, key := range keys {
		host, delays := r.source.Draw(key)
		if err := r.run(ctx, host, delays, &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// run simulates one trial. No redundancy gets it below the bound of all trials, nor below its
// latest start and one message, if every node sends.
func (r *runner) run(
	ctx context.Context, host network.Host, delays network.Delays, trial *montecarlo.Trial,
) error {
	result, err := r.engine.Run(ctx, host, delays)
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
	host, delays := r.source.Draw(key)
	return Record(ctx, r.model.Problem, host, delays, r.model.Polling)
}

// Memory returns an estimate of the bytes that an [Engine] of the problem allocates.
func (p *Problem) Memory() float64 {
	nodes := float64(p.Topology.Nodes())
	slots := nodes * float64(p.controllers())
	outputs := nodes*float64(2*p.dimensions()) + slots
	channels, room := outputs*float64(p.Channels), float64(p.room())
	size := func(v any) float64 { return float64(reflect.TypeOf(v).Size()) }
	words := (outputs/nodes*float64(p.Channels) + 63) / 64
	// What moves in a cycle is at most a flit of each output and one of each controller. Slices
	// that grow have up to twice what they need.
	inTransit := 4 * (outputs + slots) * float64(max(p.Hop, p.Credit)+1) * 2
	packets := min(channels*room, p.Pattern.Messages()*float64(p.MessageFlits()/p.Flits+1))
	bytes := channels*(size(channel{})+4*room+size(span{})) + // buffers
		slots*(float64(p.Channels)*size(channel{})+size(slot{})+2*size(wakeup{})) +
		outputs*(2*8*words+8+4+4+4+1) + nodes*(size(router{})+size(node{})+4) +
		2*inTransit + 2*packets*(size(parcel{})+4) +
		2*min(packets+slots, p.Pattern.Messages())*(size(message{})+4)
	if p.Sync == network.Local || p.Sync == network.LocalController {
		bytes += nodes * float64(p.Pattern.Phases()) / 8
	}
	return bytes
}

// dimensions returns the number of dimensions of the grid.
func (p *Problem) dimensions() int { return len(p.grid().Sides()) }

var _ montecarlo.Model = (*Model)(nil)
