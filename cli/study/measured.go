package study

import (
	"fmt"

	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// Measured is a profile, and what it refers to.
type Measured struct {
	profile.Profile
	// ID is its name in the results; other contents have another.
	ID string
	// Trace reads a trace that is to be replayed.
	Trace func(name string) (trace.Trace, error)
}

// readProfiles reads those of the values of noise.profile, and puts their IDs in the
// place of those values.
func (s *Study) readProfiles(a *axes) error {
	s.profiles = map[string]Measured{}
	values := a.values["noise.profile"]
	for i := range values {
		if values[i].Name == none {
			continue
		}
		m, err := a.Profile(values[i].Name)
		if err != nil {
			return fmt.Errorf("%s: %w", a.place("noise.profile"), err)
		}
		values[i].Name = m.ID
		s.profiles[m.ID] = m
	}
	return nil
}

// measured puts what the point's profile says in the place of what the user has
// not given.
func (s *Study) measured(p Point, a *axes) error {
	m, ok := s.profiles[p.Value("noise.profile").Name]
	if !ok {
		for _, kind := range []string{"noise.os.kind", "noise.network.kind"} {
			if p.Value(kind).Name == kindProfile {
				return fmt.Errorf("%s: %s needs one; write for example --noise alps", a.place(kind), kindProfile)
			}
		}
		return nil
	}
	for path, value := range map[string]*float64{
		"network.latency":   m.Network.Latency,
		"network.bandwidth": m.Network.Bandwidth,
		"network.overhead":  m.Network.Overhead,
		"network.gap":       m.Network.Gap,
	} {
		if value == nil || a.given(path) {
			continue
		}
		p.at(path).Number = *value
		for follower, target := range a.follows {
			if target == path {
				p.at(follower).Number = *value
			}
		}
	}
	p.useMeasured(a, "noise.os", "period", "duration")
	p.useMeasured(a, "noise.network", "interval", "duration")
	if m.Network.Noise == nil && p.Value("noise.network.kind").Name == kindProfile {
		p.clear("noise.network")
	}
	return nil
}

// useMeasured makes a noise that of the profile, unless the user has said what it is.
func (p Point) useMeasured(a *axes, group string, quantities ...string) {
	kind, said := p.at(group+".kind"), a.given(group+".kind")
	for _, q := range quantities {
		said = said || a.given(group+"."+q)
	}
	if !said {
		kind.Name = kindProfile
	}
	if kind.Name == kindProfile {
		for _, q := range quantities {
			*p.at(group + "." + q) = Value{}
		}
	}
}
