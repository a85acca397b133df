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
	xScale, at, panels := d.along(x)
	yScale := percents(0, 1)
	dg := newDiagram(d.Layout, "attribution", "Shares of the sources in what noise adds to the plain collective",
		xScale, yScale, x.Label(), "share of what noise adds")
	for i, name := range names {
		dg.explain(name, lineStyle(i), true)
	}
	for _, g := range panels {
		curves := make([]curve, len(names))
		for _, c := range g.configs {
			of, whole := shares[c.choice.ConfigID], 0.0
			for _, share := range of {
				whole += share
			}
			low := 0.0
			for i, name := range names {
				if whole > 0 {
					high := low + of[name]/whole
					curves[i].style = lineStyle(i)
					add(&curves[i].points, at(c), yScale.at(high))
					curves[i].widen(at(c), low, high, yScale)
					low = high
				}
			}
		}
		if len(names) > 0 && len(curves[0].points) > 0 {
			dg.panel(g.title, curves)
		}
	}
	return dg.figures()
}

// plainShares returns what each source costs the plain collective [s], by configuration and source,
// and the names of the sources.
func plainShares(rows []datasets.AttributionRow) (shares map[string]map[string]float64, names []string) {
	shares = map[string]map[string]float64{}
	for _, r := range rows {
		if r.Kind != "source" || r.Design != "plain" {
			continue
		}
		if shares[r.ConfigID] == nil {
			shares[r.ConfigID] = map[string]float64{}
		}
		shares[r.ConfigID][r.Name] = max(0, r.Share)
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names) // as the order of costs depends on the axis
	return shares, names
}
