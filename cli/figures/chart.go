package figures

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/internal/units"
)

// A Chart is a diagram of lines, as in papers.
type Chart struct {
	Title  string
	X, Y   ChartAxis
	Lines  []Line
	Layout Layout
}

// A ChartAxis is an axis of a chart. It is logarithmic if the ratio of the largest to the
// smallest value is large, unless Linear is set.
type ChartAxis struct {
	Name      string
	Dimension units.Dimension
	Whole     bool
	Linear    bool
	// From and To are the ends. If both are 0 the axis spans the values, a linear one from
	// 0 if they are positive.
	From, To float64
}

// A Line is a line of a chart. Low and High are the ends of the intervals around Y, or nil.
type Line struct {
	Label        string
	X, Y         []float64
	Low, High    []float64
	Dashed, Dots bool
	// Color is the number of the line's colour in the chart, from 1. With 0 lines have the
	// colours in their order.
	Color int
}

// lineColors are the colours of a chart's lines.
var lineColors = []color.NRGBA{vermillion, blue, green, orange, black, grey}

// scale returns the scale of the axis for these values.
func (a ChartAxis) scale(values []float64) scale {
	from, to := a.From, a.To
	if from == 0 && to == 0 {
		from, to = extent(values)
		if a.Linear {
			from = min(from, 0)
		}
	}
	switch {
	case a.Linear && a.Whole:
		return whole(from, to)
	case a.Linear:
		return linear(a.Dimension, from, to)
	}
	return newScale(a.Dimension, a.Whole, []float64{from, to})
}

// Figure returns the chart as a figure of that name.
func (c Chart) Figure(name string) Figure {
	var xs, ys []float64
	for _, l := range c.Lines {
		xs, ys = append(xs, l.X...), slices.Concat(ys, l.Y, l.High)
	}
	x, y := c.X.scale(xs), c.Y.scale(ys)
	pg := page{
		Layout: c.Layout, name: name, title: c.Title, width: curveWidth,
		height: shape(curveWidth, curveHeight),
	}
	p := newPlot("", x.padded(0.02), y.padded(0.02))
	p.X.Label.Text, p.Y.Label.Text = c.X.Name, c.Y.Name
	p.Add(grid{})
	for i, l := range c.Lines {
		place := i
		if l.Color > 0 {
			place = l.Color - 1
		}
		style := draw.LineStyle{Color: lineColors[place%len(lineColors)], Width: 1.4}
		if l.Dashed || place >= len(lineColors) {
			style.Dashes = dash
		}
		e := entry{label: l.Label, line: style}
		if l.Low != nil {
			e.fill = &area{color: shade(style)}
		}
		if l.Dots {
			e.glyph = &draw.GlyphStyle{Color: style.Color, Radius: 2.5, Shape: draw.CircleGlyph{}}
		}
		pg.legend = append(pg.legend, e)
		l.add(p, x, y, style, e.glyph)
	}
	return pg.figure([]*plot.Plot{p})
}

// add adds the line and its band to a plot. It skips points outside the domain of a scale.
func (l Line) add(p *plot.Plot, x, y scale, style draw.LineStyle, dots *draw.GlyphStyle) {
	var points, lows, highs plotter.XYs
	for i := range l.X {
		at := plotter.XY{X: x.at(l.X[i]), Y: y.at(l.Y[i])}
		if !finite(at.X) || !finite(at.Y) {
			continue
		}
		points = append(points, at)
		if l.Low != nil {
			low := y.at(l.Low[i])
			if !finite(low) {
				low = y.low
			}
			lows = append(lows, plotter.XY{X: at.X, Y: max(low, y.low)})
			highs = append(highs, plotter.XY{X: at.X, Y: min(y.at(l.High[i]), y.top)})
		}
	}
	if len(lows) > 1 {
		slices.Reverse(highs)
		p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(lows, highs...)}, Color: shade(style)})
	}
	addLine(p, points, style)
	if dots != nil && len(points) > 0 {
		style := draw.GlyphStyle{Color: dots.Color, Radius: vg.Length(2), Shape: dots.Shape}
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: style})
	}
}
