package packet_test

import (
	"context"
	"fmt"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
	"jitterfly/noise"
)

// problem returns a problem with the defaults: cycles are seconds and flits bytes.
func problem(t testing.TB, name, collective string) packet.Network {
	t.Helper()
	grid := tests.Must(network.ParseTopology(name))(t)
	return packet.Network{
		Scenario: network.Scenario{Schedule: tests.Must(models.On(collective, grid, 1, 100, 10))(t), Topology: grid,
			Bandwidth: 1, Controllers: 1},
		Flit: 1, Flits: 100, Channels: 2, Buffer: 20, Hop: 1, Credit: 1,
	}
}

// cycles returns the completion time of a problem in cycles.
func cycles(t testing.TB, p packet.Network) float64 {
	t.Helper()
	e := packet.NewEngine(p)
	result := tests.Must(e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))(t)
	return result.CompletionTime
}

// set returns a function that changes a problem.
type change func(p *packet.Network)

func sync(s network.Sync) change    { return func(p *packet.Network) { p.Sync = s } }
func buffer(flits int) change       { return func(p *packet.Network) { p.Buffer = flits } }
func channels(n int) change         { return func(p *packet.Network) { p.Channels = n } }
func controllers(n int) change      { return func(p *packet.Network) { p.Controllers = n } }
func full(p *packet.Network)        { p.Crossbar = packet.Full }
func destination(p *packet.Network) { p.Rule = packet.Destination }
func flits(message, each int) change {
	return func(p *packet.Network) {
		p.Flits = each
		for i := range p.Schedule.Rounds {
			p.Schedule.Rounds[i].Bytes = float64(message)
		}
	}
}

// TestCheckValues compares all-to-alls with an independent simulator of the same semantics.
func TestCheckValues(t *testing.T) {
	const none, count, local = network.None, network.LocalCount, network.Local
	for _, c := range []struct {
		topology, collective string
		changes              []change
		want                 float64
	}{
		{"torus:3x3", "a2at", nil, 803},
		{"torus:3x3", "a2at", []change{sync(local)}, 820},
		{"torus:3x3", "a2at", []change{flits(5, 5), buffer(2)}, 43},
		{"torus:3x3", "a2and", []change{flits(5, 5), buffer(2)}, 44},

		{"torus:5x5", "a2at", []change{sync(none)}, 4575},
		{"torus:5x5", "a2at", []change{sync(count)}, 4588},
		{"torus:5x5", "a2at", []change{sync(local)}, 4821},
		{"torus:5x5", "a2and", []change{sync(none)}, 5346},
		{"torus:5x5", "a2and", []change{sync(count)}, 6020},
		{"torus:5x5", "a2and", []change{sync(local)}, 6091},
		{"mesh:5x5", "a2at", []change{sync(none)}, 3921},
		{"mesh:5x5", "a2at", []change{sync(count)}, 4298},
		{"mesh:5x5", "a2at", []change{sync(local)}, 4415},
		{"mesh:5x5", "a2and", []change{sync(none)}, 4063},
		{"mesh:5x5", "a2and", []change{sync(count)}, 4147},
		{"mesh:5x5", "a2and", []change{sync(local)}, 4147},

		{"torus:5x5", "a2at", []change{sync(count), buffer(200), controllers(2)}, 2875},
		{"torus:5x5", "a2at", []change{sync(count), buffer(200), controllers(4)}, 2659},
		{"mesh:5x5", "a2at", []change{sync(count), buffer(200), controllers(2)}, 3530},
		{"mesh:5x5", "a2at", []change{sync(count), buffer(200), controllers(4)}, 3703},
		{"mesh:5x5", "a2at", []change{sync(count), channels(1)}, 4975},
		{"torus:5x5", "a2at", []change{sync(count), channels(4)}, 4068},
		{"torus:5x5", "a2at", []change{sync(count), full}, 4445},
		{"mesh:5x5", "a2at", []change{sync(count), full}, 4237},
		{"torus:5x5", "a2at", []change{sync(count), flits(100, 25)}, 4954},
		{"torus:5x5", "a2at", []change{destination, channels(25), buffer(2)}, 3970},
		{"mesh:5x5", "a2at", []change{destination, channels(25), buffer(2)}, 4082},

		{"torus:7x7", "a2at", []change{sync(count)}, 12598},
		{"mesh:7x7", "a2at", []change{sync(count)}, 12119},
		{"torus:17x17", "a2at", []change{sync(count)}, 179432},
	} {
		if c.topology == "torus:17x17" && !tests.Whole() {
			continue
		}
		p := problem(t, c.topology, c.collective)
		for _, change := range c.changes {
			change(&p)
		}
		name := fmt.Sprintf("%s %s sync %d NCT %d V %d B %d F %d crossbar %d rule %d", c.topology,
			c.collective, p.Sync, p.Controllers, p.Channels, p.Buffer, p.Flits, p.Crossbar, p.Rule)
		t.Run(name, func(t *testing.T) {
			if got := cycles(t, p); got != c.want {
				t.Errorf("%g cycles, want %g", got, c.want)
			}
		})
	}
}

