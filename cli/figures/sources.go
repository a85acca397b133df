package figures

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/study"
)

// Sources returns figures of how much faster redundancy makes a collective over an axis: its mean
// from the fewest sources at T = 0 over the time of each number of sources R, with a line at T = 0
// and one at the best T for each R, and a panel for each combination of the values of the other axes.
func (d *Data) Sources(x *study.Key) []Figure {
	xScale, at, panels := d.along(x, study.Sources)
	all, plain := []float64{1}, map[*config]float64{}
	for _, g := range panels {
		for i, c := range g.configs {
			plain[c] = c.plain().Mean
			if i > 0 && at(g.configs[i-1]) == at(c) {
				plain[c] = plain[g.configs[i-1]]
			}
			all = append(all, plain[c]/c.plain().Mean, plain[c]/c.best().Mean)
		}
	}
	sources, _ := d.values(study.Sources)
	yScale := timesScale(all).padded(0.04)
	dg := newDiagram(d.Layout, "sources", fmt.Sprintf("Speed-up over R = %v and T = 0, by R", sources[0]),
		xScale, yScale, x.Label(), "speed-up")
	style := func(r int) draw.LineStyle { return lineStyle(r % len(lineColors)) }
	broken := func(s draw.LineStyle) draw.LineStyle { s.Dashes, s.Width = dash, 1; return s }
	for r, n := range sources {
		dg.explain(fmt.Sprintf("R = %v, best T", n), style(r), false)
	}
	dg.explain("T = 0", broken(draw.LineStyle{Color: black}), false)
	for _, g := range panels {
		var curves []curve
		for r, n := range sources {
			best, bare := curve{style: style(r)}, curve{style: broken(style(r))}
			for _, c := range g.configs {
				if c.value(study.Sources) == n {
					add(&best.points, at(c), yScale.at(plain[c]/c.best().Mean))
					add(&bare.points, at(c), yScale.at(plain[c]/c.plain().Mean))
				}
			}
			curves = append(curves, bare, best)
		}
		dg.panel(g.title, curves)
	}
	return dg.figures()
}
