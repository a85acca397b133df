package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/internal/units"
)

// Redundancy returns figures of the mean completion time over T, with a line for each value of
// an axis, and a panel for each combination of the values of the other axes.
func (d *Data) Redundancy(lines Axis) []Figure {
	values := d.values(lines)
	rank := places(values)
	bar := colorBar{
		title: lines.Label, scale: categories(lines, values),
		color: viridisLines, steps: len(values), cells: true,
	}
	var all []float64
	most := 0
	for i := range d.configs {
		most = max(most, len(d.configs[i].summary)-1)
		for _, s := range d.configs[i].summary {
			all = append(all, s.Mean)
		}
	}
	xScale := whole(0, float64(most))
	yScale := newScale(units.Time, false, positive(all)).padded(0.04)
	ring := draw.GlyphStyle{Color: black, Radius: 3, Shape: draw.RingGlyph{}}
	pg := page{
		name: "redundancy", title: "Mean completion time against T, the number of redundant exchanges",
		Layout: d.Layout, width: curveWidth, least: curveLeast,
		height: shape(curveWidth, curveHeight),
		legend: []entry{{label: "T*", glyph: &ring}},
	}
	if len(values) > 1 {
		pg.bar = &bar
	}
	var panels []*plot.Plot
	for _, g := range d.groups(d.further(lines)) {
		p := newPlot(g.title, xScale.padded(0.02), yScale)
		p.X.Label.Text, p.Y.Label.Text = "T", "mean completion time"
		p.Add(grid{})
		for _, c := range g.configs {
			style := draw.LineStyle{Color: bar.of(float64(rank[c.value(lines.Column)])), Width: 1.2}
			addCurve(p, c, yScale, style, ring)
		}
		panels = append(panels, p)
	}
	return pg.figures(panels)
}

// addCurve adds the line of one configuration over T to a plot.
func addCurve(p *plot.Plot, c *config, y scale, style draw.LineStyle, star draw.GlyphStyle) {
	var points plotter.XYs
	for t, s := range c.summary {
		if v := y.at(s.Mean); finite(v) {
			points = append(points, plotter.XY{X: float64(t), Y: v})
		}
	}
	addLine(p, points, style)
	if v := y.at(c.star().Mean); finite(v) {
		at := plotter.XYs{{X: float64(c.choice.Star), Y: v}}
		p.Add(&plotter.Scatter{XYs: at, GlyphStyle: star})
	}
}

// viridisLines returns a colour of viridis without its end that is too light for lines.
func viridisLines(share float64) color.NRGBA { return viridis(0.92 * share) }
