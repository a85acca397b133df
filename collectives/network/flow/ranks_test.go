package flow_test

import (
	"math"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/collectives/network/flow"
	"jitterfly/internal/tests"
	"jitterfly/internal/tests/models"
)

// On a crossbar the n ranks of a node share its link: the 2-level ring takes n·N/B for each of the
// (S − 1)·n phases between nodes, and N/M for each of the others. With one rank on a node it is
// the linear all-to-all.
func TestRanksShareTheLinkOfTheirNode(t *testing.T) {
	for _, each := range []int{1, 2, 4} {
		crossbar := models.Place(t, "crossbar:6")
		p := flow.Network{
			Scenario: network.Scenario{
				Schedule:  tests.Must(models.On("a2a-levels", crossbar, each, 8, math.Inf(1)))(t),
				Topology:  crossbar,
				Placement: network.Placement{PerNode: each},
				Bandwidth: 2,
				Latency:   0.5,
			},
			NodeLatency:   0.25,
			NodeBandwidth: 16,
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
		alone := flow.Network{Scenario: network.Scenario{Schedule: models.A2A(6, 8), Topology: crossbar,
			Bandwidth: 2, Latency: 0.5}, PortBandwidth: 0.25}
		if got := noiseFree(t, alone); got != noiseFree(t, p) {
			t.Errorf("without ranks %g s", got)
		}
	}
}

// Messages inside nodes do not wait for the network, and need a bandwidth of their own.
func TestInsideNodes(t *testing.T) {
	place := models.Place(t, "torus:2x2")
	p := flow.Network{
		Scenario: network.Scenario{
			Schedule:  models.List(1, 6, 1, 0, 3, 2, 5, 4, 7, 6),
			Topology:  place,
			Placement: network.Placement{PerNode: 2},
			Bandwidth: 1e-3,
			Latency:   100,
		},
		HopLatency:    100,
		NodeLatency:   0.5,
		NodeBandwidth: 3,
	}
	if got := noiseFree(t, p); got != 2.5 {
		t.Errorf("%g s, want 2.5 s", got)
	}
	if bound := p.LowerBound(); bound > 2.5 {
		t.Errorf("the lower bound is %g s", bound)
	}
	p.NodeBandwidth = 0
	tests.Fails(t, "bandwidth inside nodes")(p.Check())
}
