package study

import (
	"bytes"
	"errors"
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
	"jitterfly/collectives/rounds"
	"jitterfly/internal/rng"
	"jitterfly/internal/units"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// config returns the configuration that a point describes, without its environment, and about how
// many detours a trial meets where they may take long. It fails if the point's values do not fit
// together; the error names the key. It notes what the user may not expect.
func (s *Study) config(p Point, note func(string)) (c montecarlo.Config, met float64, err error) {
	a := s.axes
	if err := p.checkTimes(a); err != nil {
		return c, 0, err
	}
	problem, err := problem(p, a)
	if err != nil {
		return c, met, err
	}
	os, err := s.jitter(p, a)
	if err != nil {
		return c, met, err
	}
	if met, err = detours(p, a, os, &problem); err != nil {
		return c, 0, err
	}
	events, err := s.events(p, a, &problem)
	if err != nil {
		return c, met, err
	}
	if hit := max(os.Hit(), events.Hit()); hit > maxSeconds {
		return c, 0, fmt.Errorf("%s: its noise lasts %.3g s at a time, and the most is %.0g s",
			a.place("noise.profile"), hit, float64(maxSeconds))
	}
	if p.OnTopology() {
		if p.Application() {
			return c, 0, fmt.Errorf("%s: %s is simulated on a topology, which has no iterations; write 0",
				a.place("application.iterations"), p.Value("collective").Name)
		}
		c.Model, err = s.topologyModel(p, a, os, events)
		return c, met, err
	}
	algorithm, err := collectives.Find(p.Value("collective").Name)
	if err != nil {
		return c, 0, fmt.Errorf("%s: %w", a.place("collective"), err)
	}
	if n := problem.PollsOfOneMessage(); n > maxPolls {
		return c, 0, fmt.Errorf("%s: a message would be polled for %.3g times, and the most is %.0g",
			a.place("progress.poll"), n, maxPolls)
	}
	m := rounds.Model{Algorithm: algorithm, Problem: problem, OS: os, Network: events}
	if c.Model = &m; p.Application() {
		c.Model = application(p, m, s.timesOf(p, note))
	}
	return c, met, nil
}

// timeAxes are the axes that are times.
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
			k := &Axes[i]
			return fmt.Errorf("%s: %s is too long; the most is %s", a.place(k.Path),
				k.write(seconds), k.write(maxSeconds))
		}
	}
	number := func(path string) float64 { return p.Value(path).Number }
	for _, path := range []string{"network.bandwidth", "node.bandwidth", "memory.bandwidth"} {
		rate := number(path) // 0 where it has no effect
		if seconds := number("bytes") / rate; rate > 0 && seconds > maxSeconds {
			return fmt.Errorf("%s: at %s vectors of %s take %.3g s, and the most is %.0g s",
				a.place(path), text(p, path), text(p, "bytes"), seconds, float64(maxSeconds))
		}
	}
	for _, path := range []string{"application.imbalance.random", "application.imbalance.persistent"} {
		if seconds := number("application.compute") * number(path); seconds > maxSeconds {
			return fmt.Errorf("%s: it makes %s of compute time vary by %.3g s, and the most is %.0g s",
				a.place(path), text(p, "application.compute"), seconds, float64(maxSeconds))
		}
	}
	return nil
}

// detours returns about how many detours are simulated in a trial. It fails if there are more than
// a trial can simulate in a reasonable time.
func detours(p Point, a *axes, os noise.OS, problem *collectives.Problem) (float64, error) {
	s, ok := os.(noise.Superposition)
	if !ok {
		return 0, nil
	}
	key := "noise.os.duration"
	if p.Value("noise.os.kind").Name == kindProfile {
		key = "noise.profile"
	}
	wait := problem.Wire(problem.Bytes)
	if met := s.Met(wait); met > maxDetours {
		return 0, fmt.Errorf("%s: a rank meets %.3g detours while it waits for a message, and the most "+
			"is %.0g", a.place(key), met, maxDetours)
	}
	all := s.MetInTrial(wait, problem.Ranks)
	if all > maxInTrial {
		return 0, fmt.Errorf("%s: %d ranks meet some %.2g detours in a trial, and the most is %.0g; "+
			"write less noise or fewer --ranks", a.place(key), problem.Ranks, all, maxInTrial)
	}
	return all, nil
}

