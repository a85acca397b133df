package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"jitterfly/internal/units"
)

// A Sample is the completion times [s] of the trials of one configuration at one T.
type Sample struct {
	ConfigID    string
	T           int
	Completions []float64
}

// Trials returns figures of the share of trials that are complete by a time, at the last value
// of an axis, with a panel for each combination of the values of the other axes.
func (d *Data) Trials(last Axis, samples []Sample) []Figure {
	byT := map[string]map[int][]float64{}
	var all []float64
	for _, s := range samples {
		if byT[s.ConfigID] == nil {
			byT[s.ConfigID] = map[int][]float64{}
		}
		byT[s.ConfigID][s.T] = s.Completions
		all = append(all, s.Completions...)
	}
	values := d.values(last)
	end := values[len(values)-1]
	for i := range d.configs {
		if c := &d.configs[i]; c.value(last.Column) == end {
			all = append(all, c.summary[0].NoiseFree)
		}
	}
	xScale, yScale := newScale(units.Time, false, positive(all)), linear(units.Number, 0, 1)
	pg := page{
		name: "trials", title: "Share of trials complete by a time",
		Layout: d.Layout, width: curveWidth, least: curveLeast,
		height: shape(curveWidth, curveHeight),
		legend: []entry{
			{label: "T = 0", line: plain}, {label: "T*", line: redundant},
			{label: "without noise", line: noiseFree},
		},
	}
	if len(values) > 1 {
		pg.title += fmt.Sprintf(", at %s %s", last.Label, last.text(end))
	}
	var panels []*plot.Plot
	for _, g := range d.groups(d.further(last)) {
		p := newPlot(g.title, xScale.padded(0.03), yScale.padded(0.02))
		p.X.Label.Text, p.Y.Label.Text = "completion time", "share of trials"
		p.Add(grid{})
		for _, c := range g.configs {
			if c.value(last.Column) != end {
				continue
			}
			of := byT[c.choice.ConfigID]
			if at := xScale.at(c.summary[0].NoiseFree); finite(at) {
				addLine(p, plotter.XYs{{X: at, Y: 0}, {X: at, Y: 1}}, noiseFree)
			}
			addLine(p, staircase(of[0], xScale), plain)
			addLine(p, staircase(of[int(c.choice.Star)], xScale), redundant)
		}
		panels = append(panels, p)
	}
	return pg.figures(panels)
}

// staircase returns the empirical distribution function of times.
func staircase(times []float64, x scale) plotter.XYs {
	times = positive(times)
	slices.Sort(times)
	var points plotter.XYs
	for i, t := range times {
		n := float64(len(times))
		points = append(points,
			plotter.XY{X: x.at(t), Y: float64(i) / n},
			plotter.XY{X: x.at(t), Y: float64(i+1) / n})
	}
	return points
}

// TrialsOf returns a function that reports whether [Data.Trials] draws the trials of a
// configuration at T.
func (d *Data) TrialsOf(last Axis) func(configID string, t int) bool {
	values := d.values(last)
	star := map[string]int{}
	for i := range d.configs {
		if c := &d.configs[i]; c.value(last.Column) == values[len(values)-1] {
			star[c.choice.ConfigID] = int(c.choice.Star)
		}
	}
	return func(id string, t int) bool {
		s, ok := star[id]
		return ok && (t == 0 || t == s)
	}
}
