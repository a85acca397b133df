package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/study"
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
func (d *Data) Trials(last *study.Key, samples []Sample) []Figure {
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
			line.add(x.at(c.plain().NoiseFree), 0)
			line.add(x.at(c.plain().NoiseFree), 1)
			of := byT[c.choice.ConfigID]
			curves = append(curves, line, staircase(of[0], x, plain),
				staircase(of[int(c.choice.Estimate)], x, redundant))
		}
		dg.panel(g.title, curves)
	}
	return dg.figures()
}

// staircase returns the empirical distribution function of times.
func staircase(times []float64, x scale, style draw.LineStyle) curve {
	times = positive(times)
	slices.Sort(times)
	line, n := curve{style: style}, float64(len(times))
	for i, t := range times {
		line.add(x.at(t), float64(i)/n)
		line.add(x.at(t), float64(i+1)/n)
	}
	return line
}

// TrialsOf returns a function that reports whether [Data.Trials] draws the trials of a
// configuration at T.
func (d *Data) TrialsOf(last *study.Key) func(configID string, t int) bool {
	values := d.values(last)
	best := map[string]int{}
	for i := range d.configs {
		if c := &d.configs[i]; c.value(last) == values[len(values)-1] {
			best[c.choice.ConfigID] = int(c.choice.Estimate)
		}
	}
	return func(id string, t int) bool {
		b, ok := best[id]
		return ok && (t == 0 || t == b)
	}
}
