package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/study"
	"jitterfly/internal/units"
)

// Trials returns figures of the share of trials that are complete by a time, at the last value
// of an axis, with a panel for each combination of the values of the other axes. It reads the trials with
// each, which calls a function with each configuration's completion times [s] at each T, and fails if
// each does.
func (d *Data) Trials(last *study.Key, each func(func(config, t int, completions []float64)) error,
) ([]Figure, error) {
	type drawn struct {
		*config
		t int
	}
	times := map[drawn][]float64{}
	var all []float64
	values, _ := d.values(last)
	end := values[len(values)-1]
	err := each(func(i, t int, completions []float64) {
		c := &d.configs[i]
		if c.value(last) == end && (t == 0 || t == int(c.choice.Estimate)) {
			times[drawn{c, t}] = slices.Clone(completions)
			all = append(all, completions...)
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range d.configs {
		if c := &d.configs[i]; c.value(last) == end {
			all = append(all, c.plain().NoiseFree)
		}
	}
	title := "Share of trials complete by a time"
	if len(values) > 1 {
		title += fmt.Sprintf(", at %s %s", last.Label(), last.Format(end))
	}
	x := newScale(units.Time, false, positive(all))
	dg := newDiagram(d.Layout, "trials", title, x.padded(0.03), percents(0, 1).padded(0.02),
		"completion time", "share of trials")
	dg.explain("T = 0", plain, false)
	dg.explain("best T", redundant, false)
	dg.explain("without noise", noiseFree, false)
	for _, g := range d.groups(d.further(last)) {
		var curves []curve
		for _, c := range g.configs {
			if c.value(last) != end {
				continue
			}
			line := curve{style: noiseFree}
			add(&line.points, x.at(c.plain().NoiseFree), 0)
			add(&line.points, x.at(c.plain().NoiseFree), 1)
			curves = append(curves, line, staircase(times[drawn{c, 0}], x, plain),
				staircase(times[drawn{c, int(c.choice.Estimate)}], x, redundant))
		}
		dg.panel(g.title, curves)
	}
	return dg.figures(), nil
}

// staircase returns the empirical distribution function of times.
func staircase(times []float64, x scale, style draw.LineStyle) curve {
	times = positive(times)
	slices.Sort(times)
	line, n := curve{style: style}, float64(len(times))
	for i, t := range times {
		add(&line.points, x.at(t), float64(i)/n)
		add(&line.points, x.at(t), float64(i+1)/n)
	}
	return line
}
