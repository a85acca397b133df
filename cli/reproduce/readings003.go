package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The functions of this file judge the words of paper 003. Each returns a function from results
// to our answer and the verdict.

// Parts of the planes.
func anywhere(int64, float64) bool      { return true }
func shorter(_ int64, x float64) bool   { return x > 1.05 } // jitter shorter than a message
func longer(_ int64, x float64) bool    { return x < 0.95 }
func below001(_ int64, x float64) bool  { return x < 0.0099 }
func above001(_ int64, x float64) bool  { return x > 0.0101 }
func from7(ranks int64, _ float64) bool { return ranks >= 1<<7 }

// ranksIn is the part where P is from 2^first up to 2^last.
func ranksIn(first, last int) part {
	return func(ranks int64, _ float64) bool { return ranks >= 1<<first && ranks <= 1<<last }
}

// most is an exponent above those of all numbers of ranks.
const most = 62

// and returns the intersection of parts.
func and(parts ...part) part {
	return func(ranks int64, x float64) bool {
		return !slices.ContainsFunc(parts, func(in part) bool { return !in(ranks, x) })
	}
}

// not returns the complement of a part.
func not(in part) part {
	return func(ranks int64, x float64) bool { return !in(ranks, x) }
}

// exactly returns the difference of two numbers that should be the same, as text. It ignores
// rounding, which differs between machines.
func exactly(difference float64) string {
	if difference < 1e-12 {
		return "the same to 12 digits"
	}
	return fmt.Sprintf("different by %.2g of it", difference)
}

// middle returns the median of a measure in a part of a study's plane.
func middle(r *Results, study string, in part, m measured) estimate {
	p := plane003(r, study)
	return estimated(func(at lens) float64 { return median(each(p.pick(in), at(m))) })
}

// largest returns the configuration with the largest value of a measure. It panics if there are
// none.
func largest(configs []*Config, of func(*Config) float64) *Config {
	return slices.MaxFunc(configs, func(a, b *Config) int {
		switch x, y := of(a), of(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

var (
	slowdown = measured{slow, slowInterval}
	gained   = measured{gain, gainInterval}
	left     = measured{remaining, func(c *Config) (float64, float64) {
		b, noiseFree := best(c), c.T[0].NoiseFree
		return max(1, b.Low/noiseFree), b.High / noiseFree
	}}
	// chosen has no interval: it is a choice.
	chosen = measured{of: func(c *Config) float64 { return float64(bestT(c)) }}
)

// most returns the largest value of a measure.
func (m measured) most(configs []*Config) estimate { return m.at(largest(configs, m.of)) }

// least returns the smallest value of a measure.
func (m measured) least(configs []*Config) estimate {
	return m.at(largest(configs, func(c *Config) float64 { return -m.of(c) }))
}

// sides judges "small where jitter is shorter than a message, large where it is longer", from
// 2^7 processors on: at most 1.25 in every cell of the one side, and a median above
// that on the other.
func sides(study string, m measured) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		small, large := p.pick(and(from7, shorter)), p.pick(and(from7, longer))
		typical := middle(r, study, and(from7, longer), m)
		return fmt.Sprintf(
				"up to %s; median %s, up to %s", m.most(small).factor(), typical.factor(),
				m.most(large).factor(),
			), both(every(small, m.interval, 0, sideBorder),
				within(typical.low, typical.high, sideBorder, math.Inf(1)))
	}
}

// sideBorder is the border between a small and a large slow-down or gain.
const sideBorder = 1.25

// sidesReading is how sides reads its claims.
const sidesReading = "from 2^7 processors on at most 1.25× in every cell where jitter is " +
	"shorter, and a median above that where it is longer."

// allAtLeast judges "large": at least the factor least in every cell of a part.
func allAtLeast(study string, in part, m measured, least float64) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		cells := p.pick(in)
		return fmt.Sprintf("%s to %s", m.least(cells).factor(), m.most(cells).factor()), every(
			cells, m.interval, least, math.Inf(1),
		)
	}
}

// especially judges "especially in this part": the median there is above those of all other
// parts.
func especially(
	study string, m measured, here part, others map[string]part,
) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		inside := middle(r, study, here, m)
		text, v := "median "+inside.factor(), Holds
		for _, name := range sortedNames(others) {
			outside := middle(r, study, others[name], m)
			text += fmt.Sprintf("; %s %s", name, outside.factor())
			v = both(v, inside.above(outside))
		}
		return text, v
	}
}

// sortedNames returns the names of parts in alphabetical order.
func sortedNames(parts map[string]part) []string {
	var names []string
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// together judges "where the influence is large, the effect is large": their rank correlation
// is at least 0.8.
func together(study string) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		cells := p.pick(anywhere)
		c := estimated(func(at lens) float64 {
			return spearman(each(cells, at(slowdown)), each(cells, at(gained)))
		})
		return "rank correlation " + c.text("%.2f", ""), within(c.low, c.high, 0.8, math.Inf(1))
	}
}

// A group is configurations in which one value is compared with another.
type group struct {
	cells []*Config
	along []float64
}

