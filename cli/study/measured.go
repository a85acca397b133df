package study

import (
	"fmt"
	"slices"
	"strings"

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
		s.noteLacks(a, values[i].Name, m)
		s.noteReplaced(a, values[i].Name, m)
		if note := m.EditedNote(values[i].Name); note != "" {
			s.Notes = append(s.Notes, a.place("noise.profile")+": "+note)
		}
		values[i].Name = m.ID
		s.profiles[m.ID] = m
	}
	return nil
}

// noteLacks notes what a profile does not have, and what is used instead, unless the user gave it.
func (s *Study) noteLacks(a *axes, name string, m Measured) {
	var lacks []string
	for _, of := range []struct {
		path, what string
		value      *float64
	}{
		{"network.latency", "latency", m.Network.Latency},
		{"network.bandwidth", "bandwidth", m.Network.Bandwidth},
	} {
		if of.value == nil && !a.given(of.path) {
			lacks = append(lacks, fmt.Sprintf("no %s, %s is used", of.what, a.texts(of.path)))
		}
	}
	if len(m.OS) == 0 && !a.givenAny("noise.os.kind", "noise.os.period", "noise.os.duration") {
		lacks = append(lacks, "no OS noise, none is simulated")
	}
	if lacks != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %s has %s",
			a.place("noise.profile"), name, strings.Join(lacks, "; ")))
	}
}

// noteReplaced notes which noise of a profile the user replaced by giving one of its quantities.
func (s *Study) noteReplaced(a *axes, name string, m Measured) {
	for _, g := range []struct {
		what, group string
		quantities  [2]string
		has         bool
	}{
		{"OS noise", "noise.os", [2]string{"period", "duration"}, len(m.OS) > 0},
		{"network noise", "noise.network", [2]string{"interval", "duration"}, m.Network.Noise != nil},
	} {
		kind, first, second := g.group+".kind", g.group+"."+g.quantities[0], g.group+"."+g.quantities[1]
		if !g.has || a.given(kind) || !a.givenAny(first, second) {
			continue
		}
		given := first
		if !a.given(first) {
			given = second
		}
		s.Notes = append(s.Notes, fmt.Sprintf("%s: replaces the %s of %s: %s, %s %s, %s %s",
			a.place(given), g.what, name, a.texts(kind),
			g.quantities[0], a.texts(first), g.quantities[1], a.texts(second)))
	}
}

// givenAny reports whether the user gave one of the keys.
func (a *axes) givenAny(paths ...string) bool { return slices.ContainsFunc(paths, a.given) }

// texts returns the values of a key, or of the key that it follows, as people write them.
func (a *axes) texts(path string) string {
	if target, ok := a.follows[path]; ok {
		path = target
	}
	k, _ := Find(path)
	var texts []string
	for _, v := range a.values[path] {
		texts = append(texts, k.Text(v))
	}
	return strings.Join(texts, ", ")
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
		overhead:            m.Network.Overhead,
		"network.gap":       m.Network.Gap,

		sendOverhead: m.Network.SendOverhead,
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
	kind, paths := p.at(group+".kind"), []string{group + ".kind"}
	for _, q := range quantities {
		paths = append(paths, group+"."+q)
	}
	if !a.givenAny(paths...) {
		kind.Name = kindProfile
	}
	if kind.Name == kindProfile {
		for _, q := range quantities {
			*p.at(group + "." + q) = Value{}
		}
	}
}