// An allreduce of 64 ranks from several sources on a torus, without noise, takes packets about as
// long as flows, but for copies of some packets, where the first of several arrives before the
// last. From one controller copies leave one after the other, latency included.
func TestCopiesAgainstFlows(t *testing.T) {
	torus := tests.Must(network.ParseTopology("torus:8x8"))(t)
	times := func(sources, controllers int, bytes float64) (packets, flows float64) {
		p := collectives.Problem{
			Ranks: 64, Bytes: bytes, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e15,
			Redundancy: collectives.Redundancy{Sources: sources},
		}
		s := tests.Must(collectives.Butterfly(p))(t)
		on := network.On(&p, s, torus)
		on.Controllers = controllers
		return noiseFree(t, &packet.Network{
			Scenario: on, Flit: 8, Flits: 8, Channels: 2, Buffer: 8, Hop: 1, Credit: 1,
		}), noiseFree(t, &flow.Network{Scenario: on})
	}
	for _, bytes := range []float64{8, 1 << 10, 1 << 13} {
		for sources := 1; sources <= 3; sources++ {
			packets, flows := times(sources, 3, bytes)
			if apart := packets / flows; apart < 0.8 || apart > 1.15 || bytes == 1<<10 && sources == 3 && apart > 0.9 {
				t.Errorf("%g bytes, R = %d: %g s with packets, %g s on flows", bytes, sources, packets, flows)
			}
		}
	}
	one, _ := times(1, 1, 8)
	two, _ := times(2, 1, 8)
	if two < 1.4*one {
		t.Errorf("from one controller %g s for R = 2, %g s for R = 1", two, one)
	}
}

// noiseFree returns the time of a collective on a network [s].
func noiseFree(t *testing.T, n network.Network) float64 {
	t.Helper()
	m := &network.Model{Network: n, Noise: network.Noise{OS: noise.None{}, Network: noise.None{}}}
	return models.NoiseFree(t, m).Completion[0]
}

// BenchmarkA2AT measures what a flit-hop costs.
func BenchmarkA2AT(b *testing.B) {
	for _, c := range []struct {
		topology string
		sync     network.Sync
		buffer   int
	}{
		{"torus:9x9", network.None, 20},
		{"torus:9x9", network.LocalCount, 20},
		{"torus:17x17", network.LocalCount, 20},
		{"mesh:17x17", network.LocalCount, 20},
		{"torus:17x17", network.None, 200},
	} {
		name := c.topology + "/" + map[network.Sync]string{0: "none", 3: "local-count"}[c.sync]
		if c.buffer != 20 {
			name += "/large-buffers"
		}
		b.Run(name, func(b *testing.B) {
			p := problem(b, c.topology, "a2at")
			p.Sync, p.Buffer = c.sync, c.buffer
			e := packet.NewEngine(p)
			for b.Loop() {
				tests.Must(e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/p.FlitHops(), "ns/flit-hop")
		})
	}
}

// Recordings are of the trial also where posting takes no processor: then a rank posts copies while its
// processor is in a detour, which is in its track once.
func TestRecordedDetoursOfRanksThatPost(t *testing.T) {
	for _, reception := range []collectives.Reception{collectives.Offload, collectives.CPU} {
		p := collectives.Problem{
			Ranks: 16, Bytes: 640, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
			Redundancy: collectives.Redundancy{Sources: 1, Max: 3, Reception: reception},
		}
		on := network.On(&p, models.Schedule(t, "butterfly", p), models.Place(t, "torus:4x4"))
		for _, n := range []network.Network{
			&flow.Network{Scenario: on},
			&packet.Network{Scenario: on, Flit: 64, Flits: 100, Channels: 2, Buffer: 20, Hop: 1, Credit: 1},
		} {
			os := noise.Periodic{Period: 20e-6, Duration: 8e-6, Start: noise.Random}
			m := &network.Model{Network: n, Noise: network.Noise{OS: os, Network: noise.None{}}}
			for _, key := range models.Keys("posts", 30) {
				want, rec := models.Run(t, m, key)[0].Completion[3], models.Record(t, m, key, 3)
				if models.CheckRecording(t, rec); rec.End.Time != want {
					t.Fatalf("recorded as complete at %g, want %g", rec.End.Time, want)
				}
			}
		}
	}
}
