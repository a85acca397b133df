package montecarlo

import (
	"context"
	"sync"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/recording"
	"jitterfly/noise"
)

// flows are messages on a topology whose links they share, which the flow engine
// plays. All messages are sent, so that T = 0 only.
type flows struct {
	problem *network.Problem
	polled  float64 // how much of the work to receive is polling
	sent    float64
	bound   func() float64 // what no trial gets below; it walks all routes
}

func newFlows(p *network.Problem, polled float64) *flows {
	return &flows{problem: p, polled: polled, sent: p.Pattern.Messages(), bound: sync.OnceValue(p.LowerBound)}
}

func (f *flows) results() int         { return 1 }
func (f *flows) messages(int) float64 { return f.sent }
func (f *flows) least() float64       { return f.bound() }

// floor is the least, since what delays a flow can make others faster.
func (f *flows) floor(float64) float64 { return f.bound() }

// work is that of so many rank-rounds: a message costs about as much time as fifty
// of them.
func (f *flows) work() float64 { return 50 * f.sent }

// hop is one message's time over one link, hosts included.
func (f *flows) hop() float64 {
	if f.sent == 0 {
		return 0
	}
	return f.problem.MessageTime()
}

func (f *flows) play(ctx context.Context, p *player, os noise.Detours, events noise.Delays, trial *collectives.Trial) error {
	if p.engineOf != f {
		engine, err := network.NewEngine(*f.problem)
		if err != nil {
			return err
		}
		p.engine, p.engineOf = engine, f
	}
	result, err := p.engine.Run(ctx, &host{detours: os}, holds{events, max(1, f.problem.Controllers)})
	trial.Completion[0], trial.LatestStart = result.CompletionTime, result.LatestStart
	return err
}

func (f *flows) record(ctx context.Context, os noise.Detours, events noise.Delays, _ int) (*recording.Recording, error) {
	return network.Record(ctx, *f.problem, &host{detours: os}, holds{events, max(1, f.problem.Controllers)}, f.polled)
}

// host is the detours of every node.
type host struct {
	detours noise.Detours
	one     [1]float64
}

// Finish implements [network.Host].
func (h *host) Finish(node int, t, work float64) float64 {
	h.one[0] = t
	h.detours.Finish(node, h.one[:], work)
	return h.one[0]
}

// holds are the events in the network, each controller's messages on a lane.
type holds struct {
	delays      noise.Delays
	controllers int
}

// Next implements [network.Delays].
func (h holds) Next(node, controller int) (transit, hold float64) {
	return h.delays.Next(node*h.controllers + controller)
}

// Extra implements [network.Delays].
func (h holds) Extra(node, controller int) float64 {
	return h.delays.Extra(node*h.controllers + controller)
}
