package compare

import (
	"cmp"
	"fmt"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/internal/version"
	"jitterfly/cli/report"
)

func (c *Comparison) page() *report.Comparison {
	o := c.overall()
	p := &report.Comparison{
		A: c.A.name, B: c.B.name, Version: version.Number, At: c.At,
		Level: output.Level(c.A.level), Method: c.method(), Notes: c.Notes,
		Differences: c.Differences, Rows: len(c.Rows),
		Headline: []string{
			fmt.Sprintf("B is faster in %d of %d rows", o.faster, len(c.Rows)),
			fmt.Sprintf("slower in %d", o.slower),
			fmt.Sprintf("geometric mean %s", percent(o.mean)),
		},
	}
	if c.same() {
		p.Headline = []string{sameStudy}
	}
	for _, x := range c.Axes {
		values := make([]any, len(c.Rows))
		for i := range c.Rows {
			values[i] = x.value(c.Rows[i].pair)
		}
		p.Axes = append(p.Axes, report.ComparisonAxis{Key: x.Key, Title: x.Label(), Values: values})
	}
	add := func(name string, value func(r *row, a, b *config) float64) {
		p.Columns = append(p.Columns, report.ComparisonColumn{Name: name, Value: func(i int) float64 {
			r := &c.Rows[i]
			return value(r, &c.A.configs[r.a], &c.B.configs[r.b])
		}})
	}
	trials := func(r *row, c *config) float64 { return float64(cmp.Or(r.paired, c.trials)) }
	add("t_a", func(_ *row, a, _ *config) float64 { return float64(a.t) })
	add("t_b", func(_ *row, _, b *config) float64 { return float64(b.t) })
	add("trials_a", func(r *row, a, _ *config) float64 { return trials(r, a) })
	add("trials_b", func(r *row, _, b *config) float64 { return trials(r, b) })
	add("mean_a", func(r *row, _, _ *config) float64 { return r.meanA })
	add("mean_b", func(r *row, _, _ *config) float64 { return r.meanB })
	add("ratio", func(r *row, _, _ *config) float64 { return r.Value })
	add("low", func(r *row, _, _ *config) float64 { return r.Low })
	add("high", func(r *row, _, _ *config) float64 { return r.High })
	add("differs", func(r *row, _, _ *config) float64 { return one(r.Differs()) })
	add("paired", func(r *row, _, _ *config) float64 { return one(r.paired > 0) })
	return p
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
