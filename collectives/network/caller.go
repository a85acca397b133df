package network

import (
	"context"

	"jitterfly/internal/rng"
)

// A Caller simulates calls of a collective one after the other, under the same noise, as
// applications make them. Each is simulated on links that are free, except for the copies that its
// senders have sent.
type Caller struct {
	runner *runner
	key    *rng.Key // nil without noise
	host   Host
	delays Delays
}

// NewCaller returns a caller of the model's collective. It fails if the engine cannot simulate
// that.
func (m *Model) NewCaller() (*Caller, error) {
	r, err := m.runner()
	return &Caller{runner: r}, err
}

// Hop returns a time [s] that passes at least from when a rank enters a call to when all have
// returned.
func (c *Caller) Hop() float64 { return c.runner.hop }

// Begin begins a trial at a checkpoint, with the noise that the key names, or without noise if it
// is nil, whose calls begin at the clocks of the ranks [s] and leave in them when they return.
func (c *Caller) Begin(key *rng.Key, checkpoint int, clocks []float64) {
	c.runner.engine.Limit(checkpoint)
	c.runner.engine.Continue(clocks)
	c.key, c.host, c.delays = key, NoiseFree{}, NoiseFree{}
	if key != nil {
		c.host, c.delays = c.runner.source.Draw(*key)
	}
}

// Finish returns when a rank that may begin at t [s] has computed for some time [s] of its
// processor.
func (c *Caller) Finish(rank int, t, work float64) float64 { return c.host.Finish(rank, t, work) }

// Call simulates a call. Since a rank may return from it while it still has messages to receive for
// others, the next begins before detours that are known.
func (c *Caller) Call(ctx context.Context) error {
	_, err := c.runner.engine.Run(ctx, c.host, c.delays)
	if c.key != nil {
		c.runner.source.Again(*c.key)
	}
	return err
}
