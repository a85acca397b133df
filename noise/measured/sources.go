package measured

import (
	"fmt"
	"strconv"

	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// irregular ends the name of the component with the detours of a source that its period does
// not explain.
const irregular = ", irregular"

// FitSources returns the profile of noise whose sources are known, under the given name: each
// source is fitted as [FitTrace] fits a trace, and its components have its name. A source whose
// detours are periodic, up to a twentieth of the time that they take, is one periodic
// component. The other detours are one Poisson component, with a caveat if their arrivals have a
// memory. The sources together are not compared with the trace: the profile has no [profile.Fit].
//
// It fails if no core was watched, or if a name is not valid in a profile.
func FitSources(sources []noise.Cause, name string) (profile.Profile, error) {
	p := profile.Profile{Name: name}
	for i, source := range sources {
		cores, s, err := begin(source.Trace)
		if err != nil {
			return p, fmt.Errorf("%s: %w", source.Name, err)
		}
		if i == 0 {
			p.Provenance = s.watchNotes(len(cores))
		}
		if len(s.lengths) > 0 {
			s.source(&p, source.Name, cores)
		}
	}
	return p, p.Check()
}

func (s seen) source(p *profile.Profile, name string, cores []noise.Core) {
	var components []profile.Component
	var caveats []string
	if len(s.lengths) >= fewDetours {
		components, caveats = separate(cores, s.quantum)
	}
	rest := noise.Trace{Cores: cores}.Lengths()
	switch few := sum(rest) <= minorShare*sum(s.lengths); {
	case len(rest) > 0 && few && len(components) == 1:
		components[0].Duration = fitLengths(s.lengths, s.quantum)
	case len(rest) > 0:
		components = append(components, s.poisson(rest))
		if why := memory(cores); why != "" {
			caveats = append(caveats, "the detours that are called Poisson are not: "+why+".")
		}
	}
	for _, caveat := range caveats {
		p.Caveats = append(p.Caveats, name+": "+caveat)
	}
	for i, c := range components {
		if c.Name = name; i > 0 && c.Kind == profile.Poisson {
			c.Name += irregular
		} else if i > 0 {
			c.Name += " " + strconv.Itoa(i+1)
		}
		p.OS = append(p.OS, c)
	}
}