// events returns the point's network noise. It fails if messages would meet too many events.
func (s *Study) events(p Point, a *axes, problem *collectives.Problem) (noise.Network, error) {
	switch p.Value("noise.network.kind").Name {
	case kindProfile:
		if m := s.profiles[p.Value("noise.profile").Name].Network.Noise; m != nil {
			return m.Model(), nil
		}
	case poisson:
		events := noise.Poisson{
			Interval: p.Value("noise.network.interval").Number,
			Lengths:  noise.Constant(p.Value("noise.network.duration").Number),
		}
		if mean := problem.Wire(problem.Bytes) / events.Interval; mean > maxEvents {
			return nil, fmt.Errorf("%s: at %s between events a message meets %.3g, and the most is %.0g",
				a.place("noise.network.interval"), text(p, "noise.network.interval"), mean, maxEvents)
		}
		return events, nil
	}
	return noise.None{}, nil
}

// jitter returns the point's OS jitter. It fails if detours leave no time to compute.
func (s *Study) jitter(p Point, a *axes) (noise.OS, error) {
	launch, shared := noise.Synchronized, 0
	if p.Value("noise.os.launch").Name == stationary {
		launch = noise.Random
	}
	switch p.Value("noise.os.scope").Name {
	case node:
		shared = p.Value("ranks_per_node").int()
	case all:
		shared = p.Value("ranks").int()
	}
	kind := p.Value("noise.os.kind").Name
	switch kind {
	case none:
		return noise.None{}, nil
	case kindProfile:
		m := s.profiles[p.Value("noise.profile").Name]
		os, err := m.Jitter(launch, shared, m.Trace)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.place("noise.profile"), err)
		}
		return os, nil
	}
	period, duration := p.Value("noise.os.period").Number, p.Value("noise.os.duration").Number
	if duration >= period {
		return nil, fmt.Errorf("%s: %s is not below the period, %s: the ranks would never compute",
			a.place("noise.os.duration"), text(p, "noise.os.duration"), text(p, "noise.os.period"))
	}
	if kind == periodic || duration == 0 {
		return noise.Periodic{Period: period, Duration: duration, Start: launch, Shared: shared}, nil
	}
	arrivals := noise.Arrivals{Interval: period, Lengths: noise.Constant(duration)}
	return noise.Superposition{Sources: []noise.Source{arrivals}, Start: launch, Shared: shared}, nil
}

// topologyModel returns the model of the point's collective on its topology. It fails if the
// point's values do not fit together; the error names the key.
func (s *Study) topologyModel(
	p Point, a *axes, os noise.OS, events noise.Network,
) (montecarlo.Model, error) {
	f, err := s.topologyProblem(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.place("collective"), err)
	}
	h := host(p)
	polling := h.Polled(f.Topology.Nodes())
	noise := network.Noise{
		OS: os, Network: events, StartSkew: p.Value("network.start_skew").Number,
	}
	if p.Value("network.engine").Name == flow {
		return &network.Model{Problem: f, Polling: polling, Noise: noise}, nil
	}
	m := &packet.Model{Problem: packetProblem(p, f), Polling: polling, Noise: noise}
	if wrong := new(packet.Invalid); errors.As(m.Problem.Check(), &wrong) {
		return nil, fmt.Errorf("%s: %w", a.place(packetKeys[wrong.Field]), wrong)
	}
	return m, nil
}

