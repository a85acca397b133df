package packet_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// paused is a host whose nodes start at a time, and need twice as long for work.
type paused struct{ start float64 }

func (p paused) Finish(_ int, t, work float64) float64 { return max(t, p.start) + 2*work }

// hits are events: each of a slot's messages in turn is hit after a transit.
type hits struct {
	transits, delays []float64
	extra            float64
	next             []int // by node
}

func (h *hits) Next(node, _ int) (transit, delay float64) {
	i := h.next[node]
	if h.next[node]++; i >= len(h.transits) {
		return math.Inf(1), 0
	}
	return h.transits[i], h.delays[i]
}

func (h *hits) Extra(int, int) float64 { return h.extra }

func completion(t *testing.T, p packet.Network, host network.Host, delays network.Delays) float64 {
	t.Helper()
	e := packet.NewEngine(p)
	r := tests.Must(e.Run(context.Background(), host, delays))(t)
	return r.CompletionTime
}

// TestNoise delays one message of 100 flits over one hop, which takes 102 cycles.
func TestNoise(t *testing.T) {
	for _, c := range []struct {
		name             string
		host             network.Host
		transits, delays []float64
		extra            float64
		change           func(*packet.Network)
		want             float64
	}{
		{name: "nothing", want: 102},
		{name: "a late start, within a cycle", host: paused{start: 6.5}, want: 7 + 102},
		{name: "work of hosts", host: paused{}, want: 6 + 102 + 8,
			change: func(p *packet.Network) { p.SendWork, p.ReceiveWork = 3, 4 }},
		{name: "latency", want: 5 + 102, change: func(p *packet.Network) { p.Latency = 5 }},
		{name: "half of it waits for the window", want: 5 + (2*(5+2) + 46 - 50) + 102,
			change: func(p *packet.Network) { p.Latency, p.Window, p.Reading = 5, 50, 46 }},
		{name: "extra latency", extra: 7.5, want: 8 + 102},
		{name: "an event while flits leave", transits: []float64{50}, delays: []float64{30}, want: 132},
		{name: "events in a row", transits: []float64{50, 0, 10}, delays: []float64{30, 4, 1}, want: 137},
		{name: "an event during the latency", transits: []float64{3}, delays: []float64{30},
			change: func(p *packet.Network) { p.Latency = 5 }, want: 137},
		{name: "an event of part of a cycle", transits: []float64{50.5}, delays: []float64{0.75}, want: 103},
		{name: "an event between two flits", transits: []float64{50.25}, delays: []float64{0.5}, want: 102},
		{name: "an event of no length", transits: []float64{50}, delays: []float64{0}, want: 102},
		{name: "an event after the tail", transits: []float64{100}, delays: []float64{30}, want: 102},
	} {
		p := problem(t, "mesh:2", "a2a-ring")
		p.Schedule = packet.Single(2, 0, 1, 100)
		if c.change != nil {
			c.change(&p)
		}
		if c.host == nil {
			c.host = network.NoiseFree{}
		}
		delays := &hits{c.transits, c.delays, c.extra, make([]int, 2)}
		if got := completion(t, p, c.host, delays); got != c.want {
			t.Errorf("%s: %g cycles, want %g", c.name, got, c.want)
		}
	}
}

// TestGap has a controller post a message every 150 cycles.
func TestGap(t *testing.T) {
	p := problem(t, "mesh:2", "a2a-ring")
	p.Schedule = models.List(4, 100, 1, 0)
	p.Gap = 150
	if got := cycles(t, p); got != 3*150+102 {
		t.Errorf("%g cycles, want %d", got, 3*150+102)
	}
}

// TestEarly has a node receive a message of a phase that it has not begun, since an event delays
// its message of the phase before. It posts its next message when it has taken the early one.
func TestEarly(t *testing.T) {
	p := problem(t, "mesh:2", "a2a-ring")
	p.Schedule = models.List(2, 100, 1, 0)
	p.EarlyWork = 1000
	delays := &hits{[]float64{50}, []float64{300}, 0, []int{0, 1}} // of node 0 only
	if got := completion(t, p, paused{}, delays); got != 202+2*1000+102 {
		t.Errorf("%g cycles, want %d", got, 202+2*1000+102)
	}
}

