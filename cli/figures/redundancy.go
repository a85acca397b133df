package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/study"
	"jitterfly/internal/units"
)

// Redundancy returns figures of the mean completion time over T, with a line for each value of
// an axis, and a panel for each combination of the values of the other axes.
func (d *Data) Redundancy(lines *study.Key) []Figure {
	var all []float64
	most := 0
	for i := range d.configs {
		most = max(most, len(d.configs[i].summary)-1)
		for _, s := range d.configs[i].summary {
			all = append(all, s.Mean)
		}
	}
	y := newScale(units.Time, false, positive(all)).padded(0.04)
	dg := newDiagram(d.Layout, "redundancy",
		"Mean completion time against T, the number of redundant exchanges",
		whole(0, float64(most)).padded(0.02), y, "T", "mean completion time")
	dg.legend = []entry{{label: "best T", glyph: &ring}}
	values, rank := d.values(lines)
	bar := colorBar{
		title: lines.Label(), scale: categories(lines, values),
		color: viridisLines, steps: len(values), cells: true,
	}
	if len(values) > 1 {
		dg.bar = &bar
	}
	for _, g := range d.groups(d.further(lines)) {
		var curves []curve
		for _, c := range g.configs {
			colour := bar.of(float64(rank[c.value(lines)]))
			line := curve{style: draw.LineStyle{Color: colour, Width: 1.2}, glyph: ring}
			for t, s := range c.summary {
				add(&line.points, float64(t), y.at(s.Mean))
			}
			add(&line.marked, float64(c.choice.Estimate), y.at(c.best().Mean))
			curves = append(curves, line)
		}
		dg.panel(g.title, curves)
	}
	return dg.figures()
}

// viridisLines returns a colour of viridis without its end, which is too light for lines on white.
func viridisLines(share float64) color.NRGBA { return viridis(0.8 * share) }

// Gain returns figures of what redundancy saves of an iteration over an axis, with a line for each
// T above 0 and a panel for each combination of the values of the other axes.
func (d *Data) Gain(x *study.Key) []Figure {
	all, most := []float64{0}, 0
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
	low, high := extent(all)
	yScale := percents(low, high).padded(0.04)
	xScale, at, panels := d.along(x)
	bar := colorBar{title: "T", color: viridisLines, steps: 96}
	bar.wholes(1, float64(most))
	dg := newDiagram(d.Layout, "gain", "Share of an iteration that redundancy saves, by T", xScale, yScale,
		x.Label(), "saved of an iteration")
	dg.bar, dg.legend = &bar, []entry{{label: "best T", glyph: &ring}}
	for _, g := range panels {
		var curves []curve
		for t := most; t >= 1; t-- { // the first on top
			line := curve{style: draw.LineStyle{Color: bar.of(float64(t)), Width: 1.4}, glyph: ring}
			for _, c := range g.configs {
				if t < len(c.summary) {
					add(&line.points, at(c), yScale.at(c.gain(t)))
				}
				if t == int(c.choice.Estimate) {
					add(&line.marked, at(c), yScale.at(c.gain(t)))
				}
			}
			curves = append(curves, line)
		}
		dg.panel(g.title, curves)
	}
	return dg.figures()
}

// gain returns the share of an iteration that a T saves.
func (c *config) gain(t int) float64 { return 1 - c.summary[t].Mean/c.summary[0].Mean }

// percents returns a linear scale with ticks in per cent.
func percents(low, top float64) scale {
	s := linear(units.Number, low, top)
	for i, tick := range s.ticks {
		if tick.Label != "" {
			s.ticks[i].Label = units.Format(units.Number, math.Round(1e5*tick.Value)/1e3, 3) + "%"
		}
	}
	return s
}
