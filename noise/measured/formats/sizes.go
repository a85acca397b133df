package formats

import (
	"fmt"
	"slices"
	"strings"

	"jitterfly/noise"
)

// A quantity is what a column of a table of latencies has in the row of a size.
type quantity int

const (
	ignored     quantity = iota
	messageSize          // in bytes
	repeated             // number of repetitions
	average              // time, which stands for the typical one too
	typical
	mean
	least
	most
	quantile // time, of the share [%] in the name of the column
	group    // number of a group of processes, of which the first counts
	unwanted // the table has other things than latencies
	valid    // whether the results of the repetitions were right: Pass or Fail, or how many were wrong
)

// A column is one of a table of latencies: its whole name, and what it has.
type column struct {
	name expression
	quantity
}

func col(q quantity, name string) column {
	return column{expression("^(?:" + name + ")$"), q}
}

// A sizes is the table of latencies by size that is being read. A format says which names
// of columns have which quantity.
type sizes struct {
	known  []column
	other  quantity // of columns of other names
	per    float64  // units of time in a second
	halve  float64  // 0.5 where times are of round trips, else 1
	layout []quantity
	shares []float64 // of the columns of quantiles
	curve  Curve
	// refused is why the rows of this table are of no use, "" if they are of use.
	refused string
}

// begin ends the table before, and begins the table of an operation, with no columns yet.
func (t *sizes) begin(m *Measurement, pattern Pattern, operation string) {
	t.end(m)
	*t = sizes{known: t.known, other: t.other, per: t.per, halve: 1,
		curve: Curve{Pattern: pattern, Operation: operation}}
}

// beginOther begins a table that is refused, and says in case that nothing is measured what to do.
func (t *sizes) beginOther(s *source, m *Measurement, title, instead string) {
	t.begin(m, "", "")
	t.refused = anotherTable + ": " + title
	s.otherwise("%s", instead)
}

// head sets the columns of the rows that follow. Of several with the same quantity the first
// counts.
func (t *sizes) head(names []string) {
	t.layout, t.shares = nil, nil
	for _, name := range names {
		q, share := t.other, 0.0
		for _, c := range t.known {
			if f := c.name.regexp().FindStringSubmatch(name); f != nil {
				if q = c.quantity; q == quantile {
					share, _ = value(f[1])
				} else if t.has(q) {
					q = ignored
				}
				break
			}
		}
		t.layout, t.shares = append(t.layout, q), append(t.shares, percent(share))
	}
}

func (t *sizes) has(q quantity) bool { return slices.Contains(t.layout, q) }

// point returns the point of the current line, and refuses that if a field is not what its
// column has. There may be more fields than columns.
func (t *sizes) point(s *source) (p Point) {
	time := func(i int) float64 { return t.halve * s.seconds(i, t.per) }
	for i, q := range t.layout {
		switch q {
		case messageSize:
			p.Size = s.size(i)
		case repeated:
			p.Samples = s.count(i)
		case average:
			p.Seconds = time(i)
			p.Mean = p.Seconds
		case typical, mean, least, most:
			*p.time(q) = time(i)
		case quantile:
			p.Quantiles = append(p.Quantiles, noise.Quantile{Share: t.shares[i], Length: time(i)})
		default:
			s.refuse(unusable(q, s.fields[i]))
		}
	}
	return p
}

// time returns the time of a point that is a quantity, one of typical, mean, least and most.
func (p *Point) time(q quantity) *float64 {
	return map[quantity]*float64{typical: &p.Seconds, mean: &p.Mean, least: &p.Least, most: &p.Most}[q]
}

// unusable returns why a row with this text is of no use, "" if it is.
func unusable(q quantity, text string) string {
	switch {
	case q == group && text != "0":
		return "a row of another group"
	case q == unwanted:
		return anotherTable
	case q == valid && (text == "Fail" || strings.Trim(text, "123456789") == ""):
		return invalid
	}
	return ""
}

// add adds a point, unless the line is refused or the point contradicts itself.
func (t *sizes) add(s *source, p Point) {
	if s.refuse(checkPoint(p)); s.ok() {
		if near := 1e-9 * p.Most; p.Most > 0 && p.Mean > 0 && (p.Mean < p.Least-near || p.Mean > p.Most+near) {
			s.disagree(fmt.Sprintf("%.0f B", p.Size), "an average", micro(p.Mean),
				micro(p.Least)+" to "+micro(p.Most))
		}
		keep(s, &t.curve.Points, p)
	}
}

// checkPoint returns why the values of a size contradict each other, "" if they do not.
func checkPoint(p Point) string {
	switch {
	case p.Seconds == 0:
		return "a time of zero"
	case p.Most > 0 && p.Most < p.Least:
		return "a maximum below the minimum"
	}
	for i, q := range p.Quantiles {
		if q.Share > 1 || i > 0 && !(q.Share > p.Quantiles[i-1].Share &&
			q.Length >= p.Quantiles[i-1].Length) {
			return "quantiles that do not ascend"
		}
	}
	return ""
}

func (t *sizes) end(m *Measurement) {
	if len(t.curve.Points) > 0 {
		m.Curves = append(m.Curves, t.curve)
	}
	t.curve.Points = nil
}
