package study

import (
	"fmt"

	"jitterfly/collectives/rounds"
	"jitterfly/montecarlo"
	"jitterfly/noise"
)

// A Source is a cause of delays that can be taken out of a configuration.
type Source struct {
	Name string
	Kind SourceKind
	// Moves says that another core of the node can take the source, as it does a daemon; interrupts
	// of a core, and what comes at a fixed period as its timer does, stay.
	Moves bool
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
)

// SourcesOf returns the sources of a configuration: the components of its OS jitter, the noise of the
// network, and the imbalance of an application, as far as they act.
func (s *Study) SourcesOf(i int) []Source {
	p := s.Point(i)
	var sources []Source
	switch p.Name(OSKind) {
	case none:
	case kindProfile:
		for _, c := range s.profiles[p.Name(NoiseProfile)].Sources() {
			sources = append(sources, Source{Name: c.Name, Kind: JitterSource, Moves: c.Moves})
		}
	default:
		if p.Number(OSDuration) > 0 {
			name := fmt.Sprintf("%s detours", p.Name(OSKind))
			sources = append(sources, Source{Name: name, Moves: p.Name(OSKind) != periodic})
		}
	}
	if s.hasNetworkNoise(p) {
		sources = append(sources, Source{Name: "network noise", Kind: NetworkSource})
	}
	if p.Application() && (p.Number(Imbalance) > 0 || p.Number(ImbalancePersistent) > 0) {
		sources = append(sources, Source{Name: "imbalance", Kind: ImbalanceSource})
	}
	return sources
}

// hasNetworkNoise reports whether noise delays the point's messages.
func (s *Study) hasNetworkNoise(p Point) bool {
	switch p.Name(NetKind) {
	case kindProfile:
		return s.profiles[p.Name(NoiseProfile)].Network.Noise != nil
	case poisson:
		return p.Number(NetDuration) > 0
	}
	return false
}

// A Change says how a configuration's noise is changed.
type Change struct {
	Removed func(source int) bool // does not act
	Aligned func(source int) bool // begins at the same times on all ranks
	// Of Cores a node leaves Spare to the sources that can move; the others compute longer. 0 is none.
	Spare, Cores int
}
