package figures

import (
	"image/color"

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
	// Color is the number of the line's colour in the chart, from 1. With 0 lines have the
	// colours in their order.
	Color int
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

func (a ChartAxis) scale(values []float64) scale {
	from, to := extent(values)
	return newScale(a.Dimension, a.Whole, []float64{from, to})
}

// Figure returns the chart as a figure of that name.
func (c Chart) Figure(name string) Figure {
	var xs, ys []float64
	for _, l := range c.Lines {
		xs, ys = append(xs, l.X...), append(ys, l.Y...)
	}
	x, y := c.X.scale(xs), c.Y.scale(ys)
	d := newDiagram(c.Layout, name, c.Title, x.padded(0.02), y.padded(0.02), c.X.Name, c.Y.Name)
	var curves []curve
	for i, l := range c.Lines {
		if l.Color > 0 {
			i = l.Color - 1
		}
		style := lineStyle(i)
		if l.Dashed {
			style.Dashes = dash
		}
		d.explain(l.Label, style, false)
		if l.Dots {
			d.legend[len(d.legend)-1].glyph = &draw.GlyphStyle{
				Color: style.Color, Radius: 2.5, Shape: draw.CircleGlyph{},
			}
		}
		curves = append(curves, l.curve(x, y, style))
	}
	d.panel("", curves)
	return d.figures()[0]
}

func (l Line) curve(x, y scale, style draw.LineStyle) curve {
	c := curve{style: style}
	for i := range l.X {
		c.add(x.at(l.X[i]), y.at(l.Y[i]))
	}
	if l.Dots {
		c.glyph = draw.GlyphStyle{Color: style.Color, Radius: 2, Shape: draw.CircleGlyph{}}
		c.marked = c.points
	}
	return c
}
