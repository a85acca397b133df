package formats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/internal/vector"
	"jitterfly/noise"
)

// A quantity is what a column of a table of latencies has in the row of a size.
type quantity int

const (
	ignored     quantity = iota
	messageSize          // in bytes
	repeated             // number of repetitions
	typical              // time
	mean                 // time, which stands for the typical one too if that is absent
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
		q, share := t.find(name)
		if q != quantile && q != t.other && t.has(q) {
			q = ignored
		}
		t.layout, t.shares = append(t.layout, q), append(t.shares, share)
	}
}

// find returns what the column of a name has, and the share of a quantile.
func (t *sizes) find(name string) (q quantity, share float64) {
	for _, c := range t.known {
		if f := c.name.regexp().FindStringSubmatch(name); f != nil {
			if c.quantity == quantile {
				share, _ = value(f[1])
			}
			return c.quantity, percent(share)
		}
	}
	return t.other, 0
}

func (t *sizes) has(q quantity) bool { return slices.Contains(t.layout, q) }

// point returns the point of the current line, and refuses that if a field is not what its
// column has. There may be more fields than columns.
func (t *sizes) point(s *source) (p Point) {
	for i, q := range t.layout {
		t.set(s, &p, q, t.shares[i], i)
	}
	return p
}

// set sets a quantity of a point to the value of field i, the length of a quantile with its share.
func (t *sizes) set(s *source, p *Point, q quantity, share float64, i int) {
	time := func() float64 { return t.halve * s.seconds(i, t.per) }
	switch text := s.fields[i]; {
	case q == messageSize:
		p.Size = s.size(i)
	case q == repeated:
		p.Samples = s.count(i)
	case q == typical:
		p.Seconds = time()
	case q == mean:
		p.Mean = time()
	case q == least:
		p.Least = time()
	case q == most:
		p.Most = time()
	case q == quantile:
		p.Quantiles = append(p.Quantiles, noise.Quantile{Share: share, Length: time()})
	case q == group && text != "0":
		refuse("a row of another group")
	case q == unwanted:
		refuse(anotherTable)
	case q == valid && (text == "Fail" || strings.Trim(text, "123456789") == ""):
		refuse(invalid)
	}
}

// add adds a point. It refuses one that contradicts itself.
func (t *sizes) add(s *source, p Point) {
	p.Seconds = cmp.Or(p.Seconds, p.Mean)
	refuse(checkPoint(p))
	if near := 1e-9 * p.Most; p.Most > 0 && p.Mean > 0 && (p.Mean < p.Least-near || p.Mean > p.Most+near) {
		s.disagree(fmt.Sprintf("%.0f B", p.Size), "an average", micro(p.Mean),
			micro(p.Least)+" to "+micro(p.Most))
	}
	keep(s, &t.curve.Points, p)
}

