package packet

import (
	"context"
	"math/rand/v2"
	"testing"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// invariants fails the test if flits or credits were lost, or if a set differs from the state that
// it summarises. It is called after every cycle.
func invariants(t testing.TB, e *Engine) {
	t.Helper()
	transit, returning := make([]int32, len(e.channels)), make([]int32, len(e.channels))
	for i := range e.due.flits {
		for _, c := range e.due.flits[i] {
			transit[c]++
		}
		for _, c := range e.due.credits[i] {
			returning[c]++
		}
	}
	for c := range e.fabric.firstEjection {
		ch := &e.channels[c]
		if all := ch.credits + ch.flits + transit[c] + returning[c]; all != int32(e.scenario.Buffer) {
			t.Fatalf("cycle %d: channel %d: %d credits, %d flits and %d + %d on their way are not %d",
				e.now, c, ch.credits, ch.flits, transit[c], returning[c], e.scenario.Buffer)
		}
		if got, want := e.queued(int32(c))-ch.flits-transit[c], e.toCome(int32(c)); got != want {
			t.Fatalf("cycle %d: channel %d: %d flits are to come, and its sender has %d",
				e.now, c, got, want)
		}
		canMove := ch.out >= 0 && ch.flits > 0 && e.channels[ch.out].credits > 0
		o := int(ch.router)*e.fabric.ports + int(ch.output)
		word, bit := o*e.fabric.words+int(ch.local)/64, ch.local%64
		if is := e.ready[word]>>bit&1 != 0; is != canMove {
			t.Fatalf("cycle %d: channel %d is ready: %t, want %t", e.now, c, is, canMove)
		}
		if is := e.waiting[word]>>bit&1 != 0; is != (ch.out < 0 && ch.flits > 0) {
			t.Fatalf("cycle %d: channel %d waits: %t, with %d flits", e.now, c, is, ch.flits)
		}
	}
	for c := range e.channels {
		if h := e.channels[c].owner; h >= 0 && e.channels[h].out != int32(c) {
			t.Fatalf("cycle %d: channel %d is held by %d, which holds another", e.now, c, h)
		}
	}
}

// queued returns the flits of a channel's packets that have not moved on.
func (e *Engine) queued(c int32) int32 {
	flits := int32(0)
	s := e.queues.spans[c]
	for i := range s.length {
		at := (int(s.first) + int(i)) % e.queues.room
		if i == 0 {
			flits += e.channels[c].left
		} else {
			flits += e.packets[e.queues.ids[int(c)*e.queues.room+at]].length
		}
	}
	return flits
}

// toCome returns the flits that the sender of a channel has for it.
func (e *Engine) toCome(c int32) int32 {
	owner := e.channels[c].owner
	switch {
	case owner >= 0:
		return e.channels[owner].left
	case owner < free && e.slots[-2-owner].channel == c:
		return e.slots[-2-owner].left
	}
	return 0
}

// Single has one rank send one message to another.
func Single(ranks, from, to int, bytes float64) collectives.Schedule {
	return collectives.Schedule{Ranks: ranks, Direct: true, Checkpoints: []collectives.Checkpoint{{Rounds: 1}},
		Rounds: []collectives.Round{{
			Receivers: collectives.Span{Lo: to, Hi: to + 1}, Bytes: bytes,
			Sources: []collectives.Sender{{Peers: collectives.Xor(from ^ to)}},
		}}}
}

// anyProblem returns a problem that the random numbers choose, in which packets do not wait for
// each other in a circle.
func anyProblem(t testing.TB, random *rand.Rand) Network {
	t.Helper()
	between := func(low, high int) int { return low + random.IntN(high-low+1) }
	grids := []string{"torus:5x5", "torus:4x4", "torus:2x2", "torus:3x2x4", "torus:8", "torus:6x3",
		"torus:2x3x2x2", "mesh:4x4", "mesh:7", "mesh:3x2x3", "mesh:5x3", "torus:1x5"}
	grid := tests.Must(network.ParseTopology(grids[random.IntN(len(grids))]))(t)
	nodes := grid.Nodes()
	bytes := float64(between(1, 30))
	on := func(name string) collectives.Schedule { return tests.Must(models.On(name, grid, 1, bytes, 10))(t) }
	p := Network{
		Scenario: network.Scenario{Schedule: on("a2a-ring"), Topology: grid, Bandwidth: 1,
			Sync: network.Sync(random.IntN(4)), Controllers: between(1, 4)},
		Flit: 1, Flits: between(1, 30), Channels: between(2, 5), Buffer: between(1, 40),
		Hop: between(1, 4), Credit: between(1, 4), Crossbar: Crossbar(random.IntN(2)),
	}
	switch random.IntN(4) {
	case 0, 1:
		p.Schedule = models.RandomRing(nodes, between(4, 12), bytes, random)
	case 2:
		names := []string{"dissemination", "binomial", "rabenseifner", "ring", "butterfly"}
		p.Schedule = on(names[random.IntN(len(names))])
	}
	p.Controllers = min(p.Controllers, len(p.Schedule.Rounds))
	if !grid.(*network.Grid).Torus() {
		p.Channels = between(1, 5)
		p.Rule = ChannelRule(random.IntN(2))
	} else if random.IntN(8) == 0 {
		p.Rule, p.Channels = Destination, nodes
	}
	return p
}

// TestNoDeadlock simulates thousands of problems. All of their messages arrive.
func TestNoDeadlock(t *testing.T) {
	n, every := tests.Part(10000, 1000), 25
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		p := anyProblem(t, random)
		e := NewEngine(p)
		if i%every == 0 {
			e.after = func(e *Engine) { invariants(t, e) }
		}
		result, err := e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{})
		if err != nil {
			t.Fatalf("%d: %v on %s: %v", i, p, p.Topology, err)
		}
		if plan := p.Sequence(); float64(result.Received) != plan.All() {
			t.Fatalf("%d messages arrived, of %g", result.Received, plan.All())
		}
		if bound := p.LowerBound(); result.CompletionTime < bound {
			t.Fatalf("%d: %v: %g cycles are below the bound of %g", i, p, result.CompletionTime, bound)
		}
		if used := len(e.packets) - len(e.unused); used != 0 {
			t.Fatalf("%d packets are left", used)
		}
	}
}

// TestDeadlock simulates a ring without classes, where packets go around in a circle.
func TestDeadlock(t *testing.T) {
	grid := tests.Must(network.ParseTopology("torus:5"))(t)
	p := Network{
		Scenario: network.Scenario{Schedule: models.List(1, 100, 2, 3, 4, 0, 1), Topology: grid, Bandwidth: 1},
		Flit:     1, Flits: 100, Channels: 1, Buffer: 20, Hop: 1, Credit: 1,
	}
	if p.Check() == nil {
		t.Error("no error for a torus with one channel")
	}
	// With destinations as channels and one of them, the classes are gone.
	p.Rule = Destination
	e := NewEngine(p)
	e.after = func(e *Engine) { invariants(t, e) }
	tests.Fails(t, "^packets wait for each other in a circle$")(
		e.Run(context.Background(), network.NoiseFree{}, network.NoiseFree{}))
}
