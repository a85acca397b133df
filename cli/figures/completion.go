package figures

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/datasets"
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

// Lines of completion times.
var (
	plain      = draw.LineStyle{Color: vermillion, Width: 1.4}
	redundant  = draw.LineStyle{Color: blue, Width: 1.4}
	noiseFree  = draw.LineStyle{Color: black, Width: 0.9, Dashes: dash}
	lowerBound = draw.LineStyle{Color: green, Width: 1.1, Dashes: []vg.Length{1, 1.5}}
)

// A series is a line of completion times over an axis: a value of each configuration and,
// unless band is nil, its confidence interval.
type series struct {
	label string
	style draw.LineStyle
	value func(*config) float64
	band  func(*config) (low, high float64)
}

// interval returns the confidence interval of the mean.
func interval(s datasets.Measures) (low, high float64) { return s.Low, s.High }

// completions are the series of the figure "completion".
var completions = []series{
	{"T = 0, mean with its confidence interval", plain,
		func(c *config) float64 { return c.summary[0].Mean },
		func(c *config) (float64, float64) { return interval(c.summary[0]) }},
	{"T*, mean with its confidence interval", redundant,
		func(c *config) float64 { return c.star().Mean },
		func(c *config) (float64, float64) { return interval(c.star()) }},
	{"without noise", noiseFree, func(c *config) float64 { return c.summary[0].NoiseFree }, nil},
	{"lower bound for any redundancy", lowerBound,
		func(c *config) float64 { return c.summary[0].LowerBound }, nil},
}

// Completion returns figures of the completion time over an axis, with a panel for each
// combination of the values of the other axes.
func (d *Data) Completion(x Axis) []Figure {
	xScale, at := x.of(d.values(x))
	var all []float64
	for i := range d.configs {
		for _, s := range completions {
			all = append(all, s.value(&d.configs[i]))
		}
	}
	yScale := newScale(units.Time, false, positive(all)).padded(0.04)
	pg := page{
		name: "completion", title: "Completion time against " + x.Label,
		Layout: d.Layout, width: curveWidth, least: curveLeast,
		height: shape(curveWidth, curveHeight),
	}
	for _, s := range completions {
		e := entry{label: s.label, line: s.style}
		if s.band != nil {
			e.fill = &area{color: shade(s.style)}
		}
		pg.legend = append(pg.legend, e)
	}
	var panels []*plot.Plot
	for _, g := range d.groups(d.further(x)) {
		p := newPlot(g.title, xScale.padded(0.02), yScale)
		p.X.Label.Text, p.Y.Label.Text = x.Label, "completion time"
		p.Add(grid{})
		place := func(c *config) float64 { return at[c.value(x.Column)] }
		slices.SortStableFunc(g.configs, func(a, b *config) int {
			return cmp.Compare(place(a), place(b))
		})
		for _, s := range completions {
			if s.band != nil {
				addBand(p, g.configs, place, yScale, s)
			}
		}
		for _, s := range completions {
			var points plotter.XYs
			for _, c := range g.configs {
				if y := yScale.at(s.value(c)); finite(y) {
					points = append(points, plotter.XY{X: place(c), Y: y})
				}
			}
			addLine(p, points, s.style)
		}
		panels = append(panels, p)
	}
	return pg.figures(panels)
}

// shade returns the colour of a line's band.
func shade(style draw.LineStyle) color.NRGBA {
	return translucent(style.Color.(color.NRGBA), 70)
}

// positive returns the values above 0.
func positive(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) })
}

// addBand adds the area between the ends of intervals to a plot, clipped to the scale.
func addBand(p *plot.Plot, configs []*config, place func(*config) float64, y scale, s series) {
	var lows, highs plotter.XYs
	for _, c := range configs {
		low, high := s.band(c)
		if !finite(y.at(high)) {
			continue
		}
		bottom := y.at(low)
		if !finite(bottom) || bottom < y.low {
			bottom = y.low
		}
		lows = append(lows, plotter.XY{X: place(c), Y: bottom})
		highs = append(highs, plotter.XY{X: place(c), Y: min(y.at(high), y.top)})
	}
	if len(lows) < 2 {
		return
	}
	slices.Reverse(highs)
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(lows, highs...)}, Color: shade(s.style)})
}

// addLine adds a line through points to a plot, if there are any.
func addLine(p *plot.Plot, points plotter.XYs, style draw.LineStyle) {
	if len(points) > 0 {
		p.Add(&plotter.Line{XYs: points, LineStyle: style})
	}
}
