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

// EditedNote returns a remark if the file with that name has changed since this program wrote it,
// and nothing if it has not.
func (m Measured) EditedNote(name string) string {
	if !m.Edited {
		return ""
	}
	return name + " is edited: its digest is of what jitterfly wrote; " +
		"remove the line digest if that is intended"
}

// readProfiles reads the profiles that noise.profile names, and replaces the names by IDs. It
// notes those that are edited.
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
		if note := m.EditedNote(values[i].Name); note != "" {
			s.Notes = append(s.Notes, a.place("noise.profile")+": "+note)
		}
		values[i].Name = m.ID
		s.profiles[m.ID] = m
	}
	return nil
}

// measured sets the keys that the user has not given to what the point's profile says. It
// fails if the point needs a profile and has none.
func (s *Study) measured(p Point, a *axes) error {
	m, ok := s.profiles[p.Value("noise.profile").Name]
	if !ok {
		for _, kind := range []string{"noise.os.kind", "noise.network.kind"} {
			if p.Value(kind).Name == kindProfile {
				return fmt.Errorf("%s: %s needs one; write for example --noise alps",
					a.place(kind), kindProfile)
			}
		}
		return nil
	}
	for path, value := range map[string]*float64{
		"network.latency":   m.Network.Latency,
		"network.bandwidth": m.Network.Bandwidth,
		"network.overhead":  m.Network.Overhead,
		"network.gap":       m.Network.Gap,

		"redundancy.send_overhead": m.Network.SendOverhead,
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
		p.at("noise.network.kind").Name = none
	}
	return nil
}

// useMeasured sets a group of noise keys to the noise of the profile, unless the user gave the
// kind or one of the quantities.
func (p Point) useMeasured(a *axes, group string, quantities ...string) {
	kind, given := p.at(group+".kind"), a.given(group+".kind")
	for _, q := range quantities {
		given = given || a.given(group+"."+q)
	}
	if !given {
		kind.Name = kindProfile
	}
	if kind.Name == kindProfile {
		for _, q := range quantities {
			*p.at(group + "." + q) = Value{}
		}
	}
}
