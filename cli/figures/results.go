package figures

import (
	"fmt"
	"image/color"
	"math"
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

// A line is drawn in each panel of a figure over an axis, from a number of each configuration.
type line struct {
	label string // in the legend; empty for none
	style draw.LineStyle
	value func(*config) float64             // NaN where the line has no point
	band  func(*config) (low, high float64) // around it; nil for none
	best  func(*config) bool                // whether the point has a ring; nil for none
}

// over returns a diagram of lines over an axis, with a panel for each combination of the values of the other
// axes, besides those passed over, where a line has points. The first line is on top. The scale follows
// from the values.
func (d *Data) over(x *study.Key, name, title, yName string, scaled func(values []float64) scale,
	lines []line, besides ...*study.Key,
) *diagram {
	xScale, at, panels := d.along(x, besides...)
	var all []float64
	for i := range d.configs {
		for _, l := range lines {
			all = append(all, l.value(&d.configs[i]))
		}
	}
	y := scaled(all)
	dg := newDiagram(d.Layout, name, title, xScale, y, x.Label(), yName)
	for _, l := range lines {
		if l.label != "" {
			dg.explain(l.label, l.style, l.band != nil)
		}
	}
	for _, g := range panels {
		points, curves := 0, []curve{}
		for _, l := range slices.Backward(lines) {
			drawn := curve{style: l.style, glyph: ring}
			for _, c := range g.configs {
				add(&drawn.points, at(c), y.at(l.value(c)))
				if l.band != nil {
					low, high := l.band(c)
					drawn.widen(at(c), low, high, y)
				}
				if l.best != nil && l.best(c) {
					add(&drawn.marked, at(c), y.at(l.value(c)))
				}
			}
			points += len(drawn.points)
			curves = append(curves, drawn)
		}
		if points > 0 {
			dg.panel(g.title, curves)
		}
	}
	return dg
}

// completions are the lines of the figure "completion".
var completions = []line{
	{"best T, mean with its confidence interval", redundant, func(c *config) float64 { return c.best().Mean },
		func(c *config) (low, high float64) { return c.best().Low, c.best().High }, nil},
	{"T = 0, mean with its confidence interval", plain, func(c *config) float64 { return c.plain().Mean },
		func(c *config) (low, high float64) { return c.plain().Low, c.plain().High }, nil},
	{"without noise", noiseFree, func(c *config) float64 { return c.plain().NoiseFree }, nil, nil},
	{"lower bound for any redundancy", lowerBound,
		func(c *config) float64 { return c.plain().LowerBound }, nil, nil},
}

// timesOf returns a scale for times [s].
func timesOf(values []float64) scale {
	return newScale(units.Time, false, positive(values)).padded(0.04)
}

// Completion returns figures of the completion time over an axis, with a panel for each
// combination of the values of the other axes.
func (d *Data) Completion(x *study.Key) []Figure {
	title := "Completion time against " + x.Label()
	return d.over(x, "completion", title, "completion time", timesOf, completions).figures()
}

// positive returns the values above 0.
func positive(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) })
}

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
	y := timesOf(all)
	dg := newDiagram(d.Layout, "redundancy",
		"Mean completion time against T, the number of redundant exchanges",
		whole(0, float64(most), mostTicks).padded(0.02), y, "T", "mean completion time")
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
	most := 0
	for i := range d.configs {
		most = max(most, len(d.configs[i].summary)-1)
	}
	if most == 0 {
		return nil
	}
	bar := colorBar{title: "T", color: viridisLines, steps: 96}
	bar.wholes(1, float64(most))
	var lines []line
	for t := 1; t <= most; t++ {
		lines = append(lines, line{
			style: draw.LineStyle{Color: bar.of(float64(t)), Width: 1.4},
			value: func(c *config) float64 { return c.gain(t) },
			best:  func(c *config) bool { return t == int(c.choice.Estimate) },
		})
	}
	dg := d.over(x, "gain", "Share of an iteration that redundancy saves, by T", "saved of an iteration",
		func(gains []float64) scale { return percents(extent(append(gains, 0))).padded(0.04) }, lines)
	dg.bar, dg.legend = &bar, []entry{{label: "best T", glyph: &ring}}
	return dg.figures()
}

