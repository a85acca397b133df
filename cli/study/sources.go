package study

import (
	"fmt"
	"regexp"
	"slices"

	"jitterfly/montecarlo"
	"jitterfly/noise/profile"
)

// A Source is a cause of delays that can be taken out of a configuration.
type Source struct {
	Name string
	Kind SourceKind
	// Moves says that another core of the node can take the source; see moves.
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
	switch p.Name(OSKind) {
	case none:
	case kindProfile:
		sources = ofProfile(s.profile(p).Profile)
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

// ofProfile returns the components of all nodes and of usual ones, and the other classes.
func ofProfile(m profile.Profile) (sources []Source) {
	for i, c := range m.OS {
		if c.Class == 0 || c.Class == m.Usual()+1 {
			sources = append(sources, Source{Name: m.Label(i), Moves: moves(c), number: i})
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

// staying matches the names that the kernel's tracer gives to what a core cannot give away: its own
// timer and interrupts, softirqs, stalls of the hardware, and threads of which each core has one.
var staying = regexp.MustCompile(`(?i)nmi|smi|softirq|timer|tick|ipi|resched|call_function|irq_work|_apic|` +
	`hardware|migration|watchdog|cpuhp|idle_inject`)

// moves reports whether another core can take a component, as it can a daemon, a kworker or the
// interrupt of a device. Periodic components stay, as a core's timer does.
func moves(c profile.Component) bool {
	return c.Kind != profile.Periodic && !staying.MatchString(c.Name)
}

// hasNetworkNoise reports whether noise delays the point's messages.
func (s *Study) hasNetworkNoise(p Point) bool {
	switch p.Name(NetKind) {
	case kindProfile:
		return s.profiles[p.Name(NoiseProfile)].Network.Noisy()
	case poisson:
		return p.Number(NetDuration) > 0
	}
	return false
}

// A Change says what acts of a configuration's sources, and how. The zero Change changes nothing.
type Change struct {
	Removed func(source int) bool // does not act; nil: all act
	Aligned func(source int) bool // begins at the same times on all ranks; nil: none does
	// Factor is what the lengths of a source of OS jitter are multiplied by, above 0 and at most 1;
	// nil is 1 of all.
	Factor func(source int) float64
	// Of Cores a node leaves Spare to the sources that can move; the others compute for longer. 0
	// leaves none.
	Spare, Cores int
	// Most is the largest T that is simulated, if the schedule has as many; nil means all.
	Most *int
}

// Changed makes a configuration with changed sources. It has the random numbers of the
// configuration: the sources that stay delay at the same times. It fails if the configuration's
// files cannot be read.
func (s *Study) Changed(i int, change Change) (montecarlo.Config, error) {
	p, environment := s.Point(i), s.Point(i).environment()
	p.Values = slices.Clone(p.Values)
	changed := *s
	m := s.profile(p)
	for number, source := range s.SourcesOf(i) {
		act := change.of(number, source)
		if act == unchanged {
			continue
		}
		switch {
		case source.Kind == ClassSource:
			if act.removed {
				m.Profile = m.Drain(source.number)
			}
		case source.Kind != JitterSource:
			p.drop(source.Kind, act)
		case p.Name(OSKind) == kindProfile:
			m.Profile = act.on(m.Profile, source.number)
		default:
			p.jitter(act)
		}
	}
	changed.profiles = map[string]Measured{p.Name(NoiseProfile): m}
	if change.Spare > 0 {
		p.at(Compute).Number *= float64(change.Cores) / float64(change.Cores-change.Spare)
	}
	c, _, err := changed.config(p, func(string) {})
	c.Environment = environment
	if err == nil && change.Most != nil {
		limitRedundancy(c.Model, *change.Most)
	}
	return c, err
}

// An acting says how one source acts.
type acting struct {
	removed, aligned bool
	factor           float64 // of its lengths
}

var unchanged = acting{factor: 1}

// of returns how a source acts.
func (c *Change) of(number int, source Source) acting {
	act := acting{removed: c.Spare > 0 && source.Moves, factor: 1}
	if c.Removed != nil && c.Removed(number) {
		act.removed = true
	}
	if c.Aligned != nil {
		act.aligned = c.Aligned(number)
	}
	if c.Factor != nil {
		act.factor = c.Factor(number)
	}
	return act
}

// drop takes the noise of the network or the imbalance out of the point if it does not act.
func (p Point) drop(kind SourceKind, act acting) {
	switch {
	case !act.removed:
	case kind == NetworkSource:
		p.at(NetKind).Name = none
	default:
		*p.at(Imbalance), *p.at(ImbalancePersistent) = Value{}, Value{}
	}
}

// jitter changes the detours of noise.os.
func (p Point) jitter(act acting) {
	if act.removed {
		p.at(OSKind).Name = none
		return
	}
	p.at(OSDuration).Number *= act.factor
	if act.aligned {
		p.at(OSScope).Name = all
	}
}

// on returns the profile in which a component acts so.
func (a acting) on(p profile.Profile, component int) profile.Profile {
	if a.removed {
		return p.Without(component)
	}
	if a.aligned {
		p = p.Align(component)
	}
	if a.factor < 1 {
		p = p.Shorten(component, a.factor)
	}
	return p
}
