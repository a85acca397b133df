package study

import (
	"slices"

	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
	"jitterfly/noise/profile"
)

// A Source is a cause of delays that can be taken out of a configuration.
type Source struct {
	Name string
	Kind SourceKind
	// Moves says that another core of the node can take the source.
	Moves bool

	// Share is the probability that a node belongs to a class, 0 if the class names its nodes.
	Share float64

	number int // of the component or the class, in the profile
}

// A SourceKind is what a source delays.
type SourceKind int

const (
	// JitterSource takes the processor of ranks.
	JitterSource SourceKind = iota
	// NetworkSource delays messages.
	NetworkSource
	// ImbalanceSource makes ranks compute for different times.
	ImbalanceSource
	// ClassSource is nodes that differ from usual ones, which replace them if it is removed.
	ClassSource
)

// SourcesOf returns the sources of a configuration: the components of its OS jitter, its classes of
// nodes other than the usual one, the noise of the network, and the imbalance of an application, as far
// as they act.
func (s *Study) SourcesOf(i int) []Source {
	p := s.Point(i)
	var sources []Source
	switch kind := p.Name(OSKind); { // what has no effect is 0
	case kind == kindProfile:
		sources = ofProfile(s.profile(p).Profile)
	case p.Number(OSDuration) > 0:
		sources = append(sources, Source{Name: kind + " detours", Moves: kind != periodic})
	}
	if p.Name(NetKind) == kindProfile || p.Number(NetDuration) > 0 {
		sources = append(sources, Source{Name: "network noise", Kind: NetworkSource})
	}
	if p.Number(Imbalance) > 0 || p.Number(ImbalancePersistent) > 0 {
		sources = append(sources, Source{Name: "imbalance", Kind: ImbalanceSource})
	}
	return sources
}

// ofProfile returns the components of all nodes and of usual ones, and the other classes.
func ofProfile(m profile.Profile) (sources []Source) {
	for i, c := range m.OS {
		if c.Class == 0 || c.Class == m.Usual()+1 {
			sources = append(sources, Source{Name: m.Label(i), Moves: c.Moves(), number: i})
		}
	}
	for i, c := range m.Classes {
		if i != m.Usual() && (c.Share > 0 || len(c.Nodes) > 0) {
			sources = append(sources,
				Source{Name: m.ClassLabel(i), Kind: ClassSource, Share: c.Share, number: i})
		}
	}
	return sources
}

// Remedied makes a configuration after remedies of its sources, by their numbers among
// [Study.SourcesOf]. It has the random numbers of the configuration: the sources that stay delay at the
// same times. The largest T is the given one, or with [collectives.AllExchanges] all that the study asks
// for. It fails if the values do not fit together then.
func (s *Study) Remedied(i int, remedies []attribution.Remedy, most int) (montecarlo.Config, error) {
	p := s.Point(i)
	environment, m := p.environment(), s.profile(p)
	m.OS = slices.Clone(m.OS)
	for _, r := range remedies {
		sources := s.SourcesOf(i)
		switch r.Action {
		case attribution.Redundancy: // is for the caller to allow
		case attribution.Spare:
			p.at(Compute).Number *= r.Factor
			for _, source := range sources {
				if source.Moves {
					p.remedy(&m, source, attribution.Remedy{Action: attribution.Remove})
				}
			}
		default:
			p.remedy(&m, sources[r.Source], r)
		}
	}
	model, err := s.model(p, &m, most, &finding{})
	return montecarlo.Config{Model: model, Environment: environment}, err
}

// remedy applies a remedy of one source to the point or its profile. Sources that are not OS jitter can
// only be removed.
func (p Point) remedy(m *Measured, source Source, r attribution.Remedy) {
	switch {
	case source.Kind == ClassSource:
		m.Profile = m.Drain(source.number)
	case source.Kind == NetworkSource:
		p.at(NetKind).Name = none
	case source.Kind == ImbalanceSource:
		*p.at(Imbalance), *p.at(ImbalancePersistent) = Value{}, Value{}
	case p.Name(OSKind) != kindProfile:
		p.jitter(r)
	default:
		done := &m.OS[source.number].Remedy
		switch r.Action {
		case attribution.Remove:
			done.Removed = true
		case attribution.Align:
			done.Aligned = true
		case attribution.Shorten:
			done.Factor = r.Factor
		}
	}
}

// jitter applies a remedy to the detours of noise.os.
func (p Point) jitter(r attribution.Remedy) {
	switch r.Action {
	case attribution.Remove:
		p.at(OSKind).Name = none
	case attribution.Align:
		p.at(OSScope).Name = all
	case attribution.Shorten:
		p.at(OSDuration).Number *= r.Factor
	}
}
