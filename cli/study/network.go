package study

import (
	"bytes"
	"errors"
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/network/packet"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/montecarlo"
)

// onNetwork returns the model of a point whose messages share the links of a topology, and about how
// many network events a trial simulates one by one.
func (s *Study) onNetwork(p Point, m *rounds.Model, on network.Topology, note func(string),
) (montecarlo.Model, float64, error) {
	linked, err := s.networkModel(p, m, on)
	if err != nil {
		return nil, 0, err
	}
	delays, err := s.delaysOnNetwork(linked, p.transit(&m.Problem, on))
	if err != nil || !p.Application() {
		return linked, delays, err
	}
	if p.Name(Engine) != byFlow || p.AllToAll() {
		return nil, 0, s.wrong(Iterations, "iterations are for all collectives in rounds, and for "+
			"allreduces on flows; write --engine rounds, or 0")
	}
	app := application(p, *m, s.timesOf(p, note))
	app.Network = linked
	return app, delays, nil
}

// networkModel returns the model whose messages share the links of a topology. It fails if the point's
// values do not fit together; the error names the key.
func (s *Study) networkModel(p Point, m *rounds.Model, on network.Topology) (*network.Model, error) {
	problem := &m.Problem
	noise := network.Noise{OS: m.OS, Network: m.Network, StartSkew: p.Number(StartSkew)}
	problem.Busy = false // messages share links by themselves
	schedule, err := m.Algorithm.Schedule(*problem)
	if err != nil {
		return nil, impossible{err}
	}
	h := network.On(problem, schedule, on)
	if h.Placement, err = s.placement(p, on); err != nil {
		return nil, s.wrong(Placement, "%w", err)
	}
	h.Controllers, h.Sync = p.Int(Controllers), constant[network.Sync](p, Sync)
	if p.Name(Engine) == packets {
		h.Relabel() // there is one rank on each node
		n := packetNetwork(p, h)
		if wrong := new(collectives.Invalid); errors.As(n.Check(), &wrong) {
			switch wrong.Parameter {
			case collectives.ParameterSides, collectives.ParameterNodeRanks, collectives.ParameterEngine:
				return nil, impossible{wrong} // other configurations of the study may be of flows
			}
			return nil, s.wrong(faults[wrong.Parameter], "%w", wrong)
		}
		return &network.Model{Network: n, Noise: noise}, nil
	}
	return &network.Model{Noise: noise, Network: &flow.Network{
		Scenario:      h,
		Sharing:       constant[flow.Sharing](p, Sharing),
		HopLatency:    p.Number(HopLatency),
		PortBandwidth: problem.Node.ProcessBandwidth,
		NodeLatency:   problem.Node.Latency,
		NodeBandwidth: problem.Node.Bandwidth,
	}}, nil
}

func packetNetwork(p Point, h network.Scenario) *packet.Network {
	return &packet.Network{
		Scenario: h, Flit: p.Number(PacketFlit),
		Flits: p.Int(PacketFlits), Channels: p.Int(PacketChannels),
		Buffer: p.Int(PacketBuffer), Hop: p.Int(PacketHop), Credit: p.Int(PacketCredit),
		Crossbar: constant[packet.Crossbar](p, Crossbar), Rule: constant[packet.ChannelRule](p, ChannelRule),
	}
}

// arrange adds to a problem what collectives take from the topology, and the list of targets of
// collectives in which each rank sends to one rank. It returns the topology, nil without one.
func (s *Study) arrange(p Point, problem *collectives.Problem) (network.Topology, error) {
	name, place := p.Name(Collective), p.Name(Topology)
	var on network.Topology
	if place != none {
		on, _ = network.ParseTopology(place) // the key has checked it
		each := p.Int(RanksPerNode)
		if n := on.Nodes(); p.OnTopology() && n > maxNodes/each {
			return nil, fmt.Errorf("%s has %d ranks on its nodes; at most %d are simulated",
				on, n*each, maxNodes)
		}
		if grid, ok := on.(*network.Grid); ok {
			problem.Sides = grid.Sides()
		}
	}
	problem.Messages = p.Int(Messages)
	switch name {
	case randomRing:
		random := rng.New(rng.NewKey(s.Seed, randomRing+" "+place))
		problem.Targets = collectives.RandomRing(problem.Ranks, random.Shuffle)
	case permutation:
		content := s.files[s.only(Permutation).Name]
		if content == nil {
			return nil, errors.New("it needs a file; write --permutation FILE")
		}
		var err error
		problem.Targets, err = collectives.ReadPermutation(bytes.NewReader(content), problem.Ranks)
		if err != nil {
			return nil, err
		}
	}
	return on, nil
}

// placement returns where a point's ranks are on the nodes of a topology.
func (s *Study) placement(p Point, on network.Topology) (network.Placement, error) {
	ranks, each := p.Int(Ranks), p.Int(RanksPerNode)
	switch name := p.Name(Placement); name {
	case block:
		return network.Placement{PerNode: each}, nil
	case roundRobin:
		return network.RoundRobin(ranks, each), nil
	case random:
		stream := rng.New(rng.NewKey(s.Seed, "placement "+p.Name(Topology)))
		return network.Random(ranks, on.Nodes(), each, stream.Shuffle), nil
	default:
		return network.ReadPlacement(bytes.NewReader(s.files[name]), ranks, on.Nodes(), each)
	}
}

// fewExchanges is the largest T on a network by default, where each is a simulation of its own.
const fewExchanges = 4
