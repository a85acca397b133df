package figures

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// Lines of completion times. Where two are the same, the narrower is on top of the wider.
var (
	plain      = draw.LineStyle{Color: vermillion, Width: 2.2}
	redundant  = draw.LineStyle{Color: blue, Width: 1.1}
	lowerBound = draw.LineStyle{Color: paleGreen, Width: 3}
	noiseFree  = draw.LineStyle{Color: black, Width: 0.9, Dashes: []vg.Length{4, 2}}
)

// A series is a line of completion times over an axis, from the measures of each configuration, and
// its confidence interval if it has one.
type series struct {
	label string
	style draw.LineStyle
	of    func(*config) datasets.Measures
	value func(datasets.Measures) float64
	band  bool
}

// completions are the series of the figure "completion", in the order of drawing.
var completions = []series{
	{"lower bound for any redundancy", lowerBound, (*config).plain,
		func(m datasets.Measures) float64 { return m.LowerBound }, false},
	{"without noise", noiseFree, (*config).plain,
		func(m datasets.Measures) float64 { return m.NoiseFree }, false},
	{"T = 0, mean with its confidence interval", plain, (*config).plain, mean, true},
	{"best T, mean with its confidence interval", redundant, (*config).best, mean, true},
}

func mean(m datasets.Measures) float64 { return m.Mean }

// Completion returns figures of the completion time over an axis, with a panel for each
// combination of the values of the other axes.
func (d *Data) Completion(x *study.Key) []Figure {
	var all []float64
	for i := range d.configs {
		for _, s := range completions {
			all = append(all, s.value(s.of(&d.configs[i])))
		}
	}
	xScale, at, panels := d.along(x)
	yScale := newScale(units.Time, false, positive(all)).padded(0.04)
	dg := newDiagram(d.Layout, "completion", "Completion time against "+x.Label(), xScale, yScale,
		x.Label(), "completion time")
	for _, s := range slices.Backward(completions) {
		dg.explain(s.label, s.style, s.band)
	}
	for _, g := range panels {
		var curves []curve
		for _, s := range completions {
			line := curve{style: s.style}
			for _, c := range g.configs {
				m := s.of(c)
				add(&line.points, at(c), yScale.at(s.value(m)))
				if s.band {
					line.widen(at(c), m.Low, m.High, yScale)
				}
			}
			curves = append(curves, line)
		}
		dg.panel(g.title, curves)
	}
	return dg.figures()
}

// positive returns the values above 0.
func positive(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) })
}
