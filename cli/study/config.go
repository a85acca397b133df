package study

import (
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
)

// config returns the configuration that a point with a profile describes, without its environment,
// and about how many detours a trial meets where they may take long. It fails if the point's values do
// not fit together; the error names the key. It notes what the user may not expect.
func (s *Study) config(p Point, m *Measured, note func(string),
) (c montecarlo.Config, met float64, err error) {
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
	model := rounds.Model{Algorithm: algorithm, Problem: problem, OS: os, Network: events}
	if p.OnTopology() {
		network, delays, err := s.onNetwork(p, &model, on, note)
		c.Model = network
		return c, met + delays, err
	}
	if n := problem.PollsOfOneMessage(); n > maxPolls {
		return c, 0, fmt.Errorf("%s: a message would be polled for %.3g times; at most %.0g polls are simulated",
			a.place(Poll), n, maxPolls)
	}
	if c.Model = &model; p.Application() {
		c.Model = application(p, model, s.timesOf(p, note))
	}
	return c, met, nil
}

// impossible is the error of a configuration that cannot be simulated, while others of its study
// may.
type impossible struct{ error }

// Unwrap returns the reason.
func (i impossible) Unwrap() error { return i.error }

var contentions = map[string]collectives.Contention{
	none: collectives.NoContention, hol: collectives.HoL, holQueue: collectives.HoLQueue,
}

var receptions = map[string]collectives.Reception{
	offload: collectives.Offload, nic: collectives.NIC, cpu: collectives.CPU,
}

var progresses = map[string]collectives.Progress{
	polling: collectives.Polling, epoll: collectives.Epoll, async: collectives.Async,
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
			Reception:    receptions[p.Name(Reception)],
			Forward:      p.Name(Forward) == final,
		},
		Host:       host(p),
		Leaders:    p.Int(Leaders),
		Share:      p.Name(Share) == yes,
		Segments:   p.Int(Segments),
		Contention: contentions[p.Name(Contention)],
		Busy:       p.Name(Links) == busy,
	}
	if most := a.only(MaxRedundancy); most.Name != all {
		c.Redundancy.Max = most.int()
	}
	if c.Redundancy.Forward && c.Host.Sockets() {
		return c, fmt.Errorf("%s: results are not forwarded over sockets that ranks poll; write none, "+
			"or --progress none", a.place(Forward))
	}
	if err := p.leaveTransit(a, &c); err != nil {
		return c, err
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

// leaveTransit takes two overheads out of latencies that include them. It fails if they are longer.
func (p Point) leaveTransit(a *axes, c *collectives.Problem) error {
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
			return fmt.Errorf("%s: half of a round trip, %s, is less than two overheads of %s; write "+
				"--latency-is transit, or a smaller --overhead", a.place(x.key), text(p, x.key), text(p, Overhead))
		}
		*x.latency -= both
	}
	return nil
}

// host returns what a message costs the point's hosts.
func host(p Point) collectives.Host {
	return collectives.Host{
		Progress:  progresses[p.Name(Progress)],
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
