package study

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/collectives"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// Measured is a profile, and what it refers to.
type Measured struct {
	profile.Profile
	// ID is its name in the results; other contents have another.
	ID string
	// Traces are what it replays, by the names of the traces in the profile.
	Traces map[string]noise.Replay
}

// EditedNote returns a remark if the file with that name has changed since this program wrote it,
// and nothing if it has not.
func (m Measured) EditedNote(name string) string {
	if !m.Edited {
		return ""
	}
	return name + " has changed since jitterfly wrote it: the digest differs; " +
		"remove the line digest if that is intended"
}

// readProfiles reads the profiles that noise.profile names, and replaces the names by IDs. It notes
// edited profiles.
func (s *Study) readProfiles() error {
	s.profiles = map[string]Measured{}
	return s.rename(NoiseProfile, func(name string) (string, error) {
		m, err := s.in.profile(name)
		if err != nil {
			return "", err
		}
		s.noteLacks(name, m)
		s.noteReplaced(name, m)
		if note := m.EditedNote(name); note != "" && s.in.Recorded == nil {
			s.Notes = append(s.Notes, s.place(NoiseProfile)+": "+note)
		}
		s.profiles[m.ID] = m
		return m.ID, nil
	})
}

// noteLacks notes what a profile does not have, and what is used instead, unless the user gave it.
func (s *Study) noteLacks(name string, m Measured) {
	var lacks []string
	quantity := func(k *Key, value *float64) {
		if value == nil && !s.given(k) {
			lacks = append(lacks, fmt.Sprintf("no %s, %s is used", k.Flag, s.texts(k)))
		}
	}
	quantity(Latency, m.Network.Latency)
	quantity(Bandwidth, m.Network.Bandwidth)
	if !m.Noisy() && !s.givenAny(OSKind, OSPeriod, OSDuration) {
		lacks = append(lacks, "no OS noise, none is simulated")
	}
	if lacks != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %s has %s",
			s.place(NoiseProfile), name, strings.Join(lacks, "; ")))
	}
}

// noteReplaced notes which noise of a profile the user replaced by giving one of its quantities.
func (s *Study) noteReplaced(name string, m Measured) {
	has := map[*Key]bool{OSKind: m.Noisy(), NetKind: m.Network.Noisy()}
	for _, n := range noises {
		if !has[n.kind] || s.given(n.kind) || !s.givenAny(n.every, n.length) {
			continue
		}
		given := n.every
		if !s.given(given) {
			given = n.length
		}
		last := func(k *Key) string { return k.Path[strings.LastIndexByte(k.Path, '.')+1:] }
		s.Notes = append(s.Notes, fmt.Sprintf("%s: replaces the %s of %s: %s, %s %s, %s %s",
			s.place(given), n.kind.Title, name, s.texts(n.kind),
			last(n.every), s.texts(n.every), last(n.length), s.texts(n.length)))
	}
}

// givenAny reports whether the user gave one of the keys.
func (s *Study) givenAny(keys ...*Key) bool { return slices.ContainsFunc(keys, s.given) }

// texts returns the values of a key, or of the key that it follows, as people write them.
func (s *Study) texts(k *Key) string {
	return strings.Join(vector.Each(s.valuesOf(k), k.Text), ", ")
}

// measured sets the keys that the user has not given to what the point's profile says. It
// fails if the point needs a profile and has none.
func (s *Study) measured(p Point) error {
	m, ok := s.profiles[p.Name(NoiseProfile)]
	if !ok {
		return p.unmeasured(s)
	}
	if err := p.fleet(s, m.Profile); err != nil {
		return err
	}
	for k, value := range map[*Key]*float64{
		Latency: m.Network.Latency, Bandwidth: m.Network.Bandwidth, Overhead: m.Network.Overhead,
		Gap: m.Network.Gap, SendOverhead: m.Network.SendOverhead,
	} {
		if value == nil || s.given(k) {
			continue
		}
		p.at(k).Number = *value
		for i, x := range s.axes {
			if x.follows == k {
				p.Values[i].Number = *value
			}
		}
	}
	for _, n := range noises {
		if !s.givenAny(n.kind, n.every, n.length) {
			p.at(n.kind).Name = kindProfile
		}
		if p.Name(n.kind) == kindProfile {
			*p.at(n.every), *p.at(n.length) = Value{}, Value{}
		}
	}
	if !m.Network.Noisy() && p.Name(NetKind) == kindProfile {
		p.at(NetKind).Name = none
	}
	return nil
}

