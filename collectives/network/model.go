package network

import (
	"context"
	"sync"

	"jitterfly/collectives/recording"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// A Network is a scenario on an engine that simulates its messages.
type Network interface {
	// Hosts returns the scenario of the hosts.
	Hosts() *Scenario
	// Width returns the number of slots of a rank.
	Width() int
	// Check returns an error if the engine cannot simulate the scenario.
	Check() error
	// MessageTime returns a lower bound [s] of the time from when a rank can send a message of some
	// bytes to when its receiver has received it.
	MessageTime(bytes float64) float64
	// LowerBound returns a lower bound [s] of the completion time for any order of messages and any
	// noise.
	LowerBound() float64
	// Work returns about how long a trial takes to simulate, in messages of a schedule in rounds.
	Work() float64
	// Memory returns an estimate of the bytes that an engine allocates.
	Memory() float64
	// Explain says in a few words what the engine does.
	Explain() string
	// Engine returns an engine of the scenario, which Check accepts.
	Engine() Engine
}

// An Engine simulates trials of one scenario, one after the other.
type Engine interface {
	// Run simulates one trial under the noise and returns its result. It fails if the context is
	// cancelled, or if the trial does not end.
	Run(ctx context.Context, host Host, delays Delays) (Result, error)
	// Limit sets the checkpoint up to which trials are simulated from then on; it is the last at
	// first.
	Limit(checkpoint int)
	// Continue is as [Hosts.Continue].
	Continue(clocks []float64)
	// Record simulates one trial and returns its recording. No trial must follow.
	Record(ctx context.Context, host Host, delays Delays) (*recording.Recording, error)
}

// Result is the outcome of a trial. Times are in seconds from the start.
type Result struct {
	// CompletionTime is when the last message has been received, and all work is done.
	CompletionTime float64
	// LatestStart is when the last rank begins.
	LatestStart float64
	// Received is the number of messages that arrived.
	Received int
	// Moments is the number of different times at which something happened, as the engine counts them.
	Moments int
}

// A Model is a collective on a network under noise. It implements [montecarlo.Model]. Since the
// copies of one redundancy T delay messages that share links with them, each T is a simulation of
// its own, under the same noise.
type Model struct {
	Network Network
	Noise   Noise

	once  sync.Once
	bound float64 // what no trial gets below [s]
}

// Shape implements [montecarlo.Model]. Its error says what is wrong with the scenario.
func (m *Model) Shape() (montecarlo.Shape, error) {
	if err := m.Network.Check(); err != nil {
		return montecarlo.Shape{}, err
	}
	p := m.Network.Hosts()
	plan := p.Sequence()
	shape := montecarlo.Shape{Idempotent: p.Schedule.Idempotent, Memory: m.Network.Memory()}
	all := 0.0
	for t := range p.Schedule.Checkpoints {
		messages := p.Schedule.Messages(t)
		all += messages
		shape.Checkpoints = append(shape.Checkpoints,
			montecarlo.Checkpoint{T: t, Messages: messages, Buffer: p.Schedule.Buffer})
	}
	shape.Work = m.Network.Work() * all / max(1, plan.All())
	m.Noise.Describe(&shape, p.Ranks(), plan.Traffic(m.Network.MessageTime), m.LowerBound)
	return shape, nil
}

// LowerBound implements [montecarlo.Model]. It walks all routes once.
func (m *Model) LowerBound() float64 {
	m.once.Do(func() { m.bound = m.Network.LowerBound() })
	return m.bound
}

// Explain says which engine simulates the model.
func (m *Model) Explain() string { return m.Network.Explain() }

// NewRunner implements [montecarlo.Model].
func (m *Model) NewRunner(montecarlo.Runner) (montecarlo.Runner, error) { return m.Runner(), nil }

// Runner returns a runner for one worker.
func (m *Model) Runner() *Runner {
	p := m.Network.Hosts()
	plan := p.Sequence()
	source := m.Noise.Source(&plan, m.Network.Width(), p.Placement.order())
	r := &Runner{model: m, engine: m.Network.Engine(), source: source}
	if all := plan.All(); !plan.Direct || all > 0 && all == float64(plan.Ranks)*float64(plan.real) {
		r.Hop = m.Network.MessageTime(plan.Shortest())
	}
	return r
}

// A Runner simulates the trials of a model, one after the other; or calls of its collective under the same
// noise, as applications make them, each on links that are free, except for the copies that its senders have
// sent.
type Runner struct {
	Hop    float64 // what passes at least from when a rank enters a call to when all have returned [s]
	model  *Model
	engine Engine
	source *TrialNoise
	key    *rng.Key // of calls, nil without noise
	host   Host
	delays Delays
}

// NoiseFree implements [montecarlo.Runner].
func (r *Runner) NoiseFree(ctx context.Context, _ float64, trial *montecarlo.Trial) error {
	return r.run(ctx, nil, trial)
}

// Run implements [montecarlo.Runner].
func (r *Runner) Run(ctx context.Context, keys []rng.Key, trials []montecarlo.Trial) error {
	for i := range keys {
		if err := r.run(ctx, &keys[i], &trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// run simulates one trial for each redundancy. None gets it below the bound of all trials, since
// what delays a flow can make others faster, nor below its latest start and one message if every
// rank sends.
func (r *Runner) run(ctx context.Context, key *rng.Key, trial *montecarlo.Trial) error {
	for t := range trial.Completion {
		r.Begin(key, t, nil)
		result, err := r.engine.Run(ctx, r.host, r.delays)
		if err != nil {
			return err
		}
		trial.Completion[t] = result.CompletionTime
		trial.LowerBound = max(r.model.LowerBound(), result.LatestStart+r.Hop)
	}
	return nil
}

// Record implements [recording.Recorder].
func (r *Runner) Record(ctx context.Context, key rng.Key, checkpoint int) (*recording.Recording, error) {
	engine := r.model.Network.Engine()
	engine.Limit(checkpoint)
	host, delays := r.source.Draw(key)
	return engine.Record(ctx, host, delays)
}

var _ montecarlo.Model = (*Model)(nil)

// Begin begins a trial at a checkpoint, with the noise that the key names, or without noise if it is nil. Its
// calls begin at the clocks of the ranks [s], and leave in them when they return; one that begins at 0 needs
// none.
func (r *Runner) Begin(key *rng.Key, checkpoint int, clocks []float64) {
	r.engine.Limit(checkpoint)
	r.engine.Continue(clocks)
	r.key, r.host, r.delays = key, NoiseFree{}, NoiseFree{}
	if key != nil {
		r.host, r.delays = r.source.Draw(*key)
	}
}

// Finish returns when a rank that may begin at t [s] has computed between calls for some time [s] of its
// processor.
func (r *Runner) Finish(rank int, t, work float64) float64 { return r.host.Finish(rank, t, work) }

// Call simulates a call. Since a rank may return from it while it still has messages to receive for
// others, the next begins before detours that are known.
func (r *Runner) Call(ctx context.Context) error {
	_, err := r.engine.Run(ctx, r.host, r.delays)
	if r.key != nil {
		r.source.Again(*r.key)
	}
	return err
}
