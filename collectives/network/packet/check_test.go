package packet_test

import (
	"context"
	"fmt"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
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
	e := tests.Must(packet.NewEngine(p))(t)
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
