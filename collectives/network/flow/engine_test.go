package flow_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// Noise of no duration does not change the result, nor do earlier trials of an engine.
func TestNoNoiseIsNoiseFree(t *testing.T) {
	for sharing := range sharings {
		for sync := range syncs {
			p := on(
				t,
				"mesh:6x5",
				"a2at",
				3,
				flow.Network{
					Scenario: network.Scenario{
						Bandwidth:   2,
						Latency:     0.1,
						Controllers: 2,
						SendWork:    0.2,
						ReceiveWork: 0.3,
						Sync:        syncs[sync],
					},
					HopLatency: 0.01,
					Sharing:    sharings[sharing],
				},
			)
			e := flow.NewEngine(p)
			simulate := func(host network.Host, delays network.Delays) network.Result {
				return tests.Must(e.Run(context.Background(), host, delays))(t)
			}
			want := simulate(network.NoiseFree{}, network.NoiseFree{})
			simulate(constant(0.4), network.NoiseFree{})
			simulate(network.NoiseFree{}, &every{transit: 1.7, delay: 0.3})
			cancelled, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := e.Run(cancelled, network.NoiseFree{}, network.NoiseFree{}); !errors.Is(
				err, context.Canceled,
			) {
				t.Errorf("%s, %s: cancelled, it returns %v", sharing, sync, err)
			}
			if got := simulate(constant(0), network.NoiseFree{}); got != want {
				t.Errorf("%s, %s: %+v without detours, want %+v", sharing, sync, got, want)
			}
			got := simulate(network.NoiseFree{}, &every{transit: math.Pi, delay: 0})
			if got.Moments <= want.Moments {
				t.Errorf("%s, %s: no event hits", sharing, sync)
			}
			got.Moments = want.Moments
			if got != want {
				t.Errorf("%s, %s: %+v with events of no length, want %+v", sharing, sync, got, want)
			}
		}
	}
}

// constant is a detour of that length [s] in each piece of work.
type constant float64

func (c constant) Finish(_ int, t, work float64) float64 { return t + work + float64(c) }

// every are events at equal distances of transit.
type every struct {
	network.NoiseFree
	transit, delay float64
}

func (e *every) Next(int, int) (transit, delay float64) { return e.transit, e.delay }

// Noise that lasts forever is an error.
func TestEndless(t *testing.T) {
	p := flow.Network{Scenario: network.Scenario{Schedule: models.A2A(3, 6),
		Topology: models.Place(t, "crossbar:3"), Bandwidth: 1}}
	const want = "a detour or an event in the network does not end"
	for _, c := range []struct {
		host   network.Host
		delays network.Delays
	}{
		{network.NoiseFree{}, once([][2]float64{{1, math.Inf(1)}}, nil, nil)},
		{constant(math.Inf(1)), network.NoiseFree{}},
	} {
		tests.Fails(t, "^"+want+"$")(flow.NewEngine(p).Run(context.Background(), c.host, c.delays))
	}
}

// The second trial of an engine allocates nothing.
func TestRunDoesNotAllocate(t *testing.T) {
	for sharing := range sharings {
		for sync := range syncs {
			p := on(t, "torus:4x4", "a2at", 3, flow.Network{Scenario: network.Scenario{Bandwidth: 2,
				Controllers: 2, Sync: syncs[sync]}, HopLatency: 0.01, Sharing: sharings[sharing]})
			e := flow.NewEngine(p)
			var delays network.Delays = &every{transit: 1.7, delay: 0.3}
			if n := testing.AllocsPerRun(3, func() {
				tests.Must(e.Run(context.Background(), network.NoiseFree{}, delays))(t)
			}); n > 0 {
				t.Errorf("%s, %s: %g allocations", sharing, sync, n)
			}
		}
	}
}

// The estimate of memory is at most twice what a trial allocates, and not less.
func TestMemory(t *testing.T) {
	for sharing := range sharings {
		p := flow.Network{Scenario: network.Scenario{Topology: models.Place(t, "fat-tree:12x12x24"), Bandwidth: 1,
			Controllers: 2, Sync: network.Local, Gap: 1}, Sharing: sharings[sharing]}
		p.Schedule = models.RandomRing(p.Topology.Nodes(), 5, 1, rand.New(rand.NewPCG(1, 2)))
		estimate := p.Memory()
		before := tests.Heap()
		e := flow.NewEngine(p)
		tests.Must(e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))(t)
		if got := tests.Heap() - before; got > estimate || got < estimate/2 {
			t.Errorf("%s: %g bytes, estimated %g", sharing, got, estimate)
		}
		runtime.KeepAlive(e)
	}
}

func TestTooManyControllers(t *testing.T) {
	p := flow.Network{Scenario: network.Scenario{Schedule: models.A2A(9, 1),
		Topology: models.Place(t, "torus:3x3"), Bandwidth: 1, Controllers: 300000000}}
	tests.Fails(t, "^300000000 controllers on each of 9 nodes are impossible; write 1 to 238609294$")(p.Check())
}
