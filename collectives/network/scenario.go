package network

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/collectives"
)

// A Scenario is one collective on a machine with a topology, as engines with a network simulate it. All
// fields are in SI units, finite and not negative.
type Scenario struct {
	Schedule  collectives.Schedule
	Topology  Topology
	Placement Placement

	Latency   float64 // α: latency of the first byte of a message on any route [s]
	Bandwidth float64 // of each link [B/s], more than 0

	// Controllers is the number of messages that a rank sends at the same time (NCT in
	// paper 002); 0 means 1.
	Controllers int
	Sync        Sync
	// SendWork and ReceiveWork are the times [s] that a rank's processor needs to send a message and
	// to receive one that has arrived, including Polling [s] for polling. It does one thing after the
	// other, in the order of arrival. EarlyWork is the additional time [s] for a message that arrives
	// before the rank has begun its exchange, besides the time of a copy at CopyBandwidth [B/s]; 0
	// means no copy.
	SendWork, ReceiveWork, Polling, EarlyWork, CopyBandwidth float64
	// Gap is the least time [s] between two messages of one controller, from posting to posting.
	Gap float64
	// Forward makes a rank that has the result send it in place of partial results. Return delays the
	// return of its call until its processor is free of detours.
	Forward, Return bool
	// Window is the most bytes [B] of a message that are out and not read, and Reading the
	// time [s] from when a byte arrives to when it is read, on average; 0: unlimited. So a
	// longer message takes longer by what its sender waits for the window.
	Window, Reading float64
}

// Sync selects what a rank waits for before it sends, where [collectives.Schedule.Direct] lets it
// choose. The messages of a rank form one queue in the order of exchanges, and a message occupies
// its controller until it arrives.
type Sync int

const (
	// None lets every idle controller send the next message.
	None Sync = iota
	// Local sends in groups of as many messages as there are controllers: the next group
	// begins when all messages of the last one have arrived and the rank has received
	// all messages of the last one's exchanges.
	Local
	// LocalController lets a controller send the next message when its last one has
	// arrived and the rank has received the message of the same exchange. With one
	// controller it is the same as Local.
	LocalController
	// LocalCount lets an idle controller send the message of exchange p, counted from 0, when the
	// rank has received as many messages as there are in the exchanges up to p minus the number of
	// controllers, whichever they are.
	LocalCount
)

// On returns the scenario of a collective on a topology: what its hosts, its links and its nodes
// cost.
func On(p *collectives.Problem, s collectives.Schedule, t Topology) Scenario {
	h, redundancy := &p.Host, &p.Redundancy
	on := Scenario{
		Schedule: s, Topology: t, Placement: Placement{PerNode: p.Node.Ranks},
		Latency: p.Latency, Bandwidth: p.Bandwidth,
		SendWork: h.Overhead, Polling: h.Polled(p.Ranks), Gap: h.Gap,
		Forward: redundancy.Forward, Return: redundancy.Reception == collectives.NIC && !s.Direct,
	}
	on.ReceiveWork = h.Take(1) + on.Polling
	if h.Sockets() {
		on.Window, on.Reading = h.Window, 1.5*h.Scan(p.Ranks) // the rest of a poll, and the next
	}
	if h.Progress == collectives.Async {
		on.EarlyWork, on.CopyBandwidth = h.Match, p.MemoryBandwidth
	}
	return on
}

// Check returns an error if nodes have different numbers of ranks, if controllers are too many, or if the
// schedule is simulated in rounds alone.
func (p *Scenario) Check() error {
	ranks := p.Ranks()
	if err := p.Placement.check(ranks, p.Topology.Nodes()); err != nil {
		return fmt.Errorf("%s: %w", p.Topology, err)
	}
	if p.Controllers > math.MaxInt32/ranks {
		return fmt.Errorf("%d controllers on each of %d nodes are impossible; write 1 to %d",
			p.Controllers, ranks, math.MaxInt32/ranks)
	}
	for i := range p.Schedule.Rounds {
		switch r := &p.Schedule.Rounds[i]; {
		case r.Medium == collectives.Memory:
			return collectives.ParameterEngine.Invalid(
				"ranks that share memory are simulated by rounds alone; write --engine rounds")
		case r.Turns > 1:
			return collectives.ParameterEngine.Invalid(
				"ranks of a node that take turns are simulated by rounds alone; write --engine rounds")
		}
	}
	return nil
}

// Hosts returns the scenario, for a [Network] that embeds it.
func (p *Scenario) Hosts() *Scenario { return p }

// Senders returns the number of controllers of a rank.
func (p *Scenario) Senders() int { return max(1, p.Controllers) }

// Ranks returns the number of ranks.
func (p *Scenario) Ranks() int { return p.Schedule.Ranks }

// Early returns the additional work [s] for a message of that length that arrives early.
func (p *Scenario) Early(bytes float64) float64 {
	if p.CopyBandwidth == 0 {
		return p.EarlyWork
	}
	return bytes/p.CopyBandwidth + p.EarlyWork
}

// Stall returns how long [s] the sender of a message waits for its window, over a route of that
// latency [s] and at the bandwidth of a link: each window but the last is sent in less time than
// until its first byte is read and the sender knows.
func (p *Scenario) Stall(latency, bytes float64) float64 {
	if p.Window == 0 || bytes <= p.Window {
		return 0
	}
	turn := float64(2*latency) + p.Reading
	return float64((math.Ceil(bytes/p.Window) - 1) * max(0, turn-p.Window/p.Bandwidth))
}

// Chain returns when the collective is complete if every message arrives after a time [s] that
// alone returns for it and its bytes, whatever others do, and hosts have no other costs than the
// schedule's: no trial is faster. A redundant copy comes from a rank that has the result.
func (p *Sequence) Chain(alone func(from, to int, bytes float64) float64) float64 {
	t, next := make([]float64, p.Ranks), make([]float64, p.Ranks)
	done := make([]float64, p.Ranks)
	wire := math.Inf(1)
	for i := range p.rounds {
		r := &p.rounds[i]
		copy(next, t)
		for own := r.Receivers.Lo; own < r.Receivers.Hi; own++ {
			rank, came := int(p.place[own]), math.Inf(1)
			for e := r.Exchange; e < r.Exchange+len(r.Sources); e++ {
				from := p.From(e, rank)
				took := alone(from, rank, p.Exchanges[e].Bytes)
				wire = min(wire, took)
				sent := t[from] + p.Exchanges[e].post
				if r.Lag > 0 {
					sent = 0
				}
				came = min(came, sent+took)
			}
			if len(r.Sources) > 0 {
				next[rank] = max(t[rank], came)
			}
			next[rank] += r.Combine
			done[rank] = next[rank]
		}
		t, next = next, t
	}
	if len(p.Checkpoints) == 1 {
		return slices.Max(done)
	}
	return min(slices.Max(t), slices.Min(t)+wire)
}
