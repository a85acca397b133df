package study

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/network/packet"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/units"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// model returns the model of a point with a profile. The largest T is the given one, or with
// [collectives.AllExchanges] all that the study asks for. It fails if the point's values do not fit
// together; the error names the key. It notes in x what the user may not expect, and about how many
// detours a trial meets where they may take long.
func (s *Study) model(p Point, m *Measured, most int, x *finding) (montecarlo.Model, error) {
	if err := p.checkTimes(s); err != nil {
		return nil, err
	}
	problem, err := s.problem(p, most)
	if err != nil {
		return nil, err
	}
	os, err := m.jitter(p, s)
	if err != nil {
		return nil, err
	}
	on, err := s.arrange(p, &problem)
	if err != nil {
		return nil, s.wrong(Collective, "%w", err)
	}
	if err := s.detours(p, os, p.transit(&problem, on), problem.Ranks, x); err != nil {
		return nil, err
	}
	events, err := m.events(p, s, &problem)
	if err != nil {
		return nil, err
	}
	if hit := max(os.Hit(), events.Longest()); hit > maxSeconds {
		return nil, s.wrong(NoiseProfile, "one detour of its noise lasts %.3g s; at most %.0g s is allowed", hit,
			float64(maxSeconds))
	}
	algorithm, _ := collectives.Find(p.Name(Collective)) // its names are the key's
	model := &rounds.Model{Algorithm: algorithm, Problem: problem, OS: os, Network: events}
	if p.OnTopology() {
		return s.onNetwork(p, model, on, x)
	}
	if n := problem.PollsOfOneMessage(); n > maxPolls {
		return nil, s.wrong(Poll, "a message would be polled for %.3g times; at most %.0g polls are simulated", n,
			maxPolls)
	}
	if p.Application() {
		return application(p, *model, s.timesOf(p, x)), nil
	}
	return model, nil
}

// impossible is the error of a configuration that cannot be simulated, while others of its study
// may.
type impossible struct{ error }

// Unwrap returns the reason.
func (i impossible) Unwrap() error { return i.error }

// problem returns the part of a configuration that is not noise, with the largest T as for config.
func (s *Study) problem(p Point, most int) (collectives.Problem, error) {
	c := collectives.Problem{
		Ranks:           p.Int(Ranks),
		Bytes:           p.Number(Bytes),
		Latency:         p.Number(Latency),
		Bandwidth:       p.Number(Bandwidth),
		MemoryBandwidth: p.Number(MemoryBandwidth),
		Node: collectives.Node{
			Ranks:     p.Int(RanksPerNode),
			Latency:   p.Number(NodeLatency),
			Bandwidth: p.Number(NodeBandwidth),

			ProcessBandwidth: p.Number(ProcessBandwidth),
		},
		Redundancy: collectives.Redundancy{
			Max:          most,
			Sources:      p.Int(Sources),
			SendOverhead: p.Number(SendOverhead),
			Reception:    constant[collectives.Reception](p, Reception),
			Forward:      p.Name(Forward) == final,
		},
		Host:       host(p),
		Leaders:    p.Int(Leaders),
		Share:      p.Name(Share) == yes,
		Segments:   p.Int(Segments),
		Contention: constant[collectives.Contention](p, Contention),
		Busy:       p.Name(Links) == busy,
	}
	switch asked := s.only(MaxRedundancy); {
	case most != collectives.AllExchanges:
	case p.OnTopology() && !s.given(MaxRedundancy):
		c.Redundancy.Max = fewExchanges
	case asked.Name != all:
		c.Redundancy.Max = asked.int()
	}
	isFinal := func(v Value) bool { return v.Name == final }
	if c.Host.Sockets() && s.given(Forward) && slices.ContainsFunc(s.keys[Forward].values, isFinal) {
		return c, s.wrong(Forward, "results are not forwarded over sockets that ranks poll; write none, or "+
			"--progress none")
	}
	if err := p.leaveTransit(s, &c); err != nil {
		return c, err
	}
	if c.Wire(c.Bytes) == 0 {
		return c, s.wrong(Latency, "with 0 s of latency and 0 bytes messages take no time")
	}
	if c.Node.Ranks > 1 && c.Node.Wire(c.Bytes) == 0 {
		return c, s.wrong(NodeLatency, "with 0 s of latency and 0 bytes messages inside a node take no time")
	}
	for _, k := range []*Key{Ranks, RanksPerNode} {
		if n := p.Whole(k); n > maxRanks {
			return c, s.wrong(k, "%d is more than the 2^40 ranks that can be counted", n)
		}
	}
	return c, nil
}

// leaveTransit takes two overheads out of latencies that include them. It fails if they are longer.
func (p Point) leaveTransit(s *Study, c *collectives.Problem) error {
	if p.Name(LatencyIs) != halfRoundTrip {
		return nil
	}
	both := 2 * c.Host.Overhead
	for _, x := range []struct {
		key     *Key
		latency *float64
	}{{Latency, &c.Latency}, {NodeLatency, &c.Node.Latency}} {
		if x.key == NodeLatency && c.Node.Ranks == 1 {
			continue
		}
		if *x.latency < both {
			return s.wrong(x.key, "half of a round trip, %s, is less than two overheads of %s; write --latency-is "+
				"transit, or a smaller --overhead", text(p, x.key), text(p, Overhead))
		}
		*x.latency -= both
	}
	return nil
}

// host returns what a message costs the point's hosts.
func host(p Point) collectives.Host {
	return collectives.Host{
		Progress:  constant[collectives.Progress](p, Progress),
		Overhead:  p.Number(Overhead),
		Gap:       p.Number(Gap),
		Poll:      p.Number(Poll),
		Polls:     p.Number(Polls),
		Window:    p.Number(Window),
		Interrupt: p.Number(Interrupt),
		Match:     p.Number(Match),
	}
}

