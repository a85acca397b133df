package packet

import (
	"jitterfly/collectives"
	"jitterfly/collectives/network"
)

// Limits of what is simulated.
const (
	maxOutputs  = 64      // of a router
	maxInputs   = 1 << 12 // channels of a router, 64 words of their set
	maxChannels = 1 << 28 // of all routers
	maxFlits    = 1 << 30 // of a message, of a packet, of a buffer
	maxCycles   = 1 << 20 // of a hop, of a credit
)

// Check returns a [collectives.Invalid] if a number is too large, if the topology is neither a mesh nor a
// torus, or if packets could wait for each other in a circle; and any error of
// [network.Scenario.Check].
func (p *Network) Check() error {
	grid, ok := p.Topology.(*network.Grid)
	if !ok {
		return collectives.ParameterSides.Invalid("packets are on meshes and tori, and %s is neither; "+
			"write --engine flow, which has every topology", p.Topology)
	}
	if p.Placement.Several() {
		return collectives.ParameterNodeRanks.Invalid(
			"packets need one rank on each node, not %d; write --engine flow "+
				"for several", p.Placement.PerNode)
	}
	if n := grid.Nodes(); p.Ranks() != n || p.Placement.Nodes != nil {
		return collectives.ParameterNodeRanks.Invalid(
			"packets need one rank on each of the %d nodes of %s, in their order, "+
				"and there are %d ranks; write --engine flow for others", n, grid, p.Ranks())
	}
	if err := p.Scenario.Check(); err != nil {
		return err
	}
	for _, n := range []struct {
		parameter   collectives.Parameter
		name        string
		value, most int
	}{
		{collectives.ParameterFlits, "flits of a packet", p.Flits, maxFlits},
		{collectives.ParameterChannels, "virtual channels", p.Channels, maxInputs},
		{collectives.ParameterBuffer, "flits of a buffer", p.Buffer, maxFlits},
		{collectives.ParameterHop, "cycles of a hop", p.Hop, maxCycles},
		{collectives.ParameterCredit, "cycles of a credit", p.Credit, maxCycles},
	} {
		if n.value > n.most {
			return n.parameter.Invalid("%d %s are impossible; write 1 to %d", n.value, n.name, n.most)
		}
	}
	for i := range p.Schedule.Rounds {
		if flits := p.Schedule.Rounds[i].Bytes / p.Flit; flits > maxFlits {
			return collectives.ParameterBytes.Invalid(
				"messages of %.3g flits are too long; at most %d are simulated", flits, maxFlits)
		}
	}
	return p.checkRouters(grid)
}

func (p *Network) checkRouters(grid *network.Grid) error {
	nodes, phases := grid.Nodes(), len(p.Schedule.Rounds)
	outputs := 2*len(grid.Sides()) + p.Senders()
	switch {
	case p.Senders() > max(1, phases):
		return collectives.ParameterControllers.Invalid(
			"%d are more than the %d messages of a node; write at most %d", p.Senders(), phases, phases)
	case outputs > maxOutputs:
		return collectives.ParameterControllers.Invalid(
			"a router of %d dimensions and %d controllers has %d ports; "+
				"the maximum is %d", len(grid.Sides()), p.Senders(), outputs, maxOutputs)
	case outputs*p.Channels > maxInputs || nodes > maxChannels/(outputs*p.Channels):
		return collectives.ParameterChannels.Invalid(
			"%d virtual channels on each of %d ports of %d routers are "+
				"too many; the maximum is %d of a router and %d in all", p.Channels, outputs, nodes, maxInputs,
			maxChannels)
	case grid.Torus() && p.Rule == Class && p.Channels < 2:
		return collectives.ParameterChannels.Invalid(
			"a torus needs at least 2: one for packets that have crossed the wrap " +
				"link, or packets wait for each other in a circle")
	case grid.Torus() && p.Rule == Destination && p.Channels < nodes:
		return collectives.ParameterChannels.Invalid(
			"on a torus channels by destination must be as many as its %d "+
				"nodes, not %d, or packets wait for each other in a circle", nodes, p.Channels)
	}
	return nil
}