// gain returns the share of an iteration that a T saves, NaN if the configuration lacks that T.
func (c *config) gain(t int) float64 {
	if t >= len(c.summary) {
		return math.NaN()
	}
	return 1 - c.summary[t].Mean/c.summary[0].Mean
}

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

// Sources returns figures of how much faster redundancy makes a collective over an axis: its mean
// from the fewest sources at T = 0 over the time of each number of sources R, with a line at T = 0
// and one at the best T for each R, and a panel for each combination of the values of the other axes.
func (d *Data) Sources(x *study.Key) []Figure {
	_, at, panels := d.along(x, study.Sources)
	plain := map[*config]float64{}
	for _, g := range panels {
		for i, c := range g.configs {
			plain[c] = c.plain().Mean
			if i > 0 && at(g.configs[i-1]) == at(c) {
				plain[c] = plain[g.configs[i-1]]
			}
		}
	}
	broken := func(s draw.LineStyle) draw.LineStyle { s.Dashes, s.Width = dash, 1; return s }
	sources, _ := d.values(study.Sources)
	var lines []line
	for r, n := range sources {
		speedup := func(of func(*config) datasets.Measures) func(*config) float64 {
			return func(c *config) float64 {
				if c.value(study.Sources) != n {
					return math.NaN()
				}
				return plain[c] / of(c).Mean
			}
		}
		style := lineStyle(r % len(lineColors))
		lines = append(lines,
			line{label: fmt.Sprintf("R = %v, best T", n), style: style, value: speedup((*config).best)},
			line{style: broken(style), value: speedup((*config).plain)})
	}
	dg := d.over(x, "sources", fmt.Sprintf("Speed-up over R = %v and T = 0, by R", sources[0]), "speed-up",
		func(speedups []float64) scale { return timesScale(append(speedups, 1)).padded(0.04) }, lines,
		study.Sources)
	dg.explain("T = 0", broken(draw.LineStyle{Color: black}), false)
	return dg.figures()
}

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

// Attribution returns figures of the share that each source has in what noise adds to the plain
// collective, stacked over an axis, with a panel for each combination of the values of the other
// axes. Rows of other designs and of remedies are passed over.
func (d *Data) Attribution(x *study.Key, rows []datasets.AttributionRow) []Figure {
	shares, names := plainShares(rows)
	upto := func(c *config, n int) float64 { // the share of the first n sources
		sum, whole := 0.0, 0.0
		for i, name := range names {
			share := shares[[2]string{c.choice.ConfigID, name}]
			if whole += share; i < n {
				sum += share
			}
		}
		return sum / whole
	}
	var lines []line
	for i, name := range names {
		lines = append(lines, line{name, lineStyle(i), func(c *config) float64 { return upto(c, i+1) },
			func(c *config) (low, high float64) { return upto(c, i), upto(c, i+1) }, nil})
	}
	return d.over(x, "attribution", "Shares of the sources in what noise adds to the plain collective",
		"share of what noise adds", func([]float64) scale { return percents(0, 1) }, lines).figures()
}

// plainShares returns what each source costs the plain collective [s], by configuration and source,
// and the names of the sources.
func plainShares(rows []datasets.AttributionRow) (shares map[[2]string]float64, names []string) {
	shares = map[[2]string]float64{}
	for _, r := range rows {
		if r.Kind != "source" || r.Design != "plain" {
			continue
		}
		shares[[2]string{r.ConfigID, r.Name}] = max(0, r.Share)
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names) // as the order of costs depends on the axis
	return shares, names
}
