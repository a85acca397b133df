package packet_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/collectives/network/packet"
	"jitterfly/internal/tests/models"
)

// shifted has all nodes send one message by the same offset.
func shifted(sides, offset [2]int) collectives.Schedule {
	var targets []int32
	for node := range sides[0] * sides[1] {
		x, y := (node%sides[0]+offset[0])%sides[0], (node/sides[0]+offset[1])%sides[1]
		targets = append(targets, int32(x+y*sides[0]))
	}
	return models.List(1, 100, targets...)
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
			p := problem(t, topology, "a2a-ring")
			p.Schedule = packet.Single(25, 0, c.to, 100)
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
		p := problem(t, c.topology, "a2a-ring")
		p.Schedule, p.Channels = shifted([2]int{5, 5}, c.offset), c.channels
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
		p := problem(t, topology, "a2a-ring")
		nodes := p.Topology.Nodes()
		from := rapid.IntRange(0, nodes-1).Draw(rt, "from")
		to := rapid.IntRange(0, nodes-1).Filter(func(n int) bool { return n != from }).Draw(rt, "to")
		p.Flits = rapid.IntRange(1, 60).Draw(rt, "flits")
		p.Schedule = packet.Single(nodes, from, to, float64(p.Flits))
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
	grid, _ := network.ParseTopology("torus:5x5")
	a2at, err := collectives.Find("a2at")
	if err != nil {
		fmt.Println(err)
		return
	}
	schedule, err := a2at.Schedule(collectives.Problem{
		Ranks: 25, Bytes: 6400, Bandwidth: 6.4e9, Sides: []int{5, 5},
		Redundancy: collectives.Redundancy{Sources: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := packet.NewEngine(packet.Network{
		Scenario: network.Scenario{
			Topology: grid, Schedule: schedule, Sync: network.Local, Bandwidth: 6.4e9,
		},
		Flit: 64, Flits: 100, Channels: 2, Buffer: 20, Hop: 1, Credit: 1,
	})
	result, err := engine.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{})
	fmt.Printf("%.2f µs, %v\n", result.CompletionTime*1e6, err)
	// Output: 48.21 µs, <nil>
}