// unmeasured sets the keys of a point without a profile. It fails if the point needs one.
func (p Point) unmeasured(s *Study) error {
	*p.at(ClassShare) = Value{}
	for _, n := range noises {
		if p.Name(n.kind) == kindProfile {
			return s.wrong(n.kind, "%s needs one; write for example --noise alps", kindProfile)
		}
		if s.given(NoiseProfile) && !s.givenAny(n.kind, n.every, n.length) {
			p.at(n.kind).Name = none // as was asked for
		}
	}
	return nil
}

// fleet sets the share of the profile's class, unless it is given. It fails if one is, and the
// profile has no class, or several, that it could be of.
func (p Point) fleet(s *Study, m profile.Profile) error {
	class, ok := m.Odd()
	switch {
	case !ok && s.given(ClassShare):
		return s.wrong(ClassShare, "%s needs one class with a share after the usual one; change its classes, or "+
			"leave the key out", p.Name(NoiseProfile))
	case ok && !s.given(ClassShare):
		p.at(ClassShare).Number = m.Classes[class].Share
	}
	return nil
}

// profile returns the point's profile, with its share of the class; the zero value if it has none.
func (s *Study) profile(p Point) Measured {
	m := s.profiles[p.Name(NoiseProfile)]
	if _, ok := m.Odd(); ok && p.Name(OSKind) == kindProfile {
		m.Profile = m.WithShare(p.Number(ClassShare))
	}
	return m
}

// events returns the point's network noise. It fails if messages would meet too many events.
func (m *Measured) events(p Point, s *Study, problem *collectives.Problem) (noise.Network, error) {
	switch p.Name(NetKind) {
	case kindProfile:
		return m.Network.Model(), nil
	case poisson:
		events := noise.PoissonDelays{
			Interval: p.Number(NetInterval),
			Lengths:  noise.Constant(p.Number(NetDuration)),
		}
		if mean := problem.Wire(problem.Bytes) / events.Interval; mean > maxEvents {
			return nil, s.wrong(NetInterval, "at %s between events a message meets %.3g; at most %.0g are simulated",
				text(p, NetInterval), mean, maxEvents)
		}
		return events, nil
	}
	return noise.None{}, nil
}

// jitter returns the point's OS jitter. It fails if detours leave no time to compute.
func (m *Measured) jitter(p Point, s *Study) (noise.OS, error) {
	launch, scope, kind := constant[noise.Start](p, OSLaunch), p.Name(OSScope), p.Name(OSKind)
	switch kind {
	case none:
		return noise.None{}, nil
	case kindProfile:
		groups := profile.Groups{Default: profile.Scope(scope), Node: p.Int(RanksPerNode)}
		os, err := m.Jitter(launch, groups, m.Traces)
		if err != nil {
			return nil, s.wrong(NoiseProfile, "%w", err)
		}
		return os, nil
	}
	period, duration := p.Number(OSPeriod), p.Number(OSDuration)
	if duration >= period {
		return nil, s.wrong(OSDuration, "%s is not below the period, %s: the ranks would never compute",
			text(p, OSDuration), text(p, OSPeriod))
	}
	shared := map[string]int{node: p.Int(RanksPerNode), all: p.Int(Ranks)}[scope]
	if kind == periodic || duration == 0 {
		return noise.Periodic{Period: period, Duration: duration, Start: launch, Shared: shared}, nil
	}
	arrivals := noise.PoissonDetours{Interval: period, Lengths: noise.Constant(duration)}
	return noise.Superposition{Start: launch, Components: noise.Components(shared, arrivals)}, nil
}

// A job is what a configuration simulates.
type job struct{ ranks, nodes int }

