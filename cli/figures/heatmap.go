package figures

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

// A Measure is a number of each configuration that heat maps show.
type Measure struct {
	Name, title, short string
	of                 func(*config) float64
	text               func(v float64, more int) string // with some more digits
	ranged             func(*config) string             // the number of a cell with its range, nil for none
	scale              func(values []float64) scale     // nil if values are whole: each has a colour of its own
}

// Measures lists all measures.
var Measures = []Measure{
	{"slowdown", "Slow-down by noise at T = 0: mean completion time / completion time without noise",
		"slow-down",
		func(c *config) float64 { return c.summary[0].Slowdown }, times, nil, timesScale},
	{"speedup", "Speed-up of the best T over T = 0", "speed-up",
		func(c *config) float64 { return c.choice.Baseline / c.choice.Estimated },
		times, nil, timesScale},
	{"t_estimate",
		"Best T: the smallest within the tolerance of the least time (range that the trials allow)",
		"best T",
		func(c *config) float64 { return float64(c.choice.Estimate) },
		func(v float64, _ int) string { return strconv.FormatFloat(v, 'f', 0, 64) },
		func(c *config) string { return output.Estimate(c.choice.Estimate, c.choice.Low, c.choice.High) },
		nil},
	{"mean", "Mean completion time at the best T", "mean",
		func(c *config) float64 { return c.best().Mean },
		func(v float64, more int) string { return units.Format(units.Time, v, 3+more) }, nil,
		func(values []float64) scale { return newScale(units.Time, false, values) }},
	{"collective_share", "Share of an iteration that ranks spend in the collective, at the best T",
		"share in collective",
		func(c *config) float64 { return c.choice.Share }, percent, nil,
		func([]float64) scale { return percents(0, 1) }},
	{"noise_amplification",
		"Noise shown by an iteration at the best T: its slow-down / share of time that detours take",
		"noise amplification",
		func(c *config) float64 { return c.choice.Shown }, times, nil, timesScale},
}

// times formats a factor with two or three digits, and some more.
func times(v float64, more int) string {
	switch {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 1+more, 64)
	case v < 1e4:
		return strconv.FormatFloat(v, 'f', more, 64)
	}
	return strconv.FormatFloat(v, 'g', 2+more, 64)
}

func percent(v float64, more int) string { return strconv.FormatFloat(100*v, 'f', more, 64) + "%" }

// distinct returns the texts of values, with as many digits that values have different texts if the
// eye can tell their colours apart, but at most two more than the measure has.
func (m *Measure) distinct(values []float64, s scale) func(float64) string {
	known := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
	slices.Sort(known)
	more := 0
	for ; more < 2; more++ {
		first := map[string]float64{} // place on the scale of the first value with a text
		confused := func(v float64) bool {
			at, text := s.share(v), m.text(v, more)
			if _, ok := first[text]; !ok {
				first[text] = at
			}
			return at-first[text] >= 0.06
		}
		if !slices.ContainsFunc(known, confused) {
			break
		}
	}
	return func(v float64) string { return m.text(v, more) }
}

func timesScale(values []float64) scale {
	s := newScale(units.Number, false, values)
	for i := range s.ticks {
		if s.ticks[i].Label != "" {
			s.ticks[i].Label += "×"
		}
	}
	return s
}

// HeatMaps returns figures of the measure over two axes, with a panel for each combination of
// the values of the other axes, on one scale of colours.
func (d *Data) HeatMaps(m Measure, x, y *study.Key) []Figure {
	values := vector.Each(d.configs, func(c config) float64 { return m.of(&c) })
	xs, column := d.values(x)
	ys, row := d.values(y)
	columns, rows := categories(x, xs), categories(y, ys)
	bar := colorBar{title: m.short, color: viridis, steps: 96}
	if m.scale == nil {
		bar.wholes(extent(values))
	} else {
		bar.scale = m.scale(values)
	}
	cellWidth := min(34, 640/vg.Length(len(xs)))
	pg := page{
		Layout: d.Layout, name: m.Name, title: m.title, bar: &bar,
		width: max(150, cellWidth*vg.Length(len(xs))) + 75,
		least: max(90, 10*vg.Length(len(xs))) + 75,
		height: func(width vg.Length) vg.Length { // of cells that are not higher than wide, if they can
			cell := min(30, max(14, (width-75)/vg.Length(len(xs))), 400/vg.Length(len(ys)))
			return max(70, cell*vg.Length(len(ys))) + 55
		},
	}
	gaps, text := false, m.distinct(values, bar.scale)
	for _, g := range d.groups(d.further(x, y)) {
		c := cells{bar: &bar, text: text}
		gaps = c.fill(g.configs, m, x, y, column, row) || gaps
		pg.panels = append(pg.panels, c.panel(g.title, columns, rows, x.Label(), y.Label()))
	}
	if gaps {
		pg.legend = []entry{{label: "not in the study", fill: &missing}}
	}
	return pg.figures()
}