// checkPoint returns why the values of a size contradict each other, "" if they do not.
func checkPoint(p Point) string {
	if why := cmp.Or(checkTrip(p.Seconds), checkTrip(max(p.Seconds, p.Most))); why != "" {
		return why
	}
	switch {
	case len(p.Quantiles) > 0 && p.Quantiles[0].Length < LeastTrip:
		return zeroTime
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

// timesWithin is the share of each time within which quantiles of single repetitions are kept.
const timesWithin = 0.001

// pointOf returns the point of a size [bytes] with these times [s] of its repetitions,
// which it sorts. There must be one, and all are above 0.
func pointOf(size float64, all []float64) Point {
	slices.Sort(all)
	n := len(all)
	p := Point{Size: size, Seconds: all[n/2], Samples: int64(n), Least: all[0], Most: all[n-1]}
	for _, t := range all {
		p.Mean += t / float64(n)
	}
	p.Quantiles = noise.Measured(all, nil, timesWithin).Points
	return p
}

// Pool returns the curve of several of the same operation: for each size the average of the times
// and of quantiles of the same shares, the least and the most of all. It panics if curves is empty.
func Pool(curves []Curve) Curve {
	pool := curves[0]
	var points []Point
	for _, c := range curves {
		points = append(points, c.Points...)
	}
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	pool.Points = nil
	for _, same := range vector.Groups(len(points), func(i int) float64 { return points[i].Size }) {
		pool.Points = append(pool.Points, averageOf(points[same[0]:][:len(same)]))
	}
	return pool
}

// averageOf returns the average of points of one size. Its quantiles are averages over the points
// that have the same shares as the first point with quantiles.
func averageOf(points []Point) Point {
	a := Point{Size: points[0].Size, Least: points[0].Least}
	n, with := float64(len(points)), 0.0
	sameShares := func(p, q noise.Quantile) bool { return p.Share == q.Share }
	for _, p := range points {
		a.Seconds += p.Seconds / n
		a.Mean += p.Mean / n
		a.Least, a.Most = min(a.Least, p.Least), max(a.Most, p.Most)
		a.Samples += p.Samples
		if a.Quantiles == nil {
			a.Quantiles, with = slices.Clone(p.Quantiles), 1
		} else if slices.EqualFunc(a.Quantiles, p.Quantiles, sameShares) {
			with++
			for i, q := range p.Quantiles {
				a.Quantiles[i].Length += (q.Length - a.Quantiles[i].Length) / with
			}
		}
	}
	return a
}

// Base returns the time [s] that [Point.Excess] counts from: the least, or, where the tool does not
// print the least, the first quantile.
func (p Point) Base() float64 {
	if p.Least == 0 && len(p.Quantiles) > 0 {
		return p.Quantiles[0].Length
	}
	return p.Least
}

// Excess returns the distribution of the times beyond the base: lines between the tool's
// quantiles, up to the longest time. If the tool gives the mean and not the longest time,
// the longest time is chosen to give that mean. If it gives both, and straight lines have
// another mean, they are bent to it, all equally, first the lines above the median: from
// there to the longest of a thousand times a straight line has many times their mean. It
// reports false without quantiles, or if all times are the same.
func (p Point) Excess() (noise.Empirical, bool) {
	if len(p.Quantiles) == 0 {
		return noise.Empirical{}, false
	}
	base := p.Base()
	points := []noise.Quantile{{}}
	for _, q := range p.Quantiles {
		if last := points[len(points)-1]; q.Share > last.Share && q.Share < 1 {
			points = append(points, noise.Quantile{Share: q.Share,
				Length: max(last.Length, q.Length-base)})
		}
	}
	last, mean, longest := points[len(points)-1], p.Mean-base, p.Most-base
	if p.Most == 0 && p.Mean > 0 {
		sum := noise.Empirical{Points: points}.Mean()
		longest = 2*(mean-sum)/(1-last.Share) - last.Length
	}
	e := noise.Empirical{Points: append(points,
		noise.Quantile{Share: 1, Length: max(longest, last.Length)})}
	off := func() float64 { return (e.Mean() - mean) / mean }
	switch {
	case !(p.Mean > 0 && mean > 0):
	case off() > 0.01:
		e.Points = bend(e.Points, e.Mean()-mean, 0.5, 1)
		if off() > 0.01 {
			e.Points = bend(e.Points, e.Mean()-mean, 0, 0.5)
		}
	case off() < -0.01:
		e.Points = bend(e.Points, e.Mean()-mean, 0, last.Share)
	}
	return e, e.Points[len(e.Points)-1].Length > 0 && e.Check() == nil
}

// bend returns the points with a mean that is lower by the value of by, or higher if by is
// negative: for one share of its width each line between two shares is flat. It is so where it
// begins, so that few times are long; or, for a larger mean, where it ends.
func bend(points []noise.Quantile, by, from, to float64) []noise.Quantile {
	const steepest = 1e-3 // of a width: the longest time has occurred
	bends := func(p, q noise.Quantile) bool { return p.Share >= from && q.Share <= to }
	most := 0.0 // by how much the mean changes if these lines are flat all the way
	for i, q := range points[1:] {
		if p := points[i]; bends(p, q) {
			most += (q.Share - p.Share) * (q.Length - p.Length) / 2
		}
	}
	if most <= 0 {
		return points
	}
	flat := min(math.Abs(by)/most, 1-steepest)
	bent := points[:1:1]
	for i, q := range points[1:] {
		p := points[i]
		knee := noise.Quantile{Share: p.Share + flat*(q.Share-p.Share), Length: p.Length}
		if by < 0 {
			knee = noise.Quantile{Share: q.Share - flat*(q.Share-p.Share), Length: q.Length}
		}
		if bends(p, q) && q.Length > p.Length && knee.Share > p.Share && knee.Share < q.Share {
			bent = append(bent, knee)
		}
		bent = append(bent, q)
	}
	return bent
}

// onlyCollectives says what to measure instead, if no curve has times of messages.
func (m *Measurement) onlyCollectives(tool string) {
	messages := func(c Curve) bool { return c.Pattern == OneWay }
	if len(m.Curves) > 0 && !slices.ContainsFunc(m.Curves, messages) {
		m.Instead = "it has times of whole collectives only; measure messages, with " + tool
	}
}
