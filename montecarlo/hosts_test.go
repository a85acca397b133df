package montecarlo_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

var costs = []collectives.Host{
	{Overhead: 3e-7},
	{Overhead: 1e-7, Gap: 5e-6},
	{Progress: collectives.Polling, Poll: 1e-7, Polls: 2, Window: 4},
	{Progress: collectives.Epoll, Poll: 1e-7, Polls: 2, Window: 4},
	{Overhead: 1e-7, Progress: collectives.Async, Interrupt: 2e-7},
}

// What messages cost their hosts is in the lower bound, under every trial at every T; also where
// a redundant copy is earlier than the algorithm's own even without noise, and where noise
// can help.
func TestLowerBoundOfHosts(t *testing.T) {
	s := equally(60)
	var setups []setup
	for _, host := range append(costs, collectives.Host{}) {
		for _, a := range collectives.Algorithms {
			config := reference(16)
			if a.Operation == collectives.Allreduce {
				config = reference(21)
			}
			config.Algorithm, config.Problem.Host = a, host
			if host.Gap > 0 {
				stationary(&config)
			}
			setups = append(setups, config)
			s.Fields = append(s.Fields, field(config))
		}
	}
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 2}))(t)
	for i, d := range results {
		config := setups[i]
		for T, summary := range d.Results[0].Summaries {
			if summary.LowerBound > summary.Mean*(1+1e-12) || summary.LowerBound <= 0 {
				t.Errorf("%s, %+v, T = %d: lower bound %g, mean %g", config.Algorithm.Name, config.Problem.Host,
					T, summary.LowerBound, summary.Mean)
			}
		}
	}
}

// Without noise, and through a crossbar that has room, flows take as long as rounds of
// the same messages if each waits for what it is sent; over sockets, whose polls are not one by one
// there, within two.
func TestFlowsCostTheirHostsAsRoundsDo(t *testing.T) {
	ring := tests.Must(collectives.Find("a2a-ring"))(t)
	for _, host := range costs {
		flows := flowsOn(t, "torus:3x3", 1)
		p := collectives.Problem{
			Ranks: 9, Bytes: 10, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e9, Host: host,
			Redundancy: collectives.Redundancy{Sources: 1},
		}
		f := on(t, "a2a-ring", "crossbar:9", p.Bytes)
		f.Sync, f.Latency, f.Bandwidth, flows.Flows = network.Local, p.Latency, p.Bandwidth, f
		f.SendWork, f.ReceiveWork, f.Gap = host.Overhead, host.Take(1)+host.Polled(9), host.Gap
		f.Window, f.Reading = host.Window, 1.5*host.Scan(9)
		flows.OS, flows.Network = noise.None{}, noise.None{}
		rounds := setup{Algorithm: ring, Problem: p, OS: noise.None{}, Network: noise.None{},
			Environment: "rounds"}
		inFlows, _ := run(t, 2, flows)
		inRounds, _ := run(t, 2, rounds)
		a, b := inFlows.Summaries[0].Mean, inRounds.Summaries[0].Mean
		if apart := 1e-9*b + 8*2*host.Scan(9); math.Abs(a-b) > apart {
			t.Errorf("%+v: %g s as flows, %g s in rounds", host, a, b)
		}
	}
}

// on returns a collective on a topology, of messages that take 1 s for each byte.
func on(t testing.TB, name, place string, bytes float64) *flow.Network {
	t.Helper()
	nodes := tests.Must(network.ParseTopology(place))(t)
	a := tests.Must(collectives.Find(name))(t)
	p := collectives.Problem{
		Ranks: nodes.Nodes(), Bytes: bytes, Bandwidth: 1, Redundancy: collectives.Redundancy{Sources: 1},
	}
	if grid, ok := nodes.(*network.Grid); ok {
		p.Sides = grid.Sides()
	}
	s := tests.Must(a.Schedule(p))(t)
	return &flow.Network{Scenario: network.Scenario{Topology: nodes, Schedule: s, Bandwidth: 1}}
}

// flowsOn are those of A2AT, of messages that take 1 s each.
func flowsOn(t *testing.T, place string, controllers int) setup {
	t.Helper()
	f := on(t, "a2at", place, 1)
	f.Controllers = controllers
	return setup{
		Algorithm: collectives.Algorithm{Name: "a2at"},
		Problem:   collectives.Problem{Ranks: f.Topology.Nodes()},
		Flows:     f,
		OS:        noise.None{}, Network: noise.None{}, Environment: place,
	}
}

// In the flow engine no noise is none, a detour at a stationary launch delays
// the start, and events delay messages; all of it the same for any workers.
func TestFlowsUnderNoise(t *testing.T) {
	without, late, delayed := flowsOn(t, "torus:5x5", 2), flowsOn(t, "torus:5x5", 2), flowsOn(t,
		"torus:5x5", 2)
	late.OS = noise.Periodic{Period: 1000, Duration: 500, Start: noise.Random}
	delayed.Network = noise.PoissonDelays{Interval: 10, Lengths: noise.Constant(5)}
	s := equally(40, field(without), field(late), field(delayed))
	results := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 1}))(t)
	for i, want := range []struct{ least, mean, most float64 }{
		{20, 20, 20}, // N(N+1)(N−1)/6
		// Half of the 25 nodes are inside a detour at the start, of which the
		// last ends at about 460; nearly all others have one before that, and
		// the last of those ends at about 920.
		{500, 920, 1100},
		{20, 60, 120},
	} {
		summary := results[i].Results[0].Summaries[0]
		if quantile(summary, 0) < want.least-1e-9 || quantile(summary, 1) > want.most+1e-9 ||
			math.Abs(summary.Mean-want.mean) > 0.5*want.mean {
			t.Errorf("field %d: %g to %g, mean %g; want %g to %g, about %g", i,
				quantile(summary, 0), quantile(summary, 1), summary.Mean, want.least, want.most, want.mean)
		}
		if math.Abs(summary.NoiseFree-20) > 1e-9 || summary.LowerBound > summary.Mean*(1+1e-12) ||
			results[i].Results[0].Checkpoints[0].Messages != 25*24 {
			t.Errorf("field %d: without noise %g, lower bound %g, mean %g, %g messages", i,
				summary.NoiseFree, summary.LowerBound, summary.Mean,
				results[i].Results[0].Checkpoints[0].Messages)
		}
	}
	five := tests.Must(collect(t.Context(), t, s, montecarlo.Options{Workers: 5}))(t)
	for i := range s.Fields {
		for trial, c := range results[i].Results[0].Completion {
			if five[i].Results[0].Completion[trial] != c {
				t.Fatalf("field %d, trial %d: %g by one worker, %g by five", i, trial, c,
					five[i].Results[0].Completion[trial])
			}
		}
	}
}

