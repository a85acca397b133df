package figures

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/study"
	"jitterfly/internal/units"
)

// Sizes of the panels of curves, in points.
const (
	curveWidth  = 370
	curveHeight = 250
	curveLeast  = 165
)

// dash is the pattern of broken lines.
var dash = []vg.Length{4, 2}

// ring marks the choice of a study.
var ring = draw.GlyphStyle{Color: black, Radius: 3, Shape: draw.RingGlyph{}}

// A curve is a line through points at positions on the axes of a diagram.
type curve struct {
	style       draw.LineStyle
	points      plotter.XYs
	lows, highs plotter.XYs // ends of the band around it, or none
	glyph       draw.GlyphStyle
	marked      plotter.XYs // points with the glyph
}

// add adds a point to others, unless it is outside the domain of an axis.
func add(to *plotter.XYs, x, y float64) {
	if finite(x) && finite(y) {
		*to = append(*to, plotter.XY{X: x, Y: y})
	}
}

// widen adds the ends of an interval to the band, clipped to the scale of the values.
func (c *curve) widen(x, low, high float64, s scale) {
	bottom, top := s.at(low), s.at(high)
	if !finite(x) || !finite(top) {
		return
	}
	if !finite(bottom) {
		bottom = s.low
	}
	c.lows = append(c.lows, plotter.XY{X: x, Y: max(bottom, s.low)})
	c.highs = append(c.highs, plotter.XY{X: x, Y: min(top, s.top)})
}

// shade returns the colour of a line's band.
func shade(style draw.LineStyle) color.NRGBA {
	return translucent(style.Color.(color.NRGBA), 70)
}

// A diagram is panels of curves over the same axes.
type diagram struct {
	page
	x, y         scale
	xName, yName string
}

// newDiagram returns a diagram without panels.
func newDiagram(l Layout, name, title string, x, y scale, xName, yName string) *diagram {
	return &diagram{
		page: page{
			Layout: l, name: name, title: title, width: curveWidth, least: curveLeast,
			height: shape(curveWidth, curveHeight),
		},
		x: x, y: y, xName: xName, yName: yName,
	}
}

// explain adds an entry to the legend: the label of a line, and its band if it has one.
func (d *diagram) explain(label string, line draw.LineStyle, band bool) {
	e := entry{label: label, line: line}
	if band {
		e.fill = &area{color: shade(line)}
	}
	d.legend = append(d.legend, e)
}

// panel adds a panel, with the bands of all curves below their lines.
func (d *diagram) panel(title string, curves []curve) {
	p := newPlot(title, d.x, d.y)
	p.X.Label.Text, p.Y.Label.Text = d.xName, d.yName
	p.Add(&plotter.Grid{Vertical: gridLine, Horizontal: gridLine})
	for _, c := range curves {
		if len(c.lows) > 1 {
			slices.Reverse(c.highs)
			band := slices.Concat(c.lows, c.highs)
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{band}, Color: shade(c.style)})
		}
	}
	for _, c := range curves {
		if len(c.points) == 1 { // a line would not be seen
			dot := draw.GlyphStyle{Color: c.style.Color, Radius: 2, Shape: draw.CircleGlyph{}}
			p.Add(&plotter.Scatter{XYs: c.points, GlyphStyle: dot})
		} else if len(c.points) > 1 {
			p.Add(&plotter.Line{XYs: c.points, LineStyle: c.style})
		}
		if len(c.marked) > 0 {
			p.Add(&plotter.Scatter{XYs: c.marked, GlyphStyle: c.glyph})
		}
	}
	d.panels = append(d.panels, p)
}

// along returns the scale of an axis of the study, the positions of configurations on it, and the
// configurations of each panel in the order of their positions and of their numbers of sources. A panel
// has all values of the other axes given.
func (d *Data) along(x *study.Key, others ...*study.Key) (s scale, at func(*config) float64, panels []group) {
	values, _ := d.values(x)
	s, places := scaleOf(x, values)
	at = func(c *config) float64 { return places[c.value(x)] }
	panels = d.groups(d.further(append([]*study.Key{x}, others...)...))
	for _, g := range panels {
		slices.SortStableFunc(g.configs, func(a, b *config) int {
			return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.choice.Sources, b.choice.Sources))
		})
	}
	return s.padded(0.02), at, panels
}

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
