package compare

import (
	"fmt"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/internal/version"
	"jitterfly/cli/report"
)

// page returns what the page of the comparison shows.
func (c *Comparison) page() *report.Comparison {
	o := c.overall()
	p := &report.Comparison{
		A: c.A.name, B: c.B.name, Version: version.Number, At: c.At,
		Level: output.Level(c.A.level), Method: c.method(), Notes: c.Notes,
		Headline: []string{
			fmt.Sprintf("B is faster in %d of %d rows", o.faster, len(c.Rows)),
			fmt.Sprintf("slower in %d", o.slower),
			fmt.Sprintf("geometric mean %s", percent(o.mean)),
		},
	}
	if c.same() {
		p.Headline = []string{sameStudy}
	}
	for _, d := range c.Differences {
		p.Differences = append(p.Differences, report.ComparisonDifference(d))
	}
	for _, x := range c.Axes {
		values := make([]any, len(c.Rows))
		for i := range c.Rows {
			values[i] = x.value(c.Rows[i].pair)
		}
		p.Axes = append(p.Axes, report.ComparisonAxis{Key: x.Key, Title: x.Title(), Values: values})
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		a, b, trialsA, trialsB := c.sides(r)
		p.Rows = append(p.Rows, report.ComparisonRow{
			A:     report.ComparisonSide{T: int(a.t), Trials: trialsA, Mean: r.meanA},
			B:     report.ComparisonSide{T: int(b.t), Trials: trialsB, Mean: r.meanB},
			Ratio: r.Value, Low: r.Low, High: r.High, Differs: r.Differs(), Paired: r.paired > 0,
		})
	}
	return p
}