// noteNodes notes the classes of profiles that name a node which the smallest job does not have.
func (s *Study) noteNodes() {
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		smallest, m := s.jobs[id], s.profiles[id]
		for i, c := range m.Classes {
			last := -1
			for _, span := range c.Nodes {
				last = max(last, span.Last)
			}
			if last < smallest.nodes {
				continue
			}
			s.note(fmt.Sprintf("%s: %s of %s names node %d, but the smallest job, of %d ranks, has nodes 0 to %d: "+
				"node %[4]d has no effect there; give it a number of the job, or simulate more ranks",
				s.place(NoiseProfile), m.ClassLabel(i), m.Name, last, smallest.ranks, smallest.nodes-1))
		}
	}
}

// FindProfile returns the preset of that name, or reads the file. It fails if there is neither,
// or if a trace that the profile replays cannot be read.
func FindProfile(name string) (Measured, error) { return new(Input).profile(name) }

// profile returns the profile that [FindProfile] does, in the files of the input.
func (in *Input) profile(name string) (Measured, error) {
	if preset := datasets.Presets().Find(name); preset != nil {
		p, err := profile.Read(preset, name)
		return Measured{Profile: p, ID: name}, err
	}
	text, err := in.content(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return Measured{}, fmt.Errorf("%q is neither a preset nor a file; %s", name, SuggestProfile(name))
	}
	if err != nil {
		return Measured{}, err
	}
	if ext := filepath.Ext(name); ext == ".parquet" {
		beside := strings.TrimSuffix(name, ext) + ".yaml"
		if _, err := os.Stat(beside); err == nil {
			return Measured{}, fmt.Errorf("%s is a trace; its profile is beside it, write --noise %s", name, beside)
		}
		return Measured{}, fmt.Errorf("%s is a trace, not a profile; write jitterfly import %s --out %s, and "+
			"--noise %s", name, name, beside, beside)
	}
	m := Measured{}
	if m.Profile, err = profile.Read(text, name); err != nil {
		return m, err
	}
	files, err := m.readTraces(func(trace string) ([]byte, error) {
		if in.Open != nil {
			return in.Open(path.Join(path.Dir(name), trace))
		}
		return datasets.ReadFileIn(filepath.Dir(name), trace, MaxTrace)
	})
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	digest := sha256.Sum256(append(text, files...))
	m.ID = fmt.Sprintf("%s@%x", m.Name, digest[:4])
	return m, nil
}

// readTraces reads the traces that the profile replays. It returns the contents of their files one after
// another.
func (m *Measured) readTraces(read func(trace string) ([]byte, error)) (files []byte, err error) {
	m.Traces = map[string]noise.Replay{}
	for _, c := range m.OS {
		if c.Kind != profile.Replay {
			continue
		}
		content, err := read(c.Trace)
		if err != nil {
			return nil, datasets.FileError(c.Trace, err)
		}
		if c.TraceDigest != "" && c.TraceDigest != fmt.Sprintf("%x", sha256.Sum256(content)) {
			return nil, fmt.Errorf("%s: not the trace that was imported, its SHA-256 is another; "+
				"import it again, or remove sha256 from the profile", c.Trace)
		}
		trace, err := datasets.DecodeTrace(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Trace, err)
		}
		m.Traces[c.Trace] = noise.NewReplay(trace)
		files = append(files, content...)
	}
	return files, nil
}

// MaxTrace is how many bytes of a trace are read: some 60 million detours.
const MaxTrace = 2 << 30

// SuggestProfile returns which presets a name may mean, the ones whose names contain it or else the most
// similar ones, and how to list all.
func SuggestProfile(name string) string {
	const all = "jitterfly presets lists all"
	names := datasets.Presets().Names()
	similar := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return name == "" || !strings.Contains(n, strings.ToLower(name))
	})
	if len(similar) == 0 {
		similar = output.Similar(name, names)
	}
	if len(similar) == 0 {
		return all
	}
	return fmt.Sprintf("did you mean %s? %s", strings.Join(similar, " or "), all)
}
