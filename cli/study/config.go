package study

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"jitterfly/collectives"
	"jitterfly/collectives/flow"
	"jitterfly/collectives/hosts"
	"jitterfly/collectives/packet"
	"jitterfly/collectives/rounds"
	"jitterfly/collectives/topology"
	"jitterfly/internal/rng"
	"jitterfly/internal/units"
	"jitterfly/montecarlo"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// config returns the configuration that a point with a profile describes, without its environment, and about how
// many detours a trial meets where they may take long. It fails if the point's values do not fit
// together; the error names the key. It notes what the user may not expect.
func (s *Study) config(p Point, m *Measured, note func(string)) (c montecarlo.Config, met float64, err error) {
	a := s.axes
	if err := p.checkTimes(a); err != nil {
		return c, 0, err
	}
	problem, err := problem(p, a)
	if err != nil {
		return c, met, err
	}
	os, err := m.jitter(p, a)
	if err != nil {
		return c, met, err
	}
	on, err := s.arrange(p, &problem)
	if err != nil {
		return c, 0, fmt.Errorf("%s: %w", a.place(Collective), err)
	}
	if met, err = detours(p, a, os, p.transit(&problem, on), problem.Ranks); err != nil {
		return c, 0, err
	}
	events, err := m.events(p, a, &problem)
	if err != nil {
		return c, met, err
	}
	if hit := max(os.Hit(), events.Longest()); hit > maxSeconds {
		return c, 0, fmt.Errorf("%s: one detour of its noise lasts %.3g s; at most %.0g s is allowed",
			a.place(NoiseProfile), hit, float64(maxSeconds))
	}
	algorithm, err := collectives.Find(p.Name(Collective))
	if err != nil {
		return c, 0, fmt.Errorf("%s: %w", a.place(Collective), err)
	}
	if p.OnTopology() {
		network, err := s.networkModel(p, a, algorithm, &problem, on, hosts.Noise{
			OS: os, Network: events, StartSkew: p.Number(StartSkew),
		})
		if err == nil {
			var delays float64
			delays, err = delaysOnNetwork(p, a, network, events, p.transit(&problem, on))
			met += delays
		}
		if c.Model = network; err != nil || !p.Application() {
			return c, met, err
		}
		app := application(p, rounds.Model{
			Algorithm: algorithm, Problem: problem, OS: os, Network: events,
		}, s.timesOf(p, note))
		c.Model = app
		return c, met, callOn(network, app, p, a)
	}
	if n := problem.PollsOfOneMessage(); n > maxPolls {
		return c, 0, fmt.Errorf("%s: a message would be polled for %.3g times; at most %.0g polls are simulated",
			a.place(Poll), n, maxPolls)
	}
	model := rounds.Model{Algorithm: algorithm, Problem: problem, OS: os, Network: events}
	if c.Model = &model; p.Application() {
		c.Model = application(p, model, s.timesOf(p, note))
	}
	return c, met, nil
}

// callOn runs the calls of an application on a network. It fails if the network does not support calls.
func callOn(network *hosts.Model, app *rounds.Application, p Point, a *axes) error {
	if p.Name(Engine) != byFlow || p.AllToAll() {
		return fmt.Errorf("%s: iterations are for all collectives in rounds, and for allreduces on flows; "+
			"write --engine rounds, or 0", a.place(Iterations))
	}
	app.Network = &rounds.Network{
		Limited: network, NewCaller: func() (rounds.Caller, error) { return network.NewCaller() },
	}
	return nil
}

var timeAxes = func() (times []int) {
	for i := range Axes {
		if Axes[i].Dimension == units.Time {
			times = append(times, i)
		}
	}
	return times
}()

