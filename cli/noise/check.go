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
	"jitterfly/internal/units"
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
	o.remark(errs, lines)
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
		t := output.Table{}
		t.Add(output.Column{}, "size", "measured", "α + β·size", "off")
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
