package rounds_test

import (
	"math"
	"testing"

	"jitterfly/collectives"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// toAll returns the problem of an all-to-all with perNode ranks on each node.
func toAll(ranks, perNode int) collectives.Problem {
	return collectives.Problem{
		Sides: []int{1, ranks}, Ranks: ranks, Bytes: 1000, Latency: 1e-6, Bandwidth: 1e9, MemoryBandwidth: 1e10,
		Node:       collectives.Node{Ranks: perNode, Latency: 1e-7, Bandwidth: 1e10},
		Redundancy: collectives.Redundancy{Max: collectives.AllExchanges, Sources: 1},
	}
}

// Formula and queue with 8 ranks a node, and what they add up to where the network is the bound:
// 1.2066 and 1.2385 (Naruse et al. measured 1.241). Rounds in which messages stay inside nodes
// have none. With one rank a node both rings are one.
func TestHeadOfLineBlocking(t *testing.T) {
	p := toAll(24*8, 8)
	p.Bytes, p.Latency, p.Node.Bandwidth = 1e6, 0, 1e15
	for _, c := range []struct {
		contention collectives.Contention
		want       []float64 // of steps 8 to 16
		mean       float64
	}{
		{collectives.NoContention, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}, 1},
		{collectives.HoL, []float64{1, 1.123, 1.231, 1.306, 4. / 3, 1.306, 1.231, 1.123, 1}, 1.2066},
		{collectives.HoLQueue, []float64{1, 1.181, 1.277, 1.326, 1.341, 1.326, 1.277, 1.181, 1}, 1.2385},
	} {
		p.Contention = c.contention
		ring := models.Schedule(t, "a2a-ring", p)
		sum := 0.0
		for i, r := range ring.Rounds {
			step, got := i+1, max(1, r.Slow)
			want := c.want[step%8]
			if step < 8 || step > 184 {
				want = 1
			} else if sum += got; step == 184 {
				sum -= got
			}
			if math.Abs(got-want) > 0.0006 {
				t.Errorf("contention %d, step %d: factor %g, want %g", c.contention, step, got, want)
			}
		}
		if mean := sum / 176; math.Abs(mean-c.mean) > 0.0001 {
			t.Errorf("contention %d: the ring takes %.4f times as long, want %g", c.contention, mean, c.mean)
		}
		ringTime, levels := noiseFree(t, "a2a-ring", p)[0], noiseFree(t, "a2a-levels", p)[0]
		if ratio := ringTime / levels; ratio < 0.95*c.mean || ratio > 1.04*c.mean {
			t.Errorf("contention %d: the 2-level ring is %.4f times as fast", c.contention, ratio)
		}
		alone := toAll(24, 1)
		alone.Contention = c.contention
		if a, b := noiseFree(t, "a2a-ring", alone)[0], noiseFree(t, "a2a-levels", alone)[0]; a != b {
			t.Errorf("with one rank a node %g s and %g s", a, b)
		}
	}
}

// A node's link is that of 8 ranks at 1 GB/s. Whoever sends has an equal part, up to what one
// process can send.
func TestWhatOneProcessSends(t *testing.T) {
	p := toAll(24*8, 8)
	p.Bytes, p.Latency, p.Node.Bandwidth = 1e6, 0, 1e15
	for _, c := range []struct {
		process float64
		name    string
		step    int // of the ring: number of ranks that send to other nodes, at most 8
		want    float64
	}{
		{0, "a2a-ring", 1, 1e-3},
		{5e9, "a2a-ring", 1, 0.2e-3}, {5e9, "a2a-ring", 2, 0.25e-3}, {5e9, "a2a-ring", 4, 0.5e-3},
		{5e9, "a2a-ring", 20, 1e-3}, {5e9, "a2a-ring", 190, 0.25e-3}, {0.5e9, "a2a-ring", 20, 2e-3},
		{0, "a2a-levels", 20, 1e-3}, {5e9, "a2a-levels", 20, 1e-3}, {0.5e9, "a2a-levels", 20, 2e-3},
		{0, "a2a-hierarchical", 20, 8e-3}, {5e9, "a2a-hierarchical", 20, 1.6e-3},
		{9e9, "a2a-hierarchical", 20, 1e-3}, {0.5e9, "a2a-hierarchical", 20, 16e-3},
		{0.5e9, "a2a-sa", 8, 16e-3},
	} {
		p.Node.ProcessBandwidth = c.process
		s := models.Schedule(t, c.name, p)
		if got := s.Rounds[c.step-1].Transit(&p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s, step %d, %g B/s: %g s, want %g s", c.name, c.step, c.process, got, c.want)
		}
	}
	// all messages of a rank leave one after the other at that speed
	p.Node.ProcessBandwidth = 0.5e9
	if got := noiseFree(t, "a2a-spread", p)[0]; math.Abs(got-191*2e-3) > 1e-9 {
		t.Errorf("a2a-spread takes %g s, want %g s", got, 191*2e-3)
	}
}

// The hierarchical all-to-all is for nodes of unequal size, where others are refused. It takes no
// longer than its turns, and no less than those of the fullest node's last messages.
func TestUnequalNodes(t *testing.T) {
	for _, shape := range [][2]int{{20, 8}, {9, 4}, {190, 8}, {3, 2}} {
		p := toAll(shape[0], shape[1])
		for _, name := range []string{"a2a-levels", "a2a-sa"} {
			a := tests.Must(collectives.Find(name))(t)
			tests.Fails(t, "all must have as many", name, shape)(a.Schedule(p))
		}
		turns := 0.0
		for i := 1; i < p.Ranks; i++ {
			turns += float64(min(i, p.Ranks-i, p.Node.Ranks))
		}
		got, most := noiseFree(t, "a2a-hierarchical", p)[0], turns*p.Wire(p.Bytes)
		if got > most*(1+1e-12) || got < 0.6*most {
			t.Errorf("%v: %g s, want at most %g s", shape, got, most)
		}
		if ring := noiseFree(t, "a2a-ring", p)[0]; ring > got {
			t.Errorf("%v: the ring takes %g s, and longer than %g s", shape, ring, got)
		}
	}
}