// checkTimes fails if something takes longer than maxSeconds: the statistics square times.
func (p Point) checkTimes(a *axes) error {
	for _, i := range timeAxes {
		if seconds := p.Values[i].Number; seconds > maxSeconds {
			k := Axes[i]
			return fmt.Errorf("%s: %s is too long; at most %s is allowed", a.place(k),
				k.write(seconds), k.write(maxSeconds))
		}
	}
	for _, k := range []*Key{Bandwidth, NodeBandwidth, MemoryBandwidth} {
		rate := p.Number(k) // 0 where it has no effect
		if seconds := p.Number(Bytes) / rate; rate > 0 && seconds > maxSeconds {
			return fmt.Errorf("%s: at %s vectors of %s take %.3g s; at most %.0g s is allowed",
				a.place(k), text(p, k), text(p, Bytes), seconds, float64(maxSeconds))
		}
	}
	for _, k := range []*Key{Imbalance, ImbalancePersistent} {
		if seconds := p.Number(Compute) * p.Number(k); seconds > maxSeconds {
			return fmt.Errorf("%s: it makes %s of compute time vary by %.3g s; at most %.0g s is allowed",
				a.place(k), text(p, Compute), seconds, float64(maxSeconds))
		}
	}
	return nil
}

// events returns the point's network noise. It fails if messages would meet too many events.
func (m *Measured) events(p Point, a *axes, problem *collectives.Problem) (noise.Network, error) {
	switch p.Name(NetKind) {
	case kindProfile:
		return m.Network.Model(), nil
	case poisson:
		events := noise.PoissonDelays{
			Interval: p.Number(NetInterval),
			Lengths:  noise.Constant(p.Number(NetDuration)),
		}
		if mean := problem.Wire(problem.Bytes) / events.Interval; mean > maxEvents {
			return nil, fmt.Errorf("%s: at %s between events a message meets %.3g; at most %.0g are simulated",
				a.place(NetInterval), text(p, NetInterval), mean, maxEvents)
		}
		return events, nil
	}
	return noise.None{}, nil
}

// jitter returns the point's OS jitter. It fails if detours leave no time to compute.
func (m *Measured) jitter(p Point, a *axes) (noise.OS, error) {
	launch, scope, shared := noise.Synchronized, profile.Rank, 0
	if p.Name(OSLaunch) == stationary {
		launch = noise.Random
	}
	switch p.Name(OSScope) {
	case node:
		scope, shared = profile.Node, p.Int(RanksPerNode)
	case all:
		scope, shared = profile.All, p.Int(Ranks)
	}
	kind := p.Name(OSKind)
	switch kind {
	case none:
		return noise.None{}, nil
	case kindProfile:
		groups := profile.Groups{Default: scope, Node: p.Int(RanksPerNode)}
		os, err := m.Jitter(launch, groups, m.Trace)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.place(NoiseProfile), err)
		}
		return os, nil
	}
	period, duration := p.Number(OSPeriod), p.Number(OSDuration)
	if duration >= period {
		return nil, fmt.Errorf("%s: %s is not below the period, %s: the ranks would never compute",
			a.place(OSDuration), text(p, OSDuration), text(p, OSPeriod))
	}
	if kind == periodic || duration == 0 {
		return noise.Periodic{Period: period, Duration: duration, Start: launch, Shared: shared}, nil
	}
	arrivals := noise.PoissonDetours{Interval: period, Lengths: noise.Constant(duration)}
	return noise.Superposition{Start: launch, Components: noise.Components(shared, arrivals)}, nil
}

// impossible is the error of a configuration that cannot be simulated, while others of its study
// may.
type impossible struct{ error }

// Unwrap returns the reason.
func (i impossible) Unwrap() error { return i.error }

// networkModel returns the model of an algorithm whose messages share the links of a topology. It
// fails if the point's values do not fit together; the error names the key.
func (s *Study) networkModel(
	p Point, a *axes, algorithm collectives.Algorithm, problem *collectives.Problem,
	on topology.Topology, noise hosts.Noise,
) (*hosts.Model, error) {
	if problem.Busy = false; !a.given(MaxRedundancy) { // messages share links by themselves
		problem.Redundancy.Max = fewExchanges
	}
	schedule, err := algorithm.Schedule(*problem)
	if err != nil {
		return nil, impossible{err}
	}
	h := hosts.On(problem, schedule, on)
	if h.Placement, err = s.placement(p, on); err != nil {
		return nil, fmt.Errorf("%s: %w", a.place(Placement), err)
	}
	h.Controllers, h.Sync = p.Int(Controllers), syncs[p.Name(Sync)]
	if p.Name(Engine) == packets {
		h.Relabel() // there is one rank on each node
		n := packetNetwork(p, h)
		if wrong := new(packet.Invalid); errors.As(n.Check(), &wrong) {
			if parameter, ok := onlyFlows[wrong.Field]; ok {
				return nil, impossible{&collectives.Invalid{Parameter: parameter, Reason: wrong.Reason}}
			}
			return nil, fmt.Errorf("%s: %w", a.place(packetKeys[wrong.Field]), wrong)
		}
		return &hosts.Model{Network: n, Noise: noise}, nil
	}
	n := &flow.Network{
		Problem:       h,
		HopLatency:    p.Number(HopLatency),
		PortBandwidth: problem.Node.ProcessBandwidth,
		NodeLatency:   problem.Node.Latency,
		NodeBandwidth: problem.Node.Bandwidth,
	}
	if p.Name(Sharing) == maxmin {
		n.Sharing = flow.MaxMin
	}
	return &hosts.Model{Network: n, Noise: noise}, nil
}

