package flow

import (
	"math/rand/v2"
	"testing"

	"jitterfly/collectives/network"
	"jitterfly/internal/tests"
)

// After each change of many flows on a torus, the rates are max–min fair by definition: no link
// carries more than its bandwidth, and each flow has a full link on which none is faster. The
// sharing says which rates have changed.
func TestMaxMinIsFairAfterEachChange(t *testing.T) {
	torus := tests.Must(network.ParseTopology("torus:6x5"))(t)
	random := rand.New(rand.NewPCG(1, 0))
	bandwidths := make([]float64, torus.Links())
	for l := range bandwidths {
		bandwidths[l] = []float64{1, 1, 3, 0.7}[random.IntN(4)]
	}
	const slots, longest, changes = 120, 5, 3000
	s := newMaxMin(newTraffic(slots, longest, bandwidths))
	on, read := make([]bool, slots), make([]float64, slots)
	for range changes {
		for _, slot := range random.Perm(slots)[:1+random.IntN(3)] {
			flow := int32(slot)
			if on[flow] {
				s.leave(flow)
			}
			from, to := random.IntN(30), random.IntN(30)
			on[flow], read[flow] = from != to, 0
			if on[flow] {
				s.hops[flow] = int32(len(torus.Route(s.room(flow), from, to)))
				s.join(flow)
			}
		}
		s.settle()
		for _, flow := range s.changed {
			read[flow] = s.shares[flow].rate.number()
		}
		s.changed = s.changed[:0]
		checkFair(t, s.traffic, on, read)
	}
}

// checkFair fails unless these rates of the flows are max–min fair.
func checkFair(t *testing.T, traffic *traffic, on []bool, rates []float64) {
	t.Helper()
	const rounding = 1e-11
	carried, fastest := make([]float64, len(traffic.links)), make([]float64, len(traffic.links))
	for flow, rate := range rates {
		if on[flow] {
			for _, l := range traffic.route(int32(flow)) {
				carried[l] += rate
				fastest[l] = max(fastest[l], rate)
			}
		}
	}
	for l, c := range carried {
		if bandwidth := traffic.links[l].bandwidth; c > bandwidth*(1+rounding) {
			t.Fatalf("link %d carries %v of %v", l, c, bandwidth)
		}
	}
	for flow, rate := range rates {
		if !on[flow] {
			continue
		}
		bottlenecks := 0
		for _, l := range traffic.route(int32(flow)) {
			if carried[l] >= traffic.links[l].bandwidth*(1-rounding) &&
				rate >= fastest[l]*(1-rounding) {
				bottlenecks++
			}
		}
		if bottlenecks == 0 {
			t.Fatalf("flow %d at %v has no bottleneck", flow, rate)
		}
	}
}