// packetKeys are the keys of what [packet.Problem.Check] finds wrong.
var packetKeys = map[packet.Field]string{
	packet.FieldTopology: "topology", packet.FieldBytes: "bytes",
	packet.FieldControllers: "controllers", packet.FieldFlit: "packet.flit",
	packet.FieldFlits: "packet.flits", packet.FieldChannels: "packet.channels",
	packet.FieldBuffer: "packet.buffer", packet.FieldHop: "packet.hop",
	packet.FieldCredit: "packet.credit",
}

// packetProblem adds what is of packets to a problem.
func packetProblem(p Point, f network.Problem) packet.Problem {
	whole := func(path string) int { return p.Value(path).int() }
	problem := packet.Problem{
		Problem: f, Flit: p.Value("packet.flit").Number,
		Flits: whole("packet.flits"), Channels: whole("packet.channels"),
		Buffer: whole("packet.buffer"), Hop: whole("packet.hop"), Credit: whole("packet.credit"),
	}
	if p.Value("packet.crossbar").Name == full {
		problem.Crossbar = packet.Full
	}
	if p.Value("packet.channel_rule").Name == destination {
		problem.Rule = packet.Destination
	}
	return problem
}

// topologyProblem returns the point's collective on its topology, for either engine.
func (s *Study) topologyProblem(p Point) (network.Problem, error) {
	name := p.Value("collective").Name
	topology, err := network.ParseTopology(p.Value("topology").Name)
	if err != nil {
		return network.Problem{}, err
	}
	each := p.Value("ranks_per_node").int()
	if n := topology.Nodes(); n > maxNodes/each {
		return network.Problem{}, fmt.Errorf("%s has %d ranks on its nodes, and the most that is "+
			"simulated is %d", topology, n*each, maxNodes)
	}
	if each > 1 {
		if p.Value("network.engine").Name == packets {
			return network.Problem{}, fmt.Errorf("packets are of one rank on each node, not %d; write "+
				"--engine flow for several", each)
		}
		topology = network.Ranks{On: topology, Each: each}
	}
	f := network.Problem{
		Topology:    topology,
		Bytes:       p.Value("bytes").Number,
		Latency:     p.Value("network.latency").Number,
		HopLatency:  p.Value("network.hop_latency").Number,
		Bandwidth:   p.Value("network.bandwidth").Number,
		Controllers: p.Value("controllers").int(),

		PortBandwidth: p.Value("node.process_bandwidth").Number,
		NodeLatency:   p.Value("node.latency").Number,
		NodeBandwidth: p.Value("node.bandwidth").Number,
	}
	h := host(p)
	nodes := topology.Nodes()
	f.SendWork, f.ReceiveWork, f.Gap = h.Overhead, h.Take(1)+h.Polled(nodes), h.Gap
	if h.Sockets() {
		f.Window, f.Reading = h.Window, h.Reading(nodes)
	}
	if h.Progress == collectives.Async {
		f.EarlyWork = f.Bytes/p.Value("memory.bandwidth").Number + h.Match
	}
	if p.Value("sharing").Name == maxmin {
		f.Sharing = network.MaxMin
	}
	f.Sync = syncs[p.Value("sync").Name]
	f.Pattern, err = s.pattern(name, topology, p.Value("messages").int())
	return f, err
}

// contentions are the values of the key contention.
var contentions = map[string]collectives.Contention{
	none: collectives.NoContention, hol: collectives.HoL, holQueue: collectives.HoLQueue,
}

// syncs are the values of the key sync.
var syncs = map[string]network.Sync{
	none: network.None, local: network.Local, localController: network.LocalController,
	localCount: network.LocalCount,
}

// pattern returns the pattern of a collective's messages on a topology.
func (s *Study) pattern(
	name string, topology network.Topology, messages int,
) (network.Pattern, error) {
	switch name {
	case randomRing:
		random := rng.New(rng.NewKey(s.Seed, randomRing+" "+topology.String()))
		return network.RandomRing(topology.Nodes(), messages, false, random.Shuffle), nil
	case permutation:
		if s.permutation == nil {
			return nil, errors.New("it needs a file; write --permutation FILE")
		}
		return network.ReadPermutation(bytes.NewReader(s.permutation), topology.Nodes(), messages)
	}
	return network.FindPattern(name, topology)
}