// onlyFlows are the fields of places that flows have and packets have not: other configurations of
// the study may be of flows.
var onlyFlows = map[packet.Field]collectives.Parameter{
	packet.FieldTopology: collectives.ParameterSides, packet.FieldPlacement: collectives.ParameterNodeRanks,
}

// packetKeys are the keys of what else [packet.Network.Check] finds wrong.
var packetKeys = map[packet.Field]*Key{
	packet.FieldBytes:       Bytes,
	packet.FieldControllers: Controllers, packet.FieldFlit: PacketFlit,
	packet.FieldFlits: PacketFlits, packet.FieldChannels: PacketChannels,
	packet.FieldBuffer: PacketBuffer, packet.FieldHop: PacketHop,
	packet.FieldCredit: PacketCredit,
}

func packetNetwork(p Point, h hosts.Problem) *packet.Network {
	problem := &packet.Network{
		Problem: h, Flit: p.Number(PacketFlit),
		Flits: p.Int(PacketFlits), Channels: p.Int(PacketChannels),
		Buffer: p.Int(PacketBuffer), Hop: p.Int(PacketHop), Credit: p.Int(PacketCredit),
	}
	if p.Name(Crossbar) == full {
		problem.Crossbar = packet.Full
	}
	if p.Name(ChannelRule) == destination {
		problem.Rule = packet.Destination
	}
	return problem
}

// arrange adds to a problem what collectives take from the topology, and the list of targets of
// collectives in which each rank sends to one rank. It returns the topology, nil without one.
func (s *Study) arrange(p Point, problem *collectives.Problem) (topology.Topology, error) {
	name, place := p.Name(Collective), p.Name(Topology)
	var on topology.Topology
	if place != none {
		var err error
		if on, err = topology.Parse(place); err != nil {
			return nil, err
		}
		each := p.Int(RanksPerNode)
		if n := on.Nodes(); p.OnTopology() && n > maxNodes/each {
			return nil, fmt.Errorf("%s has %d ranks on its nodes; at most %d are simulated",
				on, n*each, maxNodes)
		}
		if grid, ok := on.(*topology.Grid); ok {
			problem.Sides = grid.Sides()
		}
	}
	problem.Messages = p.Int(Messages)
	switch name {
	case randomRing:
		random := rng.New(rng.NewKey(s.Seed, randomRing+" "+place))
		problem.Targets = collectives.RandomRing(problem.Ranks, random.Shuffle)
	case permutation:
		if s.permutation == nil {
			return nil, errors.New("it needs a file; write --permutation FILE")
		}
		var err error
		problem.Targets, err = collectives.ReadPermutation(bytes.NewReader(s.permutation), problem.Ranks)
		if err != nil {
			return nil, err
		}
	}
	return on, nil
}

// placement returns where a point's ranks are on the nodes of a topology.
func (s *Study) placement(p Point, on topology.Topology) (hosts.Placement, error) {
	ranks, each := p.Int(Ranks), p.Int(RanksPerNode)
	switch name := p.Name(Placement); name {
	case block:
		return hosts.Placement{PerNode: each}, nil
	case roundRobin:
		return hosts.RoundRobin(ranks, each), nil
	case random:
		stream := rng.New(rng.NewKey(s.Seed, "placement "+p.Name(Topology)))
		return hosts.Random(ranks, on.Nodes(), each, stream.Shuffle), nil
	default:
		return hosts.ReadPlacement(bytes.NewReader(s.placements[name]), ranks, on.Nodes(), each)
	}
}

