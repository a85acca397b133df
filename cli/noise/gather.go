package noise

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/fit"
	"jitterfly/noise/measured"
	"jitterfly/noise/profile"
	"jitterfly/noise/trace"
)

// A gathering is what several measurements of one machine say together.
type gathering struct {
	bytes    float64 // the size of the messages whose protocol counts
	interval float64 // between samples whose tool does not tell, seconds; 0 is not known

	trace   trace.Trace
	lengths fit.Histogram
	wakeups bool
	network profile.Network
	tools   []string
	sources []string
	facts   []profile.Note
	lines   []string // what was found, for people
}

// add takes in what a file says.
func (g *gathering) add(m measured.Measurement, name string) error {
	if !slices.Contains(g.tools, m.Tool) {
		g.tools = append(g.tools, m.Tool)
	}
	g.sources = append(g.sources, filepath.Base(name))
	for _, f := range m.Provenance {
		note := profile.Note{Key: f.Name, Text: f.Value}
		if !slices.ContainsFunc(g.facts, func(n profile.Note) bool { return n.Key == note.Key }) && !slices.Contains(ownNotes, note.Key) {
			g.facts = append(g.facts, note)
		}
	}
	g.say("%s: %s, %d lines", name, m.Tool, m.Lines)
	for _, s := range m.Skipped {
		g.say("  skipped %d from line %d: %s", s.Count, s.Line, s.Reason)
	}
	for _, note := range m.Notes {
		g.say("  %s", note)
	}
	if t := m.Trace; t != nil {
		g.trace.Cores = append(g.trace.Cores, t.Cores...)
		g.trace.Resolution = max(g.trace.Resolution, t.Resolution)
		g.say("  %d detours of %d cores or runs take %.3g %% of the time", len(t.Lengths()), len(t.Cores), 100*t.Overhead())
		if m.Merged > 0 {
			g.say("  %d detours overlap others and are one with them", m.Merged)
		}
	}
	for _, h := range m.Histograms {
		if err := g.addHistogram(h); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, c := range m.Curves {
		g.addCurve(c)
	}
	g.addLogGP(m.LogGP)
	return nil
}

// ownNotes are what the profile's provenance says anyway.
var ownNotes = []string{"tool", "source", "cores", "span"}

func (g *gathering) say(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

// addHistogram adds lengths. Of wake-ups it is what exceeds the least: a thread that is
// woken takes some time on the quietest core too.
func (g *gathering) addHistogram(h measured.Histogram) error {
	if h.Samples == 0 { // a core without noise
		g.lengths.Values, g.lengths.Counts = append(g.lengths.Values, 0), append(g.lengths.Counts, 0)
		g.lengths.Span += h.Span
		g.say("  %s: none in %s", h.Column, units.Format(units.Time, h.Span, 3))
		return nil
	}
	if len(h.Bins) == 0 {
		g.say("  %s: %d %s of at most %s, without a histogram of no use for a profile", h.Column, h.Samples, h.Kind, units.Format(units.Time, h.Most, 3))
		return nil
	}
	span := h.Span
	if span == 0 {
		interval := h.Interval
		if interval == 0 {
			interval = g.interval
		}
		span = interval * float64(h.Samples)
	}
	if span == 0 {
		return errors.New("the histogram does not tell how far its samples are apart; say so with --interval, such as 1ms, the default of cyclictest")
	}
	least := 0.0
	if h.Kind == measured.Wakeups {
		g.wakeups = true
		if least = h.Least; len(h.Bins) > 0 && least == 0 {
			least = h.Bins[0].From
		}
	}
	for i, b := range h.Bins {
		length := (b.From + b.To) / 2
		if b.From <= least || i == 0 && h.Kind == measured.Wakeups {
			length = least
		}
		g.lengths.Values = append(g.lengths.Values, max(0, length-least))
		g.lengths.Counts = append(g.lengths.Counts, float64(b.Count))
	}
	if h.Over > 0 && h.Most > 0 {
		g.lengths.Values = append(g.lengths.Values, h.Most-least)
		g.lengths.Counts = append(g.lengths.Counts, float64(h.Over))
	}
	g.lengths.Span += span
	g.say("  %s: %d %s in %s", h.Column, h.Samples, h.Kind, units.Format(units.Time, span, 3))
	return nil
}

// addCurve finds α and β of the protocol that serves messages of the size asked
// for.
func (g *gathering) addCurve(c measured.Curve) {
	if c.Pattern != measured.OneWay {
		g.say("  %s of %d processes: times of whole collectives, of no use for a profile", c.Operation, c.Processes)
		return
	}
	f, err := measured.FitCurve(c.Points)
	if err != nil {
		g.say("  %s: %v", c.Operation, err)
		return
	}
	segment := f.At(g.bytes)
	for _, s := range f.Segments {
		mark := ""
		if s == segment && len(f.Segments) > 1 {
			mark = ", which counts"
		}
		bandwidth := "no limit of bandwidth"
		if s.Beta > 0 {
			bandwidth = "1/β = " + units.Format(units.Rate, 1/s.Beta, 3)
		}
		g.say("  %s, %s to %s: α = %s, %s; residual %.1f %%, at most %.1f %%%s", c.Operation, units.Format(units.Size, s.From, 3), units.Format(units.Size, s.To, 3),
			units.Format(units.Time, s.Alpha, 3), bandwidth, 100*s.RMS, 100*s.Largest, mark)
	}
	g.network.Latency = new(rounded(segment.Alpha))
	if segment.Beta > 0 {
		g.network.Bandwidth = new(rounded(1 / segment.Beta))
	}
	g.addLatencies(c.Points)
}

// addLatencies makes noise of the quantiles of the latency, if the tool gives those, of
// the size that is nearest to the one asked for: what exceeds the least.
func (g *gathering) addLatencies(points []measured.Point) {
	var nearest *measured.Point
	for i, p := range points {
		if len(p.Quantiles) == 0 || p.Most <= p.Least {
			continue
		}
		if nearest == nil || math.Abs(p.Size-g.bytes) < math.Abs(nearest.Size-g.bytes) {
			nearest = &points[i]
		}
	}
	if nearest == nil {
		return
	}
	excess := noise.Empirical{Points: []noise.Quantile{{Share: 0, Length: 0}}}
	for _, q := range nearest.Quantiles {
		if last := excess.Points[len(excess.Points)-1]; q.Share > last.Share && q.Share < 1 {
			excess.Points = append(excess.Points, noise.Quantile{Share: q.Share, Length: max(last.Length, rounded(q.Length-nearest.Least))})
		}
	}
	last := excess.Points[len(excess.Points)-1]
	excess.Points = append(excess.Points, noise.Quantile{Share: 1, Length: max(last.Length, rounded(nearest.Most-nearest.Least))})
	if excess.Check() != nil {
		return
	}
	g.network.Noise = &profile.MessageNoise{Duration: excess}
	g.network.Latency = new(rounded(max(0, *g.network.Latency-(nearest.Seconds-nearest.Least))))
	g.say("  latencies of %s: noise of the network, beyond the least", units.Format(units.Size, nearest.Size, 3))
}

// addLogGP takes the parameters at the size nearest to the one asked for.
func (g *gathering) addLogGP(sizes []measured.LogGP) {
	if len(sizes) == 0 {
		return
	}
	p := slices.MinFunc(sizes, func(a, b measured.LogGP) int {
		return int(math.Copysign(1, math.Abs(a.Size-g.bytes)-math.Abs(b.Size-g.bytes)))
	})
	set := func(to **float64, x float64) {
		if x >= 0 && !math.IsInf(x, 1) {
			*to = new(rounded(x))
		}
	}
	set(&g.network.Latency, p.L)
	set(&g.network.Overhead, (p.Os+p.Or)/2)
	set(&g.network.Gap, p.Gs)
	if p.G > 0 {
		set(&g.network.Bandwidth, 1/p.G)
	}
	g.say("  LogGP at %s: L = %s, o = %s and %s, g = %s, G = %.3g s/B", units.Format(units.Size, p.Size, 3),
		units.Format(units.Time, p.L, 3), units.Format(units.Time, p.Os, 3), units.Format(units.Time, p.Or, 3), units.Format(units.Time, p.Gs, 3), p.G)
}

// rounded leaves the digits that a measurement of the network has.
func rounded(x float64) float64 {
	text := strconv.FormatFloat(x, 'g', 5, 64)
	x, _ = strconv.ParseFloat(text, 64) // which it has just written
	return x
}

// profile fits what was gathered.
func (g *gathering) profile(name string) (profile.Profile, error) {
	p := profile.Profile{Name: name}
	if len(g.trace.Cores) == 0 && len(g.lengths.Values) == 0 && g.network == (profile.Network{}) {
		return p, errors.New("there is nothing for a profile: no detours, no lengths of them, no latencies of messages")
	}
	var err error
	switch {
	case len(g.trace.Cores) > 0:
		p, err = fit.Trace(g.trace, name)
	case len(g.lengths.Values) > 0:
		p, err = fit.Lengths(g.lengths, name)
		if g.wakeups {
			p.Caveats = append(p.Caveats, "Lengths are by how much wake-ups were later than the earliest; how long a detour lasted before that is not known.")
		}
	}
	if err != nil {
		return p, err
	}
	p.Network = g.network
	own := []profile.Note{{Key: "tool", Text: strings.Join(g.tools, ", ")}, {Key: "source", Text: strings.Join(g.sources, ", ")}}
	p.Provenance = slices.Concat(own, p.Provenance, g.facts)
	return p, p.Check()
}
