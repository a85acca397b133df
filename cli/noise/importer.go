package noise

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// An importer collects what several files of measurements say of one machine.
type importer struct {
	settings

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
			100*s.Overhead(), output.Seconds(stat.Mean(lengths, nil)))
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
	switch {
	case len(im.sources) > 0 && !im.unknown:
		p = measured.FitSources(noise.Join(im.sources...), name)
	case len(im.trace.Cores) > 0:
		p = measured.FitTrace(im.trace, name)
	case im.lengths() != nil:
		p = measured.FitLengths(*im.lengths(), name)
	case im.network == (profile.Network{}) && len(im.instead) > 0:
		return p, errors.New(strings.Join(slices.Compact(im.instead), "; "))
	case im.network == (profile.Network{}):
		return p, errors.New("there is nothing for a profile: no detours, no lengths of them, no latencies " +
			"of messages")
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

// stages are the kinds of delays of timers, in the order in which a wake-up passes them:
// each delay contains those before it.
var stages = []formats.Kind{formats.Interrupts, formats.Wakeups, formats.Returns}

// delays are by how much wake-ups were later than the earliest, of one stage.
type delays struct {
	stage formats.Kind
	measured.Histogram
}

// addHistograms adds the lengths of the histograms of a file. It fails if one lacks the time over
// which its lengths were seen.
func (im *importer) addHistograms(all []formats.Histogram) error {
	last := 0
	for _, h := range all {
		if len(h.Bins) > 0 {
			last = max(last, slices.Index(stages, h.Kind))
		}
	}
	for _, h := range all {
		switch {
		case h.Samples > 0 && len(h.Bins) == 0 && h.OverMean == 0:
			im.say("  %s: %d %s of at most %s, without a histogram of no use for a profile", h.Column,
				h.Samples, h.Kind, output.Seconds(h.Most))
		case h.Kind == formats.Detours:
			if err := im.addDetours(h); err != nil {
				return err
			}
		case h.Kind == stages[last]:
			im.addDelays(h)
		default:
			im.say("  %s: %d %s, which are part of the %s", h.Column, h.Samples, h.Kind, stages[last])
		}
	}
	return nil
}

func (im *importer) addDetours(h formats.Histogram) error {
	span := cmp.Or(h.Span, im.span)
	if span == 0 {
		return errors.New("the histogram does not say over which time it was taken; give --span, such as 60s")
	}
	im.detours.Span += span
	im.detours.Cores++
	if h.Samples == 0 { // a core without noise
		im.detours.Values, im.detours.Counts = append(im.detours.Values, 0), append(im.detours.Counts, 0)
		im.say("  %s: none in %s", h.Column, output.Seconds(span))
		return nil
	}
	taken := addBins(&im.detours, h, 0)
	im.say("  %s: %d detours in %s take %.3g%% of the time", h.Column, h.Samples, output.Seconds(span),
		100*taken/span)
	return nil
}

// addDelays adds what exceeds the least of the delays, since waking a thread takes some time
// without noise too. A least that is rounded down is half a unit longer. The delays of the last
// stage replace lengths of other stages.
func (im *importer) addDelays(h formats.Histogram) {
	if slices.Index(stages, h.Kind) > slices.Index(stages, im.delays.stage) {
		im.delays = delays{h.Kind, measured.Histogram{Wakeups: true}}
	}
	if h.Kind != im.delays.stage || len(h.Bins) == 0 {
		return
	}
	least := cmp.Or(h.Least, h.Bins[0].From)
	im.delays.Cores++
	addBins(&im.delays.Histogram, h, least+h.Unit/2)
	im.say("  %s: %d %s, at least %s", h.Column, h.Samples, h.Kind, output.Seconds(least))
}

// addBins adds to lengths the lengths of the histogram beyond the least [s], in the middle of their
// bins; with a least, the first bin adds none. Of the lengths beyond the bins, one is the longest,
// and the others are as long as [beyond] returns. It returns the sum [s] of what it adds.
func addBins(lengths *measured.Histogram, h formats.Histogram, least float64) (sum float64) {
	add := func(length, count float64) {
		length = max(0, length-least)
		lengths.Values, lengths.Counts = append(lengths.Values, length), append(lengths.Counts, count)
		sum += count * length
	}
	for i, b := range h.Bins {
		length := (b.From + b.To) / 2
		if h.Kind != formats.Detours && i == 0 {
			length = least
		}
		add(length, float64(b.Count))
	}
	if h.Over > 0 {
		length, longest := beyond(h)
		add(length, float64(h.Over-1))
		add(longest, 1)
	}
	return sum
}

// beyond returns the length [s] of the samples beyond the bins, and the length of the longest. They
// have the mean that was estimated, and otherwise are in the middle between the bins and the longest.
func beyond(h formats.Histogram) (length, longest float64) {
	end := 0.0
	if n := len(h.Bins); n > 0 {
		end = h.Bins[n-1].To
	}
	longest = max(end, h.Most)
	if h.OverMean > 0 && h.Over > 1 {
		others := (h.OverMean*float64(h.Over) - longest) / float64(h.Over-1)
		return min(max(others, end), longest), longest
	}
	return (end + longest) / 2, longest
}

// ofCores matches what follows the name of a node in the name of a file: the cores that were
// measured.
var ofCores = regexp.MustCompile(`[-.]core[0-9][0-9,-]*$`)

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inFleet returns the name of a file for cores of this node in a directory, which it creates.
func inFleet(dir, cores string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	if err := datasets.MakeDir(dir); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	return filepath.Join(dir, host+"-core"+cores+".parquet"), nil
}

// importFleet writes a profile of the nodes whose files are in a directory.
func (o *importOptions) importFleet(directories []string, out, errs io.Writer) error {
	dir := directories[0]
	switch {
	case len(directories) > 1:
		return fmt.Errorf("%s: a fleet is one directory; leave out %s", dir, strings.Join(directories[1:], ", "))
	case o.showOnly || o.replay || o.latency != nil:
		return fmt.Errorf("%s: --check, --replay and --latency apply to files, not to a fleet; "+
			"leave them out, or import the files of one node by their names", dir)
	}
	nodes, err := o.readFleet(dir)
	if err != nil {
		return err
	}
	p, groups, err := measured.FitFleet(nodes, cmp.Or(o.name, baseName(filepath.Clean(dir))))
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	own := origin("jitterfly import", fmt.Sprintf("%d nodes", len(nodes)))
	p.Provenance = append(own, p.Provenance...)
	o.remark(errs, fleetLines(groups, len(nodes))...)
	return writeProfile(out, o.out, p)
}

// readFleet reads the nodes of a directory, in the order of their names. Files of a node are those
// whose names differ only in the cores or the ending; profiles, which the command measure writes too,
// are left out, and what is no regular file.
func (o *importOptions) readFleet(dir string) ([]measured.Node, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, datasets.FileError(dir, err)
	}
	nodes, before := map[string]*measured.Node{}, formats.Kind("")
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if !ofNode(path) {
			continue
		}
		im, err := o.readNode(path)
		if err != nil {
			return nil, err
		}
		if own := im.delays.stage; before != "" && own != "" && before != own {
			return nil, fmt.Errorf("%s: it has %s, and files before it %s; run the tool with the same options on "+
				"all nodes", path, own, before)
		}
		before = cmp.Or(im.delays.stage, before)
		name := ofCores.ReplaceAllString(baseName(path), "")
		if nodes[name] == nil {
			nodes[name] = &measured.Node{Name: name}
		}
		if err := nodes[name].Add(im.trace, im.lengths()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(nodes) == 0 {
		return nil, errors.New(dir + ": it has no file with measurements")
	}
	names := slices.Sorted(maps.Keys(nodes))
	return vector.Each(names, func(name string) measured.Node { return *nodes[name] }), nil
}

// ofNode reports whether a path is of a file with a node's measurements, by its name and its kind.
func ofNode(path string) bool {
	ending := filepath.Ext(formats.Unpacked(filepath.Base(path)))
	if strings.HasPrefix(filepath.Base(path), ".") || ending == ".yaml" || ending == ".yml" {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular() // from a pipe, reading may never end
}

// readNode reads a file of a node. It fails if the file has nothing that shows how nodes differ.
func (o *importOptions) readNode(path string) (importer, error) {
	im, err := o.read(nil, path)
	switch {
	case err != nil, len(im.trace.Cores) > 0, im.lengths() != nil:
		return im, err
	case im.instead != nil:
		return im, fmt.Errorf("%s: %s", path, im.instead[0])
	}
	return im, fmt.Errorf("%s: it has no detours, nor histograms of them, which show how nodes differ; "+
		"remove it, or measure the node with another tool", path)
}

// lengths returns the histogram of a file without a trace, nil if it has none.
func (im *importer) lengths() *measured.Histogram {
	switch {
	case im.detours.Cores > 0:
		return &im.detours
	case im.delays.Cores > 0:
		return &im.delays.Histogram
	}
	return nil
}

// fewNodes is the number of nodes below which histograms show only drastic differences: their spread is
// not known well.
const fewNodes = 8

// fleetLines says which nodes are odd, and why.
func fleetLines(groups []measured.Group, nodes int) []string {
	if len(groups) == 1 {
		lines := []string{fmt.Sprintf("%d nodes, without differences in their files", nodes)}
		if nodes < fewNodes && groups[0].Nodes[0].Lengths != nil {
			lines = append(lines, fmt.Sprintf("histograms of fewer than %d nodes show drastic differences only; "+
				"jitterfly measure --out fleet/ records times, which show more", fewNodes))
		}
		return lines
	}
	lines := []string{fmt.Sprintf("%d nodes, %d of them usual", nodes, len(groups[0].Nodes))}
	for _, g := range groups[1:] {
		lines = append(lines, fmt.Sprintf("%s: %s", g.Names(), strings.Join(g.Odd, "; ")))
	}
	return lines
}
