package results

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
)

// comparisonPrinters are the ways to print a comparison, by the values of --format.
var comparisonPrinters = output.Printers(comparisonText, comparisonRows)

// comparisonText returns what differs between the studies, and a table of the rows.
func comparisonText(screen *output.Screen, c *Comparison) string {
	var b strings.Builder
	b.WriteString(screen.Wrap(c.sentence() + "\n\n"))
	fmt.Fprintf(&b, "A: %s\nB: %s\n", c.A.name, c.B.name)
	for _, d := range c.Differences {
		b.WriteString(screen.Wrap(fmt.Sprintf("%s: %s in A, %s in B\n", d.Name, d.A, d.B)))
	}
	b.WriteString(screen.Wrap(fmt.Sprintf("\nMean completion time at %s; how B's differs from A's, "+
		"with its %s interval, %s.\n\n", c.At, output.Level(c.A.level), c.method())))
	b.WriteString(screen.Table(c.table()))
	b.WriteString(screen.Wrap(output.More(len(c.Rows), "--format csv has all")))
	if len(c.Notes) > 0 {
		b.WriteString("\n" + screen.Lines(c.Notes))
	}
	b.WriteString("\n" + screen.Lines(c.basis()))
	return b.String()
}

// basis returns the lines that say what the studies rest on, those of both once.
func (c *Comparison) basis() []string {
	a, b := c.A.basis(), c.B.basis()
	var lines []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			line = "A: " + line
		}
		lines = append(lines, line)
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			lines = append(lines, "B: "+line)
		}
	}
	return lines
}

func (c *Comparison) method() string {
	inPairs := 0
	for _, r := range c.Rows {
		if r.paired > 0 {
			inPairs++
		}
	}
	switch inPairs {
	case 0:
		return "from the intervals of both means"
	case len(c.Rows):
		return "trial by trial under the same noise"
	}
	return fmt.Sprintf("in %d of %d rows trial by trial under the same noise", inPairs, len(c.Rows))
}

// same reports whether both studies have the same values of all keys, the seed included, and all
// rows compare a configuration with itself at one T.
func (c *Comparison) same() bool {
	return maps.EqualFunc(c.A.results.Values, c.B.results.Values, slices.Equal) &&
		!slices.ContainsFunc(c.Rows, func(r row) bool {
			a, b := c.configs(r.pair)
			return a.id != b.id || a.t != b.t
		})
}

// sentence returns the summary in words.
func (c *Comparison) sentence() string {
	if c.same() {
		return "A and B are the same study with the same seed: their trials are the same, and no row can differ."
	}
	faster, slower, logs, n := 0, 0, 0.0, len(c.Rows)
	for _, r := range c.Rows {
		logs += math.Log(r.Value)
		switch {
		case r.Low > 1:
			slower++
		case r.High < 1:
			faster++
		}
	}
	text := fmt.Sprintf("B is faster in %d and slower in %d of %d rows. ~: inconclusive, "+
		"as the interval contains 0%%.", faster, slower, n)
	if n > 1 {
		text += fmt.Sprintf(" Geometric mean of the changes: %s. If nothing differed, about %.2g rows "+
			"would still show a change.", percent(math.Exp(logs/float64(n))), float64(n)*(1-c.A.level))
	}
	return text
}

func (c *Comparison) table() output.Table {
	t := output.Table{}
	for _, x := range c.Axes {
		t.Add(output.Column{Axis: true}, x.Title())
	}
	t.Add(output.Column{}, "T", "A", "B", "change", "interval")
	for i := range c.Rows[:min(output.MostRows, len(c.Rows))] {
		r := &c.Rows[i]
		line := study.Each(c.Axes, func(x axis) any { return x.Format(x.value(r.pair)) })
		a, b := c.configs(r.pair)
		ts := fmt.Sprint(a.t)
		if a.t != b.t {
			ts = fmt.Sprintf("%d → %d", a.t, b.t)
		}
		change := "~"
		if r.Differs() {
			change = percent(r.Value)
		}
		t.Append(append(line, ts, output.Seconds(r.meanA), output.Seconds(r.meanB), change,
			percent(r.Low)+" to "+percent(r.High))...)
	}
	return t
}

// percent returns by how much a ratio differs from 1.
func percent(ratio float64) string {
	x := 100 * (ratio - 1)
	digits := 0
	switch a := math.Abs(x); {
	case a < 9.995:
		digits = 2
	case a < 99.95:
		digits = 1
	}
	return strings.Replace(fmt.Sprintf("%+.*f%%", digits, x), "-", "−", 1)
}

func comparisonRows(c *Comparison, _ bool) (header []string, rows output.Rows) {
	for _, x := range c.Axes {
		name := x.Column
		if x.only != 0 {
			name += "_" + strings.ToLower(string(x.only))
		}
		header = append(header, name)
	}
	header = append(header, "config_id_a", "config_id_b", "redundancy_a", "redundancy_b",
		"t_star_a", "t_star_b", "trials_a", "trials_b", "mean_a_s", "mean_b_s",
		"ratio", "ratio_low", "ratio_high", "differs", "paired")
	return header, func(yield func([]any) bool) {
		for i := range c.Rows {
			if !yield(c.cells(&c.Rows[i])) {
				return
			}
		}
	}
}

// cells returns what programs get of a row.
func (c *Comparison) cells(r *row) []any {
	cells := study.Each(c.Axes, func(x axis) any { return x.value(r.pair) })
	a, b := c.configs(r.pair)
	return append(cells, string(a.id[:]), string(b.id[:]), a.t, b.t, a.star, b.star,
		cmp.Or(r.paired, a.trials), cmp.Or(r.paired, b.trials), r.meanA, r.meanB, r.Value, r.Low, r.High,
		r.Differs(), r.paired > 0)
}
