package profile

import (
	"fmt"

	"jitterfly/noise"
	"jitterfly/noise/trace"
)

// Jitter returns the model of the profile's detours. read returns the traces to replay,
// by the names in the profile. Each shared consecutive ranks have the same detours.
func (p Profile) Jitter(
	launch noise.Start, shared int, read func(name string) (trace.Trace, error),
) (noise.OS, error) {
	s := noise.Superposition{Start: launch, Shared: shared}
	var steps []Component
	for i, c := range p.OS {
		switch c.Kind {
		case Periodic:
			s.Sources = append(s.Sources, noise.Ticks{Period: c.Period, Lengths: c.Duration})
		case Poisson:
			s.Sources = append(s.Sources, noise.PoissonDetours{Interval: c.Interval, Lengths: c.Duration})
		case Replay:
			t, err := read(c.Trace)
			if err != nil {
				return nil, fmt.Errorf("os[%d]: %w", i, err)
			}
			if t.Overhead() > 0 {
				s.Sources = append(s.Sources, noise.Replay{Trace: t})
			}
		case Bernoulli:
			steps = append(steps, c)
		}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	var os noise.OS = s
	for _, c := range steps {
		os = noise.Bernoulli{Probability: c.Probability, Lengths: c.Duration, Other: os}
	}
	return os, nil
}

// Model returns the model of the noise that delays messages.
func (m MessageNoise) Model() noise.Network {
	if m.Interval == 0 {
		return noise.Latencies{Lengths: m.Duration}
	}
	return noise.PoissonDelays{Interval: m.Interval, Lengths: m.Duration}
}
