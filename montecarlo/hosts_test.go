package montecarlo_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
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
	s := &plan{Tolerance: 0.01, Trials: montecarlo.Trials{Min: 60, Max: 60,
		Confidence: 0.95}}
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

// The last to start posts its message, which somebody takes, before anything is complete.
func TestLowerBoundIsAHopOfHosts(t *testing.T) {
	for _, host := range costs {
		config := reference(8)
		config.OS, config.Network = late{rank: 7}, noise.None{}
		p := &config.Problem
		p.Host = host
		read := p.Wire(p.Bytes)
		if host.Sockets() { // half of 8 bytes are sent when those before have been read
			poll := host.Scan(8)
			read = p.Wire(p.Bytes-4) + poll + 2*p.Latency + poll
		}
		want := 1 + host.Overhead + read + host.Take(1) + p.Combine(p.Bytes)
		r, _ := run(t, 2, config)
		for T, s := range r.Summaries {
			if s.LowerBound < want-1e-12 || s.LowerBound > want+1e-12 || s.LowerBound > quantile(s, 0) {
				t.Errorf("%+v, T = %d: lower bound 1 s + %g s, want 1 s + %g s; least time 1 s + %g s", host, T,
					s.LowerBound-1, want-1, quantile(s, 0)-1)
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
		f.Window, f.Reading = host.Window, host.Reading(9)
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

// With three ranks the message of rank 1 comes to rank 0 while that is busy with what rank
// 2 has handed it, and is copied twice unless an event delays it.
func TestLowerBoundHoldsWhereAnEventSparesACopy(t *testing.T) {
	config := reference(3)
	p := &config.Problem
	p.Bytes, p.MemoryBandwidth = 1000, 1e8 // 10 µs to combine, and to copy
	p.Host = collectives.Host{Progress: collectives.Async, Interrupt: 1e-6}
	config.OS, config.Network = noise.None{}, noise.PoissonDelays{Interval: 5e-6,
		Lengths: noise.Constant(12e-6)}
	r, _ := run(t, 300, config)
	s := r.Summaries[0]
	if quantile(s, 0) >= s.NoiseFree {
		t.Errorf("%g s at least, %g s without noise: nothing is shown here", quantile(s, 0), s.NoiseFree)
	}
	if s.LowerBound > quantile(s, 0) {
		t.Errorf("a lower bound of %g s, and a trial of %g s", s.LowerBound, quantile(s, 0))
	}
}

// Of two nodes the one that starts late is as late as its message is to the other.
func TestLowerBoundIsAHopOfFlows(t *testing.T) {
	config := flowsOn(t, "torus:3x3", 1)
	config.Problem.Ranks = 2
	config.OS = late{rank: 1}
	f := on(t, "a2a-ring", "crossbar:2", 1)
	f.Bandwidth, f.Latency, f.SendWork, f.ReceiveWork = 1e9, 1e-6, 3e-6, 5e-6
	f.Window, f.Reading, config.Flows = 0.5, 2e-6, f
	r, _ := run(t, 2, config)
	if s, want := r.Summaries[0], 1+3e-6+5e-6+1e-6+(2*1e-6+2e-6-0.5e-9)+1e-9; s.LowerBound < want-1e-12 ||
		s.LowerBound > want+1e-12 || s.LowerBound > quantile(s, 0)+1e-12 {
		t.Errorf("lower bound 1 s + %g s, want 1 s + %g s; least time 1 s + %g s", s.LowerBound-1, want-1,
			quantile(s, 0)-1)
	}
}
