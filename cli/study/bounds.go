package study

import (
	"fmt"

	"jitterfly/collectives"
	"jitterfly/collectives/network"
	"jitterfly/internal/units"
	"jitterfly/noise"
)

// transit returns the time [s] of a message of the whole vector without others, on the longest route of
// a topology if there is one.
func (p Point) transit(problem *collectives.Problem, on network.Topology) float64 {
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
func delaysOnNetwork(a *axes, model *network.Model, events noise.Network, transit float64,
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

// checkTimes fails if something takes longer than maxSeconds: the statistics square times.
func (p Point) checkTimes(a *axes) error {
	for i, k := range Axes {
		if seconds := p.Values[i].Number; k.Dimension == units.Time && seconds > maxSeconds {
			return fmt.Errorf("%s: %s is too long; at most %s is allowed", a.place(k),
				k.write(seconds), k.write(maxSeconds))
		}
	}
	for _, k := range []*Key{Bandwidth, NodeBandwidth, MemoryBandwidth} {
		rate := p.Number(k) // 0 where it has no effect
		if seconds := p.Number(Bytes) / rate; rate > 0 && seconds > maxSeconds {
			return fmt.Errorf("%s: at %s vectors of %s take %.3g s; at most %.0g s is allowed",
				a.place(k), text(p, k), text(p, Bytes), seconds, float64(maxSeconds))
		}
	}
	for _, k := range []*Key{Imbalance, ImbalancePersistent} {
		if seconds := p.Number(Compute) * p.Number(k); seconds > maxSeconds {
			return fmt.Errorf("%s: it makes %s of compute time vary by %.3g s; at most %.0g s is allowed",
				a.place(k), text(p, Compute), seconds, float64(maxSeconds))
		}
	}
	return nil
}

// Limits of what is simulated.
const (
	maxRanks  = 1 << 40 // far beyond any memory
	maxNodes  = 1 << 24 // of a topology, which takes some 10 GB
	maxEvents = 1e9     // on average during one message
	maxPolls  = 1e7     // one by one, of a message longer than its window
	// maxSeconds is the longest time of anything, some 30 years.
	maxSeconds = 1e9
	// maxDetours is how many a rank meets at most on average while it waits for one message.
	maxDetours = 1e7
	// maxInTrial is how many are simulated in a trial at most, in about half a minute.
	maxInTrial = 3e9
)