// late has one rank, the last, start a second late, and no other noise.
type late struct {
	noise.None
	rank int
}

func (l late) Detours([]float64) noise.Detours { return &lateDetours{rank: l.rank} }

type lateDetours struct{ rank, ranks int }

func (d *lateDetours) Draw(ranks int, _ rng.Key) { d.ranks = ranks }

func (d *lateDetours) Finish(_ noise.Piece, lo int, t []float64, work float64) {
	for i := range t {
		if (lo+i)%d.ranks == d.rank {
			t[i] = max(t[i], 1)
		}
		t[i] += work
	}
}

// With three ranks the message of rank 1 comes to rank 0 while that is busy with what rank 2 has handed it,
// and is copied twice unless an event delays it. On a mesh whose messages fall out of step a delay can make
// others faster. So trials can be faster than without noise; but none is below its bound.
func TestLowerBoundHoldsWhereNoiseHelps(t *testing.T) {
	copied, mesh := reference(3), flowsOn(t, "mesh:7x7", 1)
	copied.Problem.Bytes, copied.Problem.MemoryBandwidth = 1000, 1e8 // 10 µs to combine, and to copy
	copied.Problem.Host = collectives.Host{Progress: collectives.Async, Interrupt: 1e-6}
	copied.OS = noise.None{}
	copied.Network = noise.PoissonDelays{Interval: 5e-6, Lengths: noise.Constant(12e-6)}
	mesh.Flows.HopLatency = 0.01
	mesh.Network = noise.PoissonDelays{Interval: 1000, Lengths: noise.Constant(0.001)}
	for _, config := range []setup{copied, mesh} {
		r, _ := run(t, 300, config)
		s := r.Summaries[0]
		least := quantile(s, 0)
		if least >= s.NoiseFree {
			t.Errorf("%g s at least, %g s without noise: nothing is shown here", least, s.NoiseFree)
		}
		if s.LowerBound > least {
			t.Errorf("a lower bound of %g s, and a trial of %g s", s.LowerBound, least)
		}
	}
}

// The last to start posts its message, which somebody takes, before anything is complete. The message
// crosses the network if there is another node; as a flow it is as late as it is to the other of two nodes.
func TestLowerBoundIsAHopAfterTheLatestStart(t *testing.T) {
	check := func(config setup, hop float64, what ...any) {
		config.OS, config.Network = late{rank: config.Problem.Ranks - 1}, noise.None{}
		r, _ := run(t, 2, config)
		for T, s := range r.Summaries {
			if math.Abs(s.LowerBound-1-hop) > 1e-12 || s.LowerBound > quantile(s, 0)+1e-12 {
				t.Errorf("%+v, T = %d: lower bound 1 s + %g s, want 1 s + %g s; least time 1 s + %g s", what, T,
					s.LowerBound-1, hop, quantile(s, 0)-1)
			}
		}
	}
	for _, host := range costs {
		config := reference(8)
		p := &config.Problem
		p.Host = host
		read := p.Wire(p.Bytes)
		if host.Sockets() { // half of 8 bytes are sent when those before have been read
			poll := host.Scan(8)
			read = p.Wire(p.Bytes-4) + poll + 2*p.Latency + poll
		}
		check(config, host.Overhead+read+host.Take(1)+p.Combine(p.Bytes), host)
	}
	for _, c := range []struct {
		ranks, perNode int
		inside         bool
	}{
		{2, 0, false}, {2, 1, false}, {8, 1, false}, {8, 2, false}, {8, 7, false},
		{2, 2, true}, {8, 8, true}, {8, 100, true}, {5, 5, true}, {6, 5, false},
	} {
		config := reference(c.ranks)
		p := &config.Problem
		p.Node = collectives.Node{Ranks: c.perNode, Latency: 1e-8, Bandwidth: 1e10}
		wire := p.Wire(p.Bytes)
		if c.inside {
			wire = p.Node.Wire(p.Bytes)
		}
		check(config, wire+p.Combine(p.Bytes), c)
	}
	config := flowsOn(t, "torus:3x3", 1)
	config.Problem.Ranks = 2
	f := on(t, "a2a-ring", "crossbar:2", 1)
	f.Bandwidth, f.Latency, f.SendWork, f.ReceiveWork = 1e9, 1e-6, 3e-6, 5e-6
	f.Window, f.Reading, config.Flows = 0.5, 2e-6, f
	check(config, 3e-6+5e-6+1e-6+(2*1e-6+2e-6-0.5e-9)+1e-9, "flows")
}