// readPermutation reads the file of the permutation, if there is one. In the study's digest
// the content stands for the name.
func (s *Study) readPermutation(a *axes) error {
	name := a.only(permutation).Name
	if name == none {
		return nil
	}
	content, err := a.open(permutation, name)
	if err != nil {
		return err
	}
	s.permutation = content
	s.Values[permutation] = []string{digest(string(content))}
	return nil
}

// problem returns the part of a configuration that is not noise.
func problem(p Point, a *axes) (collectives.Problem, error) {
	number := func(path string) float64 { return p.Value(path).Number }
	whole := func(path string) int { return p.Value(path).int() }

	c := collectives.Problem{
		Ranks:           whole("ranks"),
		Bytes:           number("bytes"),
		Latency:         number("network.latency"),
		Bandwidth:       number("network.bandwidth"),
		MemoryBandwidth: number("memory.bandwidth"),
		Node: collectives.Node{
			Ranks:     whole("ranks_per_node"),
			Latency:   number("node.latency"),
			Bandwidth: number("node.bandwidth"),

			ProcessBandwidth: number("node.process_bandwidth"),
		},
		Redundancy: collectives.Redundancy{
			Max:          collectives.AllExchanges,
			Sources:      whole("redundancy.sources"),
			SendOverhead: number(sendOverhead),
		},
		Host:       host(p),
		Segments:   whole("segments"),
		Contention: contentions[p.Value("contention").Name],
	}
	if most := a.only("redundancy.max"); most.Name != all {
		c.Redundancy.Max = most.int()
	}
	switch p.Value("redundancy.reception").Name {
	case nic:
		c.Redundancy.Reception = collectives.NIC
	case cpu:
		c.Redundancy.Reception = collectives.CPU
	}
	c.Busy = p.Value(linksKey).Name == busy
	c.Redundancy.Forward = p.Value(forward).Name == final
	if c.Redundancy.Forward && c.Host.Sockets() {
		return c, fmt.Errorf("%s: results are not forwarded over sockets that ranks poll; write none, "+
			"or --progress none", a.place(forward))
	}
	if c.Wire(c.Bytes) == 0 {
		return c, fmt.Errorf("%s: with 0 s of latency and 0 bytes messages take no time",
			a.place("network.latency"))
	}
	if c.Node.Ranks > 1 && c.Node.Wire(c.Bytes) == 0 {
		return c, fmt.Errorf("%s: with 0 s of latency and 0 bytes messages inside a node take no time",
			a.place("node.latency"))
	}
	for _, path := range []string{"ranks", "ranks_per_node"} {
		if n := p.Value(path).Whole; n > maxRanks {
			return c, fmt.Errorf("%s: %d is more than the 2^40 ranks that can be counted", a.place(path), n)
		}
	}
	return c, nil
}

// host returns what a message costs the point's hosts.
func host(p Point) collectives.Host {
	number := func(path string) float64 { return p.Value(path).Number }
	h := collectives.Host{
		Overhead:  number("network.overhead"),
		Gap:       number("network.gap"),
		Poll:      number("progress.poll"),
		Polls:     number("progress.polls"),
		Window:    number("progress.window"),
		Interrupt: number("progress.interrupt"),
		Match:     number("progress.match"),
	}
	switch p.Value("progress.kind").Name {
	case polling:
		h.Progress = collectives.Polling
	case epoll:
		h.Progress = collectives.Epoll
	case async:
		h.Progress = collectives.Async
	}
	return h
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

// text returns a value of the point as people write it.
func text(p Point, path string) string {
	k, _ := Find(path)
	return k.Text(p.Value(path))
}