// TestEndless delays a message forever.
func TestEndless(t *testing.T) {
	p := problem(t, "mesh:2", "a2a-ring")
	p.Schedule = packet.Single(2, 0, 1, 100)
	e := packet.NewEngine(p)
	const want = "^a detour or an event in the network does not end$"
	delays := &hits{[]float64{50}, []float64{math.Inf(1)}, 0, make([]int, 2)}
	tests.Fails(t, want)(e.Run(context.Background(), network.NoiseFree{}, delays))
	tests.Fails(t, want)(e.Run(context.Background(), paused{start: math.Inf(1)}, network.NoiseFree{}))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p = problem(t, "torus:9x9", "a2at")
	e = packet.NewEngine(p)
	if _, err := e.Run(ctx, network.NoiseFree{}, network.NoiseFree{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled simulation", err)
	}
}

// runs returns what a runner of the model simulates for the trials of these numbers.
func runs(t *testing.T, m montecarlo.Model, numbers ...uint64) []float64 {
	t.Helper()
	var keys []rng.Key
	for _, n := range numbers {
		keys = append(keys, rng.NewKey(1, "packets").Derive(n))
	}
	var times []float64
	for i, trial := range models.Run(t, m, keys...) {
		times = append(times, trial.Completion[0])
		if times[i] < trial.LowerBound {
			t.Errorf("trial %d: %g is below the bound of %g", numbers[i], times[i], trial.LowerBound)
		}
	}
	return times
}

// TestModel simulates trials, which do not depend on those before and are none of them as without
// noise.
func TestModel(t *testing.T) {
	p := problem(t, "torus:4x4", "a2at")
	p.Sync, p.SendWork = network.Local, 1
	m := &network.Model{Network: &p, Noise: network.Noise{
		OS:      noise.Periodic{Period: 1000, Duration: 50},
		Network: noise.PoissonDelays{Interval: 500, Lengths: noise.Constant(30)}, StartSkew: 10,
	}}
	shape := tests.Must(m.Shape())(t)
	if shape.Hit != 50 || shape.Checkpoints[0].Messages != 240 || shape.Work <= 0 || shape.Memory <= 0 {
		t.Errorf("shape %+v", shape)
	}
	forth, back := runs(t, m, 1, 2, 3, 4), runs(t, m, 4, 3, 2, 1)
	slices.Reverse(back)
	if !slices.Equal(forth, back) {
		t.Errorf("trials %v depend on those before: %v", forth, back)
	}
	free, sorted := models.NoiseFree(t, m).Completion[0], slices.Sorted(slices.Values(forth))
	if len(slices.Compact(sorted)) < 4 || sorted[0] <= free {
		t.Errorf("trials %v, and %g without noise", forth, free)
	}
}

// TestStartSkew has one message start within 50 cycles, in both engines at the same time.
func TestStartSkew(t *testing.T) {
	p := problem(t, "mesh:2", "a2a-ring")
	p.Schedule = packet.Single(2, 0, 1, 100)
	with := network.Noise{OS: noise.None{}, Network: noise.None{}, StartSkew: 50}
	packets := runs(t, &network.Model{Network: &p, Noise: with}, 1, 2, 3, 4, 5, 6, 7, 8)
	flows := runs(t, &network.Model{Network: &flow.Network{Scenario: p.Scenario}, Noise: with}, 1, 2, 3, 4,
		5, 6, 7, 8)
	for i, at := range packets {
		if want := math.Ceil(flows[i]-100) + 102; at < 102 || at > 152 || at != want && flows[i] > 100 {
			t.Errorf("%g cycles, of flows %g", at, flows[i])
		}
	}
	if slices.Max(packets)-slices.Min(packets) < 10 {
		t.Errorf("starts hardly differ: %v", packets)
	}
}

// TestMemory compares the estimate with what an engine allocates, which does not grow.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		topology string
		changes  []change
	}{
		{"torus:9x9", nil},
		{"torus:9x9", []change{flits(100, 1), buffer(40)}},
		{"mesh:5x5x5", []change{channels(8)}},
		{"torus:8x8", []change{destination, channels(64), buffer(2)}},
	} {
		if c.topology == "torus:9x9" && !tests.Whole() {
			continue
		}
		p := problem(t, c.topology, "a2a-ring")
		for _, change := range c.changes {
			change(&p)
		}
		before := tests.Heap()
		e := packet.NewEngine(p)
		tests.Must(e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))(t)
		used, estimate := tests.Heap()-before, p.Memory()
		for range 3 {
			tests.Must(e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))(t)
		}
		if again := tests.Heap() - before; again > 1.02*used+4096 {
			t.Errorf("%s: memory grows from %g bytes to %g with trials", c.topology, used, again)
		}
		runtime.KeepAlive(e)
		if estimate < 0.9*used || estimate > 5*used {
			t.Errorf("%s: an engine takes %g bytes after a trial, and the estimate is %g",
				c.topology, used, estimate)
		}
	}
}
