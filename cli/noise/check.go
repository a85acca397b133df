package noise

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/internal/rng"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/measured/formats"
	"jitterfly/noise/profile"
)

// check prints what was recognised, skipped and fitted, with a picture of it, or writes
// the picture to a file. It writes no profile.
func (o *importOptions) check(out, errs io.Writer, p profile.Profile, im *importer) error {
	lines := slices.Concat(im.lines, verdict(p))
	if unfit(p) {
		lines = append(lines, "the components below do not stand for the trace: "+
			"import it with --out, which replays it")
	}
	pictures := im.pictures(p)
	if o.out == "" {
		return command.Failure(printCheck(out, lines, pictures, im.curves))
	}
	figure, ok := checkFigure(p.Name, pictures, im.curves)
	if !ok {
		return fmt.Errorf("--out: a single latency gives no picture; use --check without --out")
	}
	content, err := figure.Bytes(strings.TrimPrefix(filepath.Ext(o.out), "."))
	if err != nil {
		return fmt.Errorf("--out: with --check it is a picture, such as check.svg: %w", err)
	}
	if err := figures.Replaceable(o.out); err != nil {
		return err
	}
	o.remark(errs, lines...)
	return command.Failure(datasets.WriteFile(o.out, content))
}

// printCheck prints the lines, a picture of each distribution, and a table of each curve.
func printCheck(out io.Writer, lines []string, pictures []picture, curves []fitted) error {
	screen := output.ScreenOf(out)
	var b strings.Builder
	b.WriteString(screen.Lines(lines))
	for _, pic := range pictures {
		b.WriteString("\n" + pic.text(screen.Width))
	}
	for _, c := range curves {
		t := output.Columns("size", "measured", "α + β·size", "off")
		for _, point := range c.Points {
			fit := c.fit.At(point.Size).Seconds(point.Size)
			t.Append(sizeText(point.Size), output.Seconds(point.Seconds), output.Seconds(fit),
				fmt.Sprintf("%+.1f%%", 100*(fit/point.Seconds-1)))
		}
		fmt.Fprintf(&b, "\n%s:\n\n%s", c.Operation, screen.Table(t))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// text returns the picture in characters: a row for each bin, with a bar of its share.
func (p picture) text(width int) string {
	const columns = 43 // besides the bars
	most := 0.0
	for _, b := range p.bins {
		most = max(most, b.measured, b.drawn)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n\n%*s", p.title, width-10, "measured")
	if p.drawn {
		fmt.Fprintf(&b, " %9s", "profile")
	}
	b.WriteString("\n")
	for _, bin := range p.bins {
		fmt.Fprintf(&b, "%10s – %-9s %-*s %9s", output.Seconds(bin.from),
			output.Seconds(bin.to), width-columns, bar(bin.measured/most, width-columns),
			share(bin.measured))
		if p.drawn {
			fmt.Fprintf(&b, " %9s", share(bin.drawn))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// share formats a share in percent, a dash for none.
func share(x float64) string {
	switch {
	case x == 0:
		return "–"
	case x >= 0.995:
		return "100%"
	}
	return fmt.Sprintf("%.2g%%", 100*x)
}

// bar returns a bar that fills a share of a width, with eighths of characters. Any share
// above 0 is seen.
func bar(share float64, width int) string {
	if share <= 0 {
		return ""
	}
	eighths := max(1, int(math.Round(share*float64(8*width))))
	parts := []rune(" ▏▎▍▌▋▊▉")
	return strings.Repeat("█", eighths/8) + strings.TrimSpace(string(parts[eighths%8]))
}

// checkFigure returns the pictures as lines of one chart, or else the curves. It reports
// whether there is any.
func checkFigure(name string, pictures []picture, curves []fitted) (figures.Figure, bool) {
	time := figures.ChartAxis{Name: "time", Dimension: units.Time}
	if len(pictures) > 0 {
		share := figures.ChartAxis{Name: "share of all, %", Dimension: units.Number}
		chart := figures.Chart{Title: name, X: time, Y: share}
		for i, p := range pictures {
			chart.Lines = append(chart.Lines, p.lines(i)...)
		}
		return chart.Figure(name), true
	}
	size := figures.ChartAxis{Name: "size of messages", Dimension: units.Size}
	chart := figures.Chart{Title: name, X: size, Y: time}
	for i, c := range curves {
		points := figures.Line{Label: c.Operation, Dots: true, Color: i}
		fit := figures.Line{Label: "α + β·size", Dashed: true, Color: i}
		for _, point := range c.Points {
			addPositive(&points, point.Size, point.Seconds)
			addPositive(&fit, point.Size, c.fit.At(point.Size).Seconds(point.Size))
		}
		chart.Lines = append(chart.Lines, points, fit)
	}
	return chart.Figure(name), len(curves) > 0
}

// lines returns the measured distribution and the one of the profile, where they are not 0.
func (p picture) lines(color int) []figures.Line {
	measured := figures.Line{Label: p.title, Dots: true, Color: color}
	drawn := figures.Line{Label: "of the profile", Dashed: true, Color: color}
	for _, b := range p.bins {
		middle := math.Sqrt(b.from * b.to)
		addPositive(&measured, middle, 100*b.measured)
		addPositive(&drawn, middle, 100*b.drawn)
	}
	if !p.drawn {
		return []figures.Line{measured}
	}
	return []figures.Line{measured, drawn}
}

// addPositive adds a point to a line, unless a coordinate is 0.
func addPositive(line *figures.Line, x, y float64) {
	if x > 0 && y > 0 {
		line.X, line.Y = append(line.X, x), append(line.Y, y)
	}
}

type fitted struct {
	formats.Curve
	fit measured.CurveFit
}

// A picture compares the distribution of measured times with a profile's.
type picture struct {
	title string
	bins  []bin
	drawn bool // whether there is one of the profile
}

// A bin has shares of the times [s] from one bound up to but not including the other.
type bin struct{ from, to, measured, drawn float64 }

// once returns times that were seen once each.
func once(times []float64) measured.Histogram {
	return measured.Histogram{Values: times, Counts: slices.Repeat([]float64{1}, len(times))}
}

// mostBins is how many bins a picture has at most.
const mostBins = 16

// newPicture returns a picture of times above 0. Bins end at 1, 2 and 5 times powers of
// ten; beyond mostBins the lowest are merged. Without times it has no bins.
func newPicture(title string, seen, drawn measured.Histogram) picture {
	p := picture{title: title, drawn: len(drawn.Values) > 0}
	low, high := math.Inf(1), 0.0
	for _, w := range []measured.Histogram{seen, drawn} {
		for i, t := range w.Values {
			if t > 0 && w.Counts[i] > 0 {
				low, high = min(low, t), max(high, t)
			}
		}
	}
	if high == 0 {
		return p
	}
	// The logarithm of a time just below a power of ten is rounded up to it.
	for e := math.Floor(math.Log10(low)) - 1; math.Pow(10, e) <= high; e++ {
		one := math.Pow(10, e)
		ends := []float64{one, 2 * one, 5 * one, math.Pow(10, e+1)}
		for i, from := range ends[:3] {
			b := bin{from: from, to: ends[i+1]}
			if b.to > low && b.from <= high {
				p.bins = append(p.bins, b)
			}
		}
	}
	if n := len(p.bins) - mostBins; n > 0 {
		p.bins[n].from = p.bins[0].from
		p.bins = p.bins[n:]
	}
	p.count(seen, func(b *bin) *float64 { return &b.measured })
	p.count(drawn, func(b *bin) *float64 { return &b.drawn })
	return p
}

// count sets the shares of the bins.
func (p *picture) count(w measured.Histogram, of func(*bin) *float64) {
	sum := 0.0
	for i, t := range w.Values {
		if t > 0 {
			sum += w.Counts[i]
		}
	}
	for i, t := range w.Values {
		at := len(p.bins) - 1
		for at > 0 && t < p.bins[at].from {
			at--
		}
		if t > 0 {
			*of(&p.bins[at]) += w.Counts[i] / sum
		}
	}
}

// pictures returns the pictures of the lengths and the gaps of detours, of delays, and of the times
// of messages beyond the least; it leaves out what the profile lacks.
func (im *importer) pictures(p profile.Profile) []picture {
	var all []picture
	switch {
	case len(im.trace.Cores) > 0:
		lengths, drawn := im.trace.Lengths(), drawTrace(p, im.trace)
		if len(lengths) > 0 {
			title := fmt.Sprintf("Lengths of %d detours", len(lengths))
			all = append(all, newPicture(title, once(lengths), once(drawn.Lengths())),
				newPicture("Gaps from one beginning to the next", once(gaps(im.trace)), once(gaps(drawn))))
		}
	case len(im.detours.Values) > 0:
		all = append(all, newPicture("Lengths of detours", im.detours, lengthsOf(p)))
	case len(im.delays.Values) > 0:
		all = append(all, newPicture("Delays of "+string(im.delays.stage)+" beyond the least",
			im.delays.Histogram, lengthsOf(p)))
	}
	if n := p.Network.Noise; n != nil {
		all = append(all, newPicture("Times of messages beyond the least", grid(n.Duration), measured.Histogram{}))
	}
	return slices.DeleteFunc(all, func(p picture) bool { return len(p.bins) == 0 })
}

// gaps returns the times from one detour's beginning to the next one's, on the same core.
func gaps(t noise.Trace) []float64 {
	var all []float64
	for _, c := range t.Cores {
		for i, d := range c.Detours[min(1, len(c.Detours)):] {
			all = append(all, d.Start-c.Detours[i].Start)
		}
	}
	return all
}

// grid returns lengths of a distribution at evenly spaced shares.
func grid(l noise.Length) measured.Histogram {
	const n = 10000
	length := func(i int) float64 { return l.Quantile((float64(i) + 0.5) / n) }
	return once(slices.Collect(vector.Sequence(n, length)))
}

// lengthsOf returns the lengths of a profile of one component.
func lengthsOf(p profile.Profile) measured.Histogram {
	if len(p.OS) == 0 {
		return measured.Histogram{}
	}
	return grid(p.OS[0].Duration)
}

// drawTrace returns a trace of a core with the components of the profile, for as long as the given
// one, though with a bounded number of detours.
func drawTrace(p profile.Profile, like noise.Trace) noise.Trace {
	const most = 2e5
	span := 0.0
	for _, c := range like.Cores {
		span += c.Span
	}
	if rate := p.Rate(); rate*span > most {
		span = most / rate
	}
	core, _, err := noise.NewCore(0, span, p.Draw(rng.NewKey(1, "check"), span))
	if err != nil { // they leave no time between them
		return noise.Trace{}
	}
	return noise.Trace{Cores: []noise.Core{core}}
}
