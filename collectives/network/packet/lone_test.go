package packet_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
)

// one is a pattern in which one node sends one message.
type one struct{ nodes, from, to int }

func (o one) Nodes() int        { return o.nodes }
func (o one) Phases() int       { return 1 }
func (o one) Messages() float64 { return 1 }
func (o one) To(_, node int) int {
	if node == o.from {
		return o.to
	}
	return network.NoNode
}

func (o one) From(_, node int) int {
	if node == o.to {
		return o.from
	}
	return network.NoNode
}

// shift is a pattern in which all nodes send one message by the same offset.
type shift struct{ sides, offset [2]int }

func (s shift) Nodes() int        { return s.sides[0] * s.sides[1] }
func (s shift) Phases() int       { return 1 }
func (s shift) Messages() float64 { return float64(s.Nodes()) }
func (s shift) To(_, node int) int {
	x, y := node%s.sides[0], node/s.sides[0]
	return (x+s.offset[0])%s.sides[0] + (y+s.offset[1])%s.sides[1]*s.sides[0]
}

func (s shift) From(_, node int) int {
	x, y := node%s.sides[0], node/s.sides[0]
	return (x+s.sides[0]-s.offset[0])%s.sides[0] +
		(y+s.sides[1]-s.offset[1])%s.sides[1]*s.sides[0]
}

// TestLone compares one message with F + h·H + 1 and with rates of min(1, B/(H+C)).
func TestLone(t *testing.T) {
	for _, c := range []struct {
		to, hop, credit, buffer int
		want                    float64
	}{
		{1, 1, 1, 20, 102},
		{2, 1, 1, 20, 103},
		{6, 3, 1, 4, 107},
		{6, 1, 1, 1, 202},
		{6, 1, 1, 2, 103},
		{6, 1, 3, 2, 201},
		{6, 3, 1, 3, 140},
	} {
		for _, topology := range []string{"mesh:5x5", "torus:5x5"} {
			p := problem(t, topology, "a2a")
			p.Pattern = one{nodes: 25, from: 0, to: c.to}
			p.Hop, p.Credit, p.Buffer = c.hop, c.credit, c.buffer
			if got := cycles(t, p); got != c.want {
				t.Errorf("%s: to node %d with H = %d, C = %d and B = %d: %g cycles, want %g",
					topology, c.to, c.hop, c.credit, c.buffer, got, c.want)
			}
		}
	}
}

// TestOneOffset has all nodes send by one offset.
func TestOneOffset(t *testing.T) {
	for _, c := range []struct {
		topology string
		offset   [2]int
		channels int
		want     float64
	}{
		{"torus:5x5", [2]int{2, 0}, 2, 320},
		{"torus:5x5", [2]int{2, 2}, 2, 550},
		{"mesh:5x5", [2]int{2, 0}, 2, 203},
		{"mesh:5x5", [2]int{2, 0}, 1, 301},
		{"mesh:5x5", [2]int{2, 2}, 2, 206},
	} {
		p := problem(t, c.topology, "a2a")
		p.Pattern, p.Channels = shift{[2]int{5, 5}, c.offset}, c.channels
		if got := cycles(t, p); got != c.want {
			t.Errorf("%s, offset %v, V = %d: %g cycles, want %g",
				c.topology, c.offset, c.channels, got, c.want)
		}
	}
}

// lone returns when a single packet's last flit is received, by the recurrence of when flit n
// leaves place k (0 is the controller, then a router each): after it has come from the place
// before, one cycle after flit n − 1, and when flit n − B has left the next place and its credit
// is back.
func lone(flits, hops, hop, credit, buffer int) int {
	left := make([][]int, hops+2)
	for k := range left {
		left[k] = make([]int, flits)
	}
	for n := range flits {
		for k := range left {
			if n > 0 {
				left[k][n] = left[k][n-1] + 1
			}
			delay, back := hop, credit
			if k == 0 {
				back = 1
			}
			if k == 1 {
				delay = 1
			}
			if k > 0 {
				left[k][n] = max(left[k][n], left[k-1][n]+delay)
			}
			if k < len(left)-1 && n >= buffer {
				left[k][n] = max(left[k][n], left[k+1][n-buffer]+back)
			}
		}
	}
	return left[hops+1][flits-1] + 1
}

// TestLoneRecurrence compares single packets over any route with the recurrence.
func TestLoneRecurrence(t *testing.T) {
	topologies := []string{"mesh:7x5", "torus:7x5", "torus:2x4", "torus:3x4x2", "mesh:2x2x2x2",
		"mesh:9", "torus:8", "torus:1x6"}
	rapid.Check(t, func(rt *rapid.T) {
		topology := rapid.SampledFrom(topologies).Draw(rt, "topology")
		p := problem(t, topology, "a2a")
		nodes := p.Topology.Nodes()
		from := rapid.IntRange(0, nodes-1).Draw(rt, "from")
		to := rapid.IntRange(0, nodes-1).Filter(func(n int) bool { return n != from }).Draw(rt, "to")
		p.Pattern = one{nodes, from, to}
		p.Flits = rapid.IntRange(1, 60).Draw(rt, "flits")
		p.Bytes = float64(p.Flits)
		p.Hop = rapid.IntRange(1, 7).Draw(rt, "hop")
		p.Credit = rapid.IntRange(1, 7).Draw(rt, "credit")
		p.Buffer = rapid.IntRange(1, 20).Draw(rt, "buffer")
		p.Channels = rapid.IntRange(2, 5).Draw(rt, "channels")
		p.Latency = float64(rapid.IntRange(0, 9).Draw(rt, "latency"))
		hops := len(p.Topology.Route(nil, from, to))
		want := int(p.Latency) + lone(p.Flits, hops, p.Hop, p.Credit, p.Buffer)
		if got := cycles(t, p); got != float64(want) {
			rt.Fatalf("%g cycles, want %d", got, want)
		}
		if p.Buffer >= p.Hop+p.Credit {
			want = int(p.Latency) + p.Flits + hops*p.Hop + 1
			if got := cycles(t, p); got != float64(want) {
				rt.Fatalf("%g cycles, want %d", got, want)
			}
		}
		if hops == 1 && p.LowerBound() > float64(want) {
			rt.Fatalf("a lower bound of %g is above %d", p.LowerBound(), want)
		}
	})
}

// Example simulates an all-to-all of 25 nodes.
func Example() {
	topology, _ := network.ParseTopology("torus:5x5")
	pattern, _ := network.A2AT(topology)
	engine, err := packet.NewEngine(packet.Problem{
		Problem: network.Problem{
			Topology: topology, Pattern: pattern, Sync: network.Local,
			Bytes: 6400, Bandwidth: 6.4e9,
		},
		Flit: 64, Flits: 100, Channels: 2, Buffer: 20, Hop: 1, Credit: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := engine.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{})
	fmt.Printf("%.2f µs, %v\n", result.CompletionTime*1e6, err)
	// Output: 48.21 µs, <nil>
}
