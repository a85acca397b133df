package network_test

import (
	"math"
	"strings"
	"testing"

	"jitterfly/collectives/network"
)

// In every phase of the 2-level ring all ranks of a node send to one node, and each rank sends to
// every other once.
func TestLevelsSendToOneNodeAtATime(t *testing.T) {
	for _, each := range []int{1, 2, 3, 8} {
		place := network.Ranks{On: topology(t, "crossbar:5"), Each: each}
		p, err := network.FindPattern("a2a-levels", place)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "a2a-levels", p)
		sent := map[[2]int]bool{}
		for phase := range p.Phases() {
			for rank := range p.Nodes() {
				to := p.To(phase, rank)
				sent[[2]int{rank, to}] = true
				if first := rank - rank%each; p.To(phase, first)/each != to/each {
					t.Errorf("phase %d: ranks %d and %d send to two nodes", phase, first, rank)
				}
			}
		}
		if n := p.Nodes(); len(sent) != n*(n-1) {
			t.Errorf("%d ranks have %d pairs", n, len(sent))
		}
	}
}

// On a crossbar the n ranks of a node share its link: the 2-level ring takes n·N/B for each of the
// (S − 1)·n phases between nodes, and N/M for each of the others. With one rank on a node it is
// the linear all-to-all.
func TestRanksShareTheLinkOfTheirNode(t *testing.T) {
	for _, each := range []int{1, 2, 4} {
		crossbar := topology(t, "crossbar:6")
		place := network.Ranks{On: crossbar, Each: each}
		pattern, err := network.A2ALevels(place)
		if err != nil {
			t.Fatal(err)
		}
		p := network.Problem{
			Topology: place, Pattern: pattern, Bytes: 8, Bandwidth: 2,
			Latency: 0.5, NodeLatency: 0.25, NodeBandwidth: 16,
		}
		n := float64(each)
		want := 5*n*(0.5+n*8/2) + (n-1)*(0.25+8./16)
		if got := noiseFree(t, p); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d on a node: %g s, want %g s", each, got, want)
		}
		p.PortBandwidth = 0.25 // below a rank's part
		want = 5*n*(0.5+8/0.25) + (n-1)*(0.25+8./16)
		if got := noiseFree(t, p); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d on a node, ports: %g s, want %g s", each, got, want)
		}
		if each > 1 {
			continue
		}
		alone := network.Problem{
			Topology: crossbar, Pattern: network.A2A(6), Bytes: 8, Bandwidth: 2, Latency: 0.5,
			PortBandwidth: 0.25,
		}
		if got := noiseFree(t, alone); got != noiseFree(t, p) {
			t.Errorf("without ranks %g s", got)
		}
	}
}

// Messages inside nodes do not wait for the network, and need a bandwidth of their own.
func TestInsideNodes(t *testing.T) {
	place := network.Ranks{On: topology(t, "torus:2x2"), Each: 2}
	p := network.Problem{
		Topology: place, Pattern: list(t, 1, 0, 3, 2, 5, 4, 7, 6), Bytes: 6, Bandwidth: 1e-3,
		HopLatency: 100, Latency: 100, NodeLatency: 0.5, NodeBandwidth: 3,
	}
	if got := noiseFree(t, p); got != 2.5 {
		t.Errorf("%g s, want 2.5 s", got)
	}
	if bound := p.LowerBound(); bound > 2.5 {
		t.Errorf("the lower bound is %g s", bound)
	}
	p.NodeBandwidth = 0
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "bandwidth inside nodes") {
		t.Errorf("without a bandwidth: %v", err)
	}
	for _, name := range []string{"a2and", "a2at"} {
		_, err := network.FindPattern(name, place)
		if err == nil || !strings.Contains(err.Error(), "one rank on each node of torus:2x2, not 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