// text returns a value of the point as people write it.
func text(p Point, k *Key) string { return k.Text(p.Value(k)) }

// transit returns the time [s] of a message of the whole vector without others, on the longest route of
// a topology if there is one.
func (p Point) transit(problem *collectives.Problem, on network.Topology) float64 {
	wire := problem.Wire(problem.Bytes)
	switch {
	case !p.OnTopology():
		return wire
	case p.Name(Engine) == packets:
		return wire + float64(on.Diameter())*p.Number(PacketHop)*p.Number(PacketFlit)/p.Number(Bandwidth)
	}
	return wire + float64(on.Diameter())*p.Number(HopLatency)
}

// delaysOnNetwork finds about how many network events a trial simulates one by one, given the time
// of a message [s]. It fails if there are more than a trial can simulate in a reasonable time.
func (s *Study) delaysOnNetwork(model *network.Model, transit float64, x *finding) error {
	of, ok := model.Noise.Network.(noise.PoissonDelays)
	if !ok {
		return nil
	}
	shape, err := model.Shape()
	if err != nil {
		return impossible{err}
	}
	all := shape.Checkpoints[len(shape.Checkpoints)-1].Messages * transit / of.Interval
	if all > maxInTrial {
		return s.wrong(NetInterval, "the messages of a trial meet about %.2g network events, more than %.0g; "+
			"write a longer interval, or a shorter latency", all, maxInTrial)
	}
	x.Met += float32(all)
	return nil
}

// detours finds about how many detours are simulated in a trial, given the time of a message [s]. It
// fails if there are more than a trial can simulate in a reasonable time.
func (s *Study) detours(p Point, os noise.OS, wait float64, ranks int, x *finding) error {
	key := OSDuration
	if p.Name(OSKind) == kindProfile {
		key = NoiseProfile
	}
	all := 0.0
	for _, of := range os.Superpositions() {
		if met := of.Met(wait); met > maxDetours {
			return s.wrong(key, "a rank meets %.3g detours while it waits for a message, and the most is %.0g", met,
				maxDetours)
		}
		all += of.MetInTrial(wait, ranks)
	}
	if all > maxInTrial {
		return s.wrong(key, "%d ranks meet about %.2g detours in a trial, more than %.0g; write less noise or "+
			"fewer --ranks", ranks, all, maxInTrial)
	}
	x.Met = float32(all)
	return nil
}

// checkTimes fails if something takes longer than maxSeconds: the statistics square times.
func (p Point) checkTimes(s *Study) error {
	for i, k := range Axes {
		if seconds := p.Values[i].Number; k.Dimension == units.Time && seconds > maxSeconds {
			return s.wrong(k, "%s is too long; at most %s is allowed", k.write(seconds), k.write(maxSeconds))
		}
	}
	for _, k := range []*Key{Bandwidth, NodeBandwidth, MemoryBandwidth} {
		rate := p.Number(k) // 0 where it has no effect
		if seconds := p.Number(Bytes) / rate; rate > 0 && seconds > maxSeconds {
			return s.wrong(k, "at %s vectors of %s take %.3g s; at most %.0g s is allowed", text(p, k), text(p, Bytes),
				seconds, float64(maxSeconds))
		}
	}
	for _, k := range []*Key{Imbalance, ImbalancePersistent} {
		if seconds := p.Number(Compute) * p.Number(k); seconds > maxSeconds {
			return s.wrong(k, "it makes %s of compute time vary by %.3g s; at most %.0g s is allowed",
				text(p, Compute), seconds, float64(maxSeconds))
		}
	}
	return nil
}

// Limits of what is simulated.
const (
	maxRanks  = 1 << 40 // far beyond any memory
	maxNodes  = 1 << 24 // of a topology, which takes some 10 GB
	maxEvents = 1e9     // on average during one message
	maxPolls  = 1e7     // one by one, of a message longer than its window
	// maxSeconds is the longest time of anything, some 30 years.
	maxSeconds = 1e9
	// maxDetours is how many a rank meets at most on average while it waits for one message.
	maxDetours = 1e7
	// maxInTrial is how many are simulated in a trial at most, in about half a minute.
	maxInTrial = 3e9
)

// onNetwork returns the model of a point whose messages share the links of a topology. It fails and
// notes as [Study.model] does.
func (s *Study) onNetwork(
	p Point, m *rounds.Model, on network.Topology, x *finding,
) (montecarlo.Model, error) {
	linked, err := s.networkModel(p, m, on)
	if err != nil {
		return nil, err
	}
	if err := s.delaysOnNetwork(linked, p.transit(&m.Problem, on), x); err != nil || !p.Application() {
		return linked, err
	}
	if p.Name(Engine) != byFlow || p.AllToAll() {
		return nil, s.wrong(Iterations, "iterations are for all collectives in rounds, and for "+
			"allreduces on flows; write --engine rounds, or 0")
	}
	app := application(p, *m, s.timesOf(p, x))
	app.Network = linked
	return app, nil
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
		n := &packet.Network{
			Scenario: h, Flit: p.Number(PacketFlit),
			Flits: p.Int(PacketFlits), Channels: p.Int(PacketChannels),
			Buffer: p.Int(PacketBuffer), Hop: p.Int(PacketHop), Credit: p.Int(PacketCredit),
			Crossbar: constant[packet.Crossbar](p, Crossbar), Rule: constant[packet.ChannelRule](p, ChannelRule),
		}
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
