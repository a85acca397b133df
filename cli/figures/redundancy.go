package figures

import (
	"image/color"

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
				line.add(float64(t), y.at(s.Mean))
			}
			line.mark(float64(c.choice.Estimate), y.at(c.best().Mean))
			curves = append(curves, line)
		}
		dg.panel(g.title, curves)
	}
	return dg.figures()
}

// viridisLines returns a colour of viridis without its end, which is too light for lines on white.
func viridisLines(share float64) color.NRGBA { return viridis(0.8 * share) }
