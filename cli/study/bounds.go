package study

import (
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/hosts"
	"jitterfly/collectives/topology"
	"jitterfly/noise"
)

// transit returns the time [s] of a message of the whole vector without others, on the longest route of
// a topology if there is one.
func (p Point) transit(problem *collectives.Problem, on topology.Topology) float64 {
	wire := problem.Wire(problem.Bytes)
	switch {
	case on == nil || !p.OnTopology():
		return wire
	case p.Name(Engine) == packets:
		return wire + float64(on.Diameter())*p.Number(PacketHop)*p.Number(PacketFlit)/p.Number(Bandwidth)
	}
	return wire + float64(on.Diameter())*p.Number(HopLatency)
}

// delaysOnNetwork returns about how many network events a trial simulates one by one, given the time
// of a message [s]. It fails if there are more than a trial can simulate in a reasonable time.
func delaysOnNetwork(p Point, a *axes, model *hosts.Model, events noise.Network, transit float64,
) (float64, error) {
	of, ok := events.(noise.PoissonDelays)
	if !ok {
		return 0, nil
	}
	shape, err := model.Shape()
	if err != nil {
		return 0, impossible{err}
	}
	all := shape.Checkpoints[len(shape.Checkpoints)-1].Messages * transit / of.Interval
	if all > maxInTrial {
		return 0, fmt.Errorf("%s: the messages of a trial meet about %.2g network events, more than %.0g; "+
			"write a longer interval, or a shorter latency", a.place(NetInterval), all, maxInTrial)
	}
	return all, nil
}

// detours returns about how many detours are simulated in a trial, given the time of a message [s]. It
// fails if there are more than a trial can simulate in a reasonable time.
func detours(p Point, a *axes, os noise.OS, wait float64, ranks int) (float64, error) {
	key := OSDuration
	if p.Name(OSKind) == kindProfile {
		key = NoiseProfile
	}
	all := 0.0
	for _, s := range os.Superpositions() {
		if met := s.Met(wait); met > maxDetours {
			return 0, fmt.Errorf("%s: a rank meets %.3g detours while it waits for a message, and the most "+
				"is %.0g", a.place(key), met, maxDetours)
		}
		all += s.MetInTrial(wait, ranks)
	}
	if all > maxInTrial {
		return 0, fmt.Errorf("%s: %d ranks meet about %.2g detours in a trial, more than %.0g; "+
			"write less noise or fewer --ranks", a.place(key), ranks, all, maxInTrial)
	}
	return all, nil
}
