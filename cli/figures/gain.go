package figures

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/internal/units"
)

// Gain returns figures of what redundancy saves of an iteration over an axis, with a line for each
// T above 0 and a panel for each combination of the values of the other axes.
func (d *Data) Gain(x Axis) []Figure {
	xScale, at := x.of(d.values(x))
	var all []float64
	most := 0
	for i := range d.configs {
		c := &d.configs[i]
		most = max(most, len(c.summary)-1)
		for t := range c.summary[1:] {
			all = append(all, c.gain(t+1))
		}
	}
	if most == 0 {
		return nil
	}
	low, high := extent(append(all, 0))
	yScale := linear(units.Number, low, high).padded(0.04)
	for i, tick := range yScale.ticks {
		if tick.Label != "" {
			yScale.ticks[i].Label = percentTick(tick.Value)
		}
	}
	bar := colorBar{title: "T", color: viridisLines, steps: 96}
	bar.wholes(1, float64(most))
	pg := page{
		name: "gain", title: "What redundancy saves of an iteration, by T",
		Layout: d.Layout, width: curveWidth, least: curveLeast,
		height: shape(curveWidth, curveHeight), bar: &bar,
	}
	var panels []*plot.Plot
	for _, g := range d.groups(d.further(x)) {
		p := newPlot(g.title, xScale.padded(0.02), yScale)
		p.X.Label.Text, p.Y.Label.Text = x.Label, "saved of an iteration"
		p.Add(grid{})
		place := func(c *config) float64 { return at[c.value(x.Column)] }
		slices.SortStableFunc(g.configs, func(a, b *config) int {
			return cmp.Compare(place(a), place(b))
		})
		for t := most; t >= 1; t-- { // the first on top
			var points plotter.XYs
			for _, c := range g.configs {
				if t < len(c.summary) {
					points = append(points, plotter.XY{X: place(c), Y: yScale.at(c.gain(t))})
				}
			}
			addLine(p, points, draw.LineStyle{Color: bar.of(float64(t)), Width: 1.4})
		}
		panels = append(panels, p)
	}
	return pg.figures(panels)
}

// gain returns the share of an iteration that a T saves.
func (c *config) gain(t int) float64 { return 1 - c.summary[t].Mean/c.summary[0].Mean }

// percentTick returns a share in percent.
func percentTick(v float64) string {
	return units.Format(units.Number, math.Round(1e5*v)/1e3, 3) + " %"
}