// readPlacements reads the files of placements, and replaces their names by digests.
func (s *Study) readPlacements() error {
	s.placements = map[string][]byte{}
	values := s.axes.values[Placement]
	for i, v := range values {
		if slices.Contains(Placement.Names, v.Name) {
			continue
		}
		content, err := s.axes.open(Placement, v.Name)
		if err != nil {
			return err
		}
		values[i].Name = digest(string(content))
		s.placements[values[i].Name] = content
	}
	return nil
}

var contentions = map[string]collectives.Contention{
	none: collectives.NoContention, hol: collectives.HoL, holQueue: collectives.HoLQueue,
}

var syncs = map[string]hosts.Sync{
	none: hosts.None, local: hosts.Local, localController: hosts.LocalController,
	localCount: hosts.LocalCount,
}

// readPermutation reads the file of the permutation, if there is one, and replaces its name by a
// digest.
func (s *Study) readPermutation() error {
	name := s.axes.only(Permutation).Name
	if name == none {
		return nil
	}
	content, err := s.axes.open(Permutation, name)
	if err != nil {
		return err
	}
	s.permutation = content
	s.axes.values[Permutation] = []Value{{Name: digest(string(content))}}
	delete(s.axes.follows, Permutation)
	return nil
}

// problem returns the part of a configuration that is not noise.
func problem(p Point, a *axes) (collectives.Problem, error) {

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
			Max:          collectives.AllExchanges,
			Sources:      p.Int(Sources),
			SendOverhead: p.Number(SendOverhead),
		},
		Host:       host(p),
		Leaders:    p.Int(Leaders),
		Share:      p.Name(Share) == yes,
		Segments:   p.Int(Segments),
		Contention: contentions[p.Name(Contention)],
	}
	if most := a.only(MaxRedundancy); most.Name != all {
		c.Redundancy.Max = most.int()
	}
	switch p.Name(Reception) {
	case nic:
		c.Redundancy.Reception = collectives.NIC
	case cpu:
		c.Redundancy.Reception = collectives.CPU
	}
	c.Busy = p.Name(Links) == busy
	c.Redundancy.Forward = p.Name(Forward) == final
	if c.Redundancy.Forward && c.Host.Sockets() {
		return c, fmt.Errorf("%s: results are not forwarded over sockets that ranks poll; write none, "+
			"or --progress none", a.place(Forward))
	}
	if c.Wire(c.Bytes) == 0 {
		return c, fmt.Errorf("%s: with 0 s of latency and 0 bytes messages take no time",
			a.place(Latency))
	}
	if c.Node.Ranks > 1 && c.Node.Wire(c.Bytes) == 0 {
		return c, fmt.Errorf("%s: with 0 s of latency and 0 bytes messages inside a node take no time",
			a.place(NodeLatency))
	}
	for _, k := range []*Key{Ranks, RanksPerNode} {
		if n := p.Whole(k); n > maxRanks {
			return c, fmt.Errorf("%s: %d is more than the 2^40 ranks that can be counted", a.place(k), n)
		}
	}
	return c, nil
}

// host returns what a message costs the point's hosts.
func host(p Point) collectives.Host {
	h := collectives.Host{
		Overhead:  p.Number(Overhead),
		Gap:       p.Number(Gap),
		Poll:      p.Number(Poll),
		Polls:     p.Number(Polls),
		Window:    p.Number(Window),
		Interrupt: p.Number(Interrupt),
		Match:     p.Number(Match),
	}
	switch p.Name(Progress) {
	case polling:
		h.Progress = collectives.Polling
	case epoll:
		h.Progress = collectives.Epoll
	case async:
		h.Progress = collectives.Async
	}
	return h
}

// fewExchanges is the largest T on a network by default, where each is a simulation of its own.
const fewExchanges = 4

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

// text returns a value of the point as people write it.
func text(p Point, k *Key) string { return k.Text(p.Value(k)) }
