package figures

import (
	"image/color"

	"gonum.org/v1/plot/vg/draw"

	"jitterfly/internal/units"
)

// A Chart is a diagram of lines, as in papers.
type Chart struct {
	Title string
	X, Y  ChartAxis
	Lines []Line
}

// A ChartAxis is an axis of a chart, which spans the values. It is logarithmic if the ratio of the
// largest to the smallest value is large.
type ChartAxis struct {
	Name      string
	Dimension units.Dimension
	Whole     bool
}

// A Line is a line of a chart.
type Line struct {
	Label        string
	X, Y         []float64
	Dashed, Dots bool
	Color        int // number of the colour, from 0
}

// lineColors are the colours of a chart's lines.
var lineColors = []color.NRGBA{vermillion, blue, green, orange, black, grey}

// lineStyle returns the style of the i-th line of a figure, which is broken where the colours are those of
// earlier lines.
func lineStyle(i int) draw.LineStyle {
	style := draw.LineStyle{Color: lineColors[i%len(lineColors)], Width: 1.4}
	if i >= len(lineColors) {
		style.Dashes = dash
	}
	return style
}

// Figure returns the chart as a figure of that name.
func (c Chart) Figure(name string) Figure {
	var xs, ys []float64
	for _, l := range c.Lines {
		xs, ys = append(xs, l.X...), append(ys, l.Y...)
	}
	x, y := newScale(c.X.Dimension, c.X.Whole, xs), newScale(c.Y.Dimension, c.Y.Whole, ys)
	d := newDiagram(Layout{}, name, c.Title, x.padded(0.02), y.padded(0.02), c.X.Name, c.Y.Name)
	var curves []curve
	for _, l := range c.Lines {
		line := curve{style: lineStyle(l.Color)}
		if l.Dashed {
			line.style.Dashes = dash
		}
		for i := range l.X {
			add(&line.points, x.at(l.X[i]), y.at(l.Y[i]))
		}
		d.explain(l.Label, line.style, false)
		if l.Dots {
			dot := draw.GlyphStyle{Color: line.style.Color, Radius: 2.5, Shape: draw.CircleGlyph{}}
			d.legend[len(d.legend)-1].glyph = &dot
			line.glyph, line.marked = dot, line.points
			line.glyph.Radius = 2
		}
		curves = append(curves, line)
	}
	d.panel("", curves)
	return d.figures()[0]
}
