package noise

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// An importer collects what several files of measurements say of one machine.
type importer struct {
	bytes float64 // size of the messages whose α and β are taken
	span  float64 // [s] of a histogram without its own; 0 if unknown

	latency *float64                   // [s] that the user gives; nil for the measured one
	middle  func(noise.Length) float64 // of latencies, which is scaled to that; nil if none is

	trace   noise.Trace
	traced  []string        // the files that have it
	sources [][]noise.Cause // of the files that have them
	unknown bool            // another file has detours, and no sources
	detours measured.Histogram
	delays  delays
	network profile.Network
	least   float64 // latency [s] that the network's noise is beyond
	curves  []fitted
	tools   []string
	files   []string
	facts   []profile.Note
	caveats []string
	lines   []string // what was found, for the user
	instead []string // what to do where a file is useless
}

// add adds the measurement of a file. It fails if the file is useless for a profile.
func (im *importer) add(m formats.Measurement, name string) error {
	if !slices.Contains(im.tools, m.Tool) {
		im.tools = append(im.tools, m.Tool)
	}
	im.files = append(im.files, filepath.Base(name))
	for _, f := range m.Provenance {
		same := func(n profile.Note) bool { return n.Key == f.Name }
		if !slices.ContainsFunc(im.facts, same) && !slices.Contains(ownNotes, f.Name) {
			im.facts = append(im.facts, profile.Note{Key: f.Name, Text: f.Value})
		}
	}
	im.say("%s: %s, %d lines", name, m.Tool, m.Lines)
	for _, s := range m.Skipped {
		im.say("  skipped %d from line %d: %s", s.Count, s.Line, s.Reason)
	}
	for _, note := range slices.Concat(m.Notes, m.Caveats) {
		im.say("  %s", note)
	}
	im.caveats = append(im.caveats, m.Caveats...)
	if t := m.Trace; t.Cores != nil {
		im.traced = append(im.traced, name)
		im.trace.Cores = append(im.trace.Cores, t.Cores...)
		im.trace.Resolution = max(im.trace.Resolution, t.Resolution)
		im.say("  %d detours of %d cores or runs take %.3g%% of the time", len(t.Lengths()), len(t.Cores),
			100*t.Overhead())
		if m.Merged > 0 {
			im.say("  %d detours overlap others and are merged with them", m.Merged)
		}
	}
	im.addSources(m)
	if err := im.addHistograms(m.Histograms); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	im.addCurves(m.Curves)
	im.addLogGP(m.LogGP)
	im.addBench(m.Bench)
	if m.Instead != "" {
		im.say("  %s", m.Instead)
		im.instead = append(im.instead, m.Instead)
	}
	return nil
}

// addSources adds the detours of each source of a file, if it has sources.
func (im *importer) addSources(m formats.Measurement) {
	if m.Sources == nil {
		im.unknown = im.unknown || m.Trace.Cores != nil || len(m.Histograms) > 0
		return
	}
	im.sources = append(im.sources, m.Sources)
	for _, s := range m.Sources {
		lengths := s.Lengths()
		im.say("  %s: %d detours take %.3g%% of the time, %s on average", s.Name, len(lengths),
			100*s.Overhead(), output.Seconds(noise.Summarize(lengths).Mean))
	}
}

// ownNotes are the notes that the provenance of every profile has.
var ownNotes = []string{"tool", "source", "cores", "span"}

// origin returns the notes of what measured, and of what that is from.
func origin(tool, source string) []profile.Note {
	return []profile.Note{{Key: "tool", Text: tool}, {Key: "source", Text: source}}
}

func (im *importer) say(format string, args ...any) {
	im.lines = append(im.lines, fmt.Sprintf(format, args...))
}

// profile fits what the files say. It fails if there is nothing to fit.
func (im *importer) profile(name string) (profile.Profile, error) {
	p := profile.Profile{Name: name}
	if len(im.delays.Values) > 0 && len(im.trace.Cores)+len(im.detours.Values) > 0 {
		im.say("%s are not used, since there are detours", im.delays.stage)
	}
	if len(im.sources) > 0 && im.unknown {
		im.say("the sources of detours are not used, since other files have none")
	}
	var err error
	switch {
	case len(im.sources) > 0 && !im.unknown:
		p, err = measured.FitSources(noise.Join(im.sources...), name)
	case len(im.trace.Cores) > 0:
		p, err = measured.FitTrace(im.trace, name)
	case im.lengths() != nil:
		p, err = measured.FitLengths(*im.lengths(), name)
	case im.network == (profile.Network{}) && len(im.instead) > 0:
		return p, errors.New(strings.Join(slices.Compact(im.instead), "; "))
	case im.network == (profile.Network{}):
		return p, errors.New("there is nothing for a profile: no detours, no lengths of them, no latencies " +
			"of messages")
	}
	if err != nil {
		return p, err
	}
	if err := im.takeLatency(); err != nil {
		return p, err
	}
	p.Network = im.network
	p.Caveats = append(p.Caveats, im.caveats...)
	own := origin(strings.Join(im.tools, ", "), strings.Join(im.files, ", "))
	p.Provenance = slices.Concat(own, p.Provenance, im.facts)
	return p, p.Check()
}