// correlated returns the median and the least of the rank correlations of a measure in groups, and
// how many there are in which it varies.
func correlated(groups []group, m measured) (middle, least estimate, n int) {
	correlation := func(g group, of func(*Config) float64) float64 {
		return spearman(g.along, each(g.cells, of))
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return math.IsNaN(correlation(g, m.of)) })
	if len(groups) == 0 {
		return middle, least, 0
	}
	all := func(at lens) (all []float64) {
		of := at(m)
		for _, g := range groups {
			all = append(all, correlation(g, of))
		}
		return all
	}
	middle = estimated(func(at lens) float64 { return median(all(at)) })
	least = estimated(func(at lens) float64 { return slices.Min(all(at)) })
	return middle, least, len(groups)
}

// rises judges that the median of the rank correlations in groups, named so, is at least a number.
func rises(groups []group, names string, m measured, least float64) (string, Verdict) {
	middle, lowest, n := correlated(groups, m)
	if n == 0 {
		return "it is the same everywhere", Fails
	}
	return fmt.Sprintf("%s in the middle one of %d %s, at least %s", middle.text("%.2f", ""), n, names,
		lowest.text("%.2f", "")), within(middle.low, middle.high, least, math.Inf(1))
}

// grows judges "grows with P": the median of the rank correlations in those columns where the
// measure varies is at least 0.8.
func grows(m measured, studies ...string) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		var columns []group
		for _, study := range studies {
			p := plane003(r, study)
			for _, x := range p.along {
				cells := p.pick(column(x))
				ranks := each(cells, func(c *Config) float64 { return float64(c.Ranks) })
				columns = append(columns, group{cells, ranks})
			}
		}
		return rises(columns, "columns", m, 0.8)
	}
}

// growsReading is how grows reads its claims.
const growsReading = "a rank correlation with P of at least 0.8 in the middle one of the columns " +
	"in which it varies."

// alongRows judges "the larger the other axis, the larger the measure" in the rows of a part: the
// median of their rank correlations is at least least.
func alongRows(
	study string, m measured, in part, least float64,
) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		var rows []group
		for _, ranks := range p.ranks {
			row := p.pick(and(in, func(n int64, _ float64) bool { return n == ranks }))
			rows = append(rows, group{row, each(row, along(study))})
		}
		return rises(rows, "rows", m, least)
	}
}

// cornered judges "uniform but for a corner": of the cells outside of the corner nine of ten are
// in the lowest fifth of the colours up to top, and most of those inside are not.
func cornered(study string, corner part, top float64) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		low := func(in part) estimate {
			return estimated(func(at lens) float64 {
				n := 0.0
				for _, v := range each(p.pick(in), at(slowdown)) {
					if v < top/5 {
						n++
					}
				}
				return 100 * n / float64(len(p.pick(in)))
			})
		}
		outside, inside := low(not(corner)), low(corner)
		return fmt.Sprintf("%s of the cells outside, %s inside", outside.text("%.0f", " %"),
				inside.text("%.0f", " %")), both(within(outside.low, outside.high, 90, math.Inf(1)),
				within(inside.low, inside.high, 0, 50))
	}
}

// corneredReading is how cornered reads its claims.
const corneredReading = "in the lowest fifth of the colours are nine of ten cells outside of the " +
	"corner (from 2^10 processors on, 0.01 on the axis and beyond), and less than half of those " +
	"inside."

// topIs judges the end of the colours: the largest slow-down agrees with it.
func topIs(study string, top float64) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		c := largest(p.pick(anywhere), slow)
		e := slowdown.at(c)
		return fmt.Sprintf("the largest is %s, at 2^%d", e.factor(), exponent(c.Ranks)),
			nearRatio(e.low, e.high, top)
	}
}

// aboutTen judges "about ten times at most": the largest gain agrees with 10.
func aboutTen(in part, studies ...string) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		var cells []*Config
		for _, study := range studies {
			p := plane003(r, study)
			cells = append(cells, p.pick(in)...)
		}
		c := largest(cells, gain)
		e := gained.at(c)
		return fmt.Sprintf("%s at 2^%d, Tcomm/duration %.2g", e.factor(), exponent(c.Ranks),
			commByDuration(c)), nearRatio(e.low, e.high, 10)
	}
}

// cliff judges "rises suddenly above 2^14": less than twice the time without jitter up to 2^14,
// and at least that from 2^15 on.
func cliff(study string, at part) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		var times []string
		for _, k := range []int{10, 12, 14, 15, 16} {
			for _, c := range p.pick(and(at, ranksIn(k, k))) {
				times = append(times, fmt.Sprintf("%s at 2^%d", left.at(c).factor(), k))
			}
		}
		low := every(p.pick(and(at, ranksIn(0, 14))), left.interval, 0, 2)
		high := every(p.pick(and(at, ranksIn(15, most))), left.interval, 2, math.Inf(1))
		return strings.Join(times, ", ") + " the time without jitter", both(low, high)
	}
}

// cliffReading is how cliff reads its claims.
const cliffReading = "the proposed method takes less than twice the time without jitter up to " +
	"2^14, and more from 2^15 on."

// both returns the verdict of two claims together.
func both(a, b Verdict) Verdict {
	switch {
	case a == Fails || b == Fails:
		return Fails
	case a == Unclear || b == Unclear:
		return Unclear
	}
	return Holds
}