// cells are the cells of a heat map, by row and column.
type cells struct {
	bar    *colorBar
	values [][]float64 // NaN for none
	text   func(float64) string
	ranges [][]string // texts in place of the values', where all have room; nil for none
}

// panel returns a plot of the cells. Its axes have no marks at the labels of cells.
func (c cells) panel(title string, x, y scale, xName, yName string) *plot.Plot {
	p := newPlot(title, x, y)
	p.X.Label.Text, p.Y.Label.Text = xName, yName
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding, axis.Width, axis.Tick.Width, axis.Tick.Length = 0, 0, 0, 5
	}
	p.Add(c)
	return p
}

// fill sets the cells to the measures of the configurations, given the columns of the values of x and the
// rows of the values of y. It reports whether some stay empty.
func (c *cells) fill(configs []*config, m Measure, x, y *study.Key, column, row map[any]int) (gaps bool) {
	for range row {
		c.values = append(c.values, slices.Repeat([]float64{math.NaN()}, len(column)))
		if m.ranged != nil {
			c.ranges = append(c.ranges, make([]string, len(column)))
		}
	}
	left := len(column) * len(row)
	for _, config := range configs {
		i, j := row[config.value(y)], column[config.value(x)]
		if v := m.of(config); finite(c.bar.scale.at(v)) && !finite(c.values[i][j]) {
			c.values[i][j] = v
			if m.ranged != nil {
				c.ranges[i][j] = m.ranged(config)
			}
			left--
		}
	}
	return left > 0
}

// Plot implements [plot.Plotter].
func (c cells) Plot(canvas draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&canvas)
	size := c.textSize(toX(1)-toX(0), toY(1)-toY(0))
	if size == 0 && c.ranges != nil {
		c.ranges = nil
		size = c.textSize(toX(1)-toX(0), toY(1)-toY(0))
	}
	for i, row := range c.values {
		for j, v := range row {
			x0, x1 := toX(float64(j)-0.5), toX(float64(j)+0.5)
			y0, y1 := toY(float64(i)-0.5), toY(float64(i)+0.5)
			if !finite(v) {
				missing.rectangle(&canvas, x0, y0, x1, y1)
				continue
			}
			ground := area{color: c.bar.of(v)}
			ground.rectangle(&canvas, x0, y0, x1, y1)
			if size > 0 {
				style := textStyle(size, readable(ground.color))
				style.XAlign = draw.XCenter
				canvas.FillText(style, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, c.label(i, j))
			}
		}
	}
}

// label returns the text of a cell.
func (c cells) label(row, column int) string {
	if c.ranges != nil {
		return c.ranges[row][column]
	}
	return c.text(c.values[row][column])
}

// textSize returns the size at which the texts of all cells have room, or 0 if such texts would be
// unreadable: a map has numbers in all its cells or in none.
func (c cells) textSize(width, height vg.Length) vg.Length {
	for _, size := range []vg.Length{tickSize, 7, 6} {
		style, room := textStyle(size, black), size+2 <= height
		for i, row := range c.values {
			for j, v := range row {
				room = room && (!finite(v) || style.Width(c.label(i, j))+2 < width)
			}
		}
		if room {
			return size
		}
	}
	return 0
}

// FindMeasure returns the measure of that name. It fails if no measure has it.
func FindMeasure(name string) (Measure, error) {
	i := slices.Index(MeasureNames(), name)
	if i < 0 {
		return Measure{}, output.Unknown(name, MeasureNames())
	}
	return Measures[i], nil
}

// MeasureNames returns the names of all measures.
func MeasureNames() []string { return vector.Each(Measures, func(m Measure) string { return m.Name }) }
