package noise

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/fit"
	"jitterfly/noise/measured"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// An importer collects what several files of measurements say of one machine.
type importer struct {
	bytes    float64 // size of the messages whose α and β are taken
	interval float64 // between samples [s], where the file does not say; 0 if unknown

	trace   trace.Trace
	lengths fit.Histogram
	wakeups bool
	network profile.Network
	tools   []string
	sources []string
	facts   []profile.Note
	lines   []string // what was found, for the user
}

// add adds the measurement of a file. It fails if the file is of no use.
func (im *importer) add(m measured.Measurement, name string) error {
	if !slices.Contains(im.tools, m.Tool) {
		im.tools = append(im.tools, m.Tool)
	}
	im.sources = append(im.sources, filepath.Base(name))
	for _, f := range m.Provenance {
		note := profile.Note{Key: f.Name, Text: f.Value}
		same := func(n profile.Note) bool { return n.Key == note.Key }
		if !slices.ContainsFunc(im.facts, same) && !slices.Contains(ownNotes, note.Key) {
			im.facts = append(im.facts, note)
		}
	}
	im.say("%s: %s, %d lines", name, m.Tool, m.Lines)
	for _, s := range m.Skipped {
		im.say("  skipped %d from line %d: %s", s.Count, s.Line, s.Reason)
	}
	for _, note := range m.Notes {
		im.say("  %s", note)
	}
	if t := m.Trace; t != nil {
		im.trace.Cores = append(im.trace.Cores, t.Cores...)
		im.trace.Resolution = max(im.trace.Resolution, t.Resolution)
		im.say("  %d detours of %d cores or runs take %.3g %% of the time",
			len(t.Lengths()), len(t.Cores), 100*t.Overhead())
		if m.Merged > 0 {
			im.say("  %d detours overlap others and are merged with them", m.Merged)
		}
	}
	for _, h := range m.Histograms {
		if err := im.addHistogram(h); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, c := range m.Curves {
		im.addCurve(c)
	}
	im.addLogGP(m.LogGP)
	im.addBench(m.Bench)
	return nil
}

// ownNotes are the notes that the provenance of every profile has.
var ownNotes = []string{"tool", "source", "cores", "span"}

// say adds a line for the user.
func (im *importer) say(format string, args ...any) {
	im.lines = append(im.lines, fmt.Sprintf(format, args...))
}

// addHistogram adds the lengths of a histogram. Of wake-ups these are what exceeds the
// minimum, since waking a thread takes some time without noise too.
func (im *importer) addHistogram(h measured.Histogram) error {
	if h.Samples == 0 { // a core without noise
		im.lengths.Values, im.lengths.Counts = append(im.lengths.Values, 0), append(im.lengths.Counts, 0)
		im.lengths.Span += h.Span
		im.say("  %s: none in %s", h.Column, output.Seconds(h.Span))
		return nil
	}
	if len(h.Bins) == 0 {
		im.say("  %s: %d %s of at most %s, without a histogram of no use for a profile",
			h.Column, h.Samples, h.Kind, output.Seconds(h.Most))
		return nil
	}
	span := h.Span
	if span == 0 {
		interval := h.Interval
		if interval == 0 {
			interval = im.interval
		}
		span = interval * float64(h.Samples)
	}
	if span == 0 {
		return errors.New("the histogram does not tell the time between its samples; " +
			"give --interval, such as 1ms, the default of cyclictest")
	}
	least := 0.0
	if h.Kind == measured.Wakeups {
		im.wakeups = true
		if least = h.Least; len(h.Bins) > 0 && least == 0 {
			least = h.Bins[0].From
		}
	}
	for i, b := range h.Bins {
		length := (b.From + b.To) / 2
		if b.From <= least || i == 0 && h.Kind == measured.Wakeups {
			length = least
		}
		im.lengths.Values = append(im.lengths.Values, max(0, length-least))
		im.lengths.Counts = append(im.lengths.Counts, float64(b.Count))
	}
	if h.Over > 0 && h.Most > 0 {
		im.lengths.Values = append(im.lengths.Values, h.Most-least)
		im.lengths.Counts = append(im.lengths.Counts, float64(h.Over))
	}
	im.lengths.Span += span
	im.say("  %s: %d %s in %s", h.Column, h.Samples, h.Kind, output.Seconds(span))
	return nil
}

// addCurve fits α and β of the protocol that is used for messages of the size asked for.
func (im *importer) addCurve(c measured.Curve) {
	if c.Pattern != measured.OneWay {
		im.say("  %s of %d processes: times of whole collectives, of no use for a profile",
			c.Operation, c.Processes)
		return
	}
	f, err := measured.FitCurve(c.Points)
	if err != nil {
		im.say("  %s: %v", c.Operation, err)
		return
	}
	segment := f.At(im.bytes)
	for _, s := range f.Segments {
		mark := ""
		if s == segment && len(f.Segments) > 1 {
			mark = ", which is used"
		}
		bandwidth := "no limit of bandwidth"
		if s.Beta > 0 {
			bandwidth = "1/β = " + units.Format(units.Rate, 1/s.Beta, 3)
		}
		im.say("  %s, %s to %s: α = %s, %s; residual %.1f %%, at most %.1f %%%s", c.Operation,
			units.Format(units.Size, s.From, 3), units.Format(units.Size, s.To, 3),
			output.Seconds(s.Alpha), bandwidth, 100*s.RMS, 100*s.Largest, mark)
	}
	im.network.Latency = new(rounded(segment.Alpha))
	if segment.Beta > 0 {
		im.network.Bandwidth = new(rounded(1 / segment.Beta))
	}
	im.addLatencies(c.Points)
}

// addLatencies makes network noise of the quantiles of the latency, if the tool gives any,
// at the size nearest to the one asked for: of what exceeds the minimum.
func (im *importer) addLatencies(points []measured.Point) {
	var nearest *measured.Point
	for i, p := range points {
		if len(p.Quantiles) == 0 || p.Most <= p.Least {
			continue
		}
		if nearest == nil || math.Abs(p.Size-im.bytes) < math.Abs(nearest.Size-im.bytes) {
			nearest = &points[i]
		}
	}
	if nearest == nil {
		return
	}
	excess := noise.Empirical{Points: []noise.Quantile{{Share: 0, Length: 0}}}
	for _, q := range nearest.Quantiles {
		if last := excess.Points[len(excess.Points)-1]; q.Share > last.Share && q.Share < 1 {
			length := max(last.Length, rounded(q.Length-nearest.Least))
			excess.Points = append(excess.Points, noise.Quantile{Share: q.Share, Length: length})
		}
	}
	last := excess.Points[len(excess.Points)-1]
	length := max(last.Length, rounded(nearest.Most-nearest.Least))
	excess.Points = append(excess.Points, noise.Quantile{Share: 1, Length: length})
	if excess.Check() != nil {
		return
	}
	im.network.Noise = &profile.MessageNoise{Duration: excess}
	im.network.Latency = new(rounded(max(0, *im.network.Latency-(nearest.Seconds-nearest.Least))))
	im.say("  latencies of %s: noise of the network, beyond the minimum",
		units.Format(units.Size, nearest.Size, 3))
}

// addLogGP uses the parameters at the size nearest to the one asked for.
func (im *importer) addLogGP(sizes []measured.LogGP) {
	if len(sizes) == 0 {
		return
	}
	p := slices.MinFunc(sizes, func(a, b measured.LogGP) int {
		return int(math.Copysign(1, math.Abs(a.Size-im.bytes)-math.Abs(b.Size-im.bytes)))
	})
	set := func(to **float64, x float64) {
		if x >= 0 && !math.IsInf(x, 1) {
			*to = new(rounded(x))
		}
	}
	set(&im.network.Latency, p.L)
	set(&im.network.Overhead, (p.Os+p.Or)/2)
	set(&im.network.Gap, p.Gs)
	if p.G > 0 {
		set(&im.network.Bandwidth, 1/p.G)
	}
	im.say("  LogGP at %s: L = %s, o = %s and %s, g = %s, G = %.3g s/B",
		units.Format(units.Size, p.Size, 3), output.Seconds(p.L),
		output.Seconds(p.Os), output.Seconds(p.Or), output.Seconds(p.Gs), p.G)
}

// addBench uses what a benchmark of the MPI library measured, if there is one.
func (im *importer) addBench(b *measured.Bench) {
	if b == nil {
		return
	}
	im.network.Latency = new(rounded(b.Latency))
	im.network.SendOverhead = new(rounded(b.SendOverhead))
	bandwidth := "no bandwidth"
	if b.Bandwidth > 0 {
		im.network.Bandwidth = new(rounded(b.Bandwidth))
		bandwidth = "1/β = " + units.Format(units.Rate, b.Bandwidth, 3)
	}
	im.say("  %d operations of %d ranks; α = %s, %s, c = %s", len(b.Operations), b.Ranks,
		output.Seconds(b.Latency), bandwidth, output.Seconds(b.SendOverhead))
}

// rounded returns x with five digits, as many as a measurement of a network has.
func rounded(x float64) float64 {
	text := strconv.FormatFloat(x, 'g', 5, 64)
	x, _ = strconv.ParseFloat(text, 64) // the text is a number
	return x
}

// profile fits what the files say. It fails if there is nothing to fit.
func (im *importer) profile(name string) (profile.Profile, error) {
	p := profile.Profile{Name: name}
	if len(im.trace.Cores) == 0 && len(im.lengths.Values) == 0 && im.network == (profile.Network{}) {
		return p, errors.New("there is nothing for a profile: " +
			"no detours, no lengths of them, no latencies of messages")
	}
	var err error
	switch {
	case len(im.trace.Cores) > 0:
		p, err = fit.Trace(im.trace, name)
	case len(im.lengths.Values) > 0:
		p, err = fit.Lengths(im.lengths, name)
		if im.wakeups {
			p.Caveats = append(p.Caveats, "Lengths are by how much wake-ups were later than "+
				"the earliest; how long a detour lasted before that is not known.")
		}
	}
	if err != nil {
		return p, err
	}
	p.Network = im.network
	own := []profile.Note{
		{Key: "tool", Text: strings.Join(im.tools, ", ")},
		{Key: "source", Text: strings.Join(im.sources, ", ")},
	}
	p.Provenance = slices.Concat(own, p.Provenance, im.facts)
	return p, p.Check()
}
