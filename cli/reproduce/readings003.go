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

// factor returns a factor as text.
func factor(v float64) string { return fmt.Sprintf("%.3g×", v) }

// middle returns the median of a measure in a part of a study's plane.
func middle(r *Results, study string, in part, of func(*Config) float64) float64 {
	p := plane003(r, study)
	return median(each(p.pick(in), of))
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

// A measured is a measure with its confidence interval.
type measured struct {
	of       func(*Config) float64
	interval func(*Config) (low, high float64)
}

var (
	slowdown = measured{slow, slowInterval}
	gained   = measured{gain, gainInterval}
	left     = measured{remaining, func(c *Config) (float64, float64) {
		b, noiseFree := best(c), c.T[0].NoiseFree
		return max(1, b.Low/noiseFree), b.High / noiseFree
	}}
)

// sides judges "small where jitter is shorter than a message, large where it is longer", from
// 2^7 processors on: at most 1.25 in every cell of the one side, and a median above
// that on the other.
func sides(study string, m measured) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		small, large := p.pick(and(from7, shorter)), each(p.pick(and(from7, longer)), m.of)
		v := every(small, m.interval, 0, sideBorder)
		if v == Holds {
			v = verdict(median(large) > sideBorder)
		}
		return fmt.Sprintf(
			"up to %s; median %s, up to %s", factor(slices.Max(each(small, m.of))), factor(median(large)),
			factor(slices.Max(large)),
		), v
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
		values := each(p.pick(in), m.of)
		return fmt.Sprintf("%s to %s", factor(slices.Min(values)), factor(slices.Max(values))), every(
			p.pick(in), m.interval, least, math.Inf(1),
		)
	}
}

// especially judges "especially in this part": the median there is above those of all other
// parts.
func especially(
	study string, m measured, here part, others map[string]part,
) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		inside := middle(r, study, here, m.of)
		text, holds := "median "+factor(inside), true
		for _, name := range sortedNames(others) {
			outside := middle(r, study, others[name], m.of)
			text += fmt.Sprintf("; %s %s", name, factor(outside))
			holds = holds && inside > outside
		}
		return text, verdict(holds)
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
func together(studies ...string) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		text, holds := "rank correlation", true
		for i, study := range studies {
			p := plane003(r, study)
			cells := p.pick(anywhere)
			c := spearman(each(cells, slow), each(cells, gain))
			if i > 0 {
				text += " and"
			}
			text += fmt.Sprintf(" %.2f", c)
			holds = holds && c >= 0.8
		}
		return text, verdict(holds)
	}
}

// grows judges "grows with P": the median of the rank correlations in those columns where the
// measure varies is at least 0.8.
func grows(of func(*Config) float64, studies ...string) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		var all []float64
		for _, study := range studies {
			p := plane003(r, study)
			for _, x := range p.along {
				cells := p.pick(column(x))
				ranks := each(cells, func(c *Config) float64 { return float64(c.Ranks) })
				if c := spearman(ranks, each(cells, of)); !math.IsNaN(c) {
					all = append(all, c)
				}
			}
		}
		if len(all) == 0 {
			return "it is the same everywhere", Fails
		}
		return fmt.Sprintf(
			"%.2f in the middle one of %d columns, at least %.2f", median(all), len(all), slices.Min(all),
		), verdict(median(all) >= 0.8)
	}
}

// growsReading is how grows reads its claims.
const growsReading = "a rank correlation with P of at least 0.8 in the middle one of the columns " +
	"in which it varies."

// alongRows judges "the larger the other axis, the larger the measure" in the rows of a part: the
// median of their rank correlations is at least least.
func alongRows(
	study string, of func(*Config) float64, in part, least float64,
) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		var all []float64
		for _, ranks := range p.ranks {
			row := p.pick(and(in, func(n int64, _ float64) bool { return n == ranks }))
			if c := spearman(each(row, along(study)), each(row, of)); !math.IsNaN(c) {
				all = append(all, c)
			}
		}
		if len(all) == 0 {
			return "it is the same everywhere", Fails
		}
		return fmt.Sprintf(
			"%.2f in the middle one of %d rows, at least %.2f", median(all), len(all), slices.Min(all),
		), verdict(median(all) >= least)
	}
}

// cornered judges "uniform but for a corner": of the cells outside of the corner nine of ten are
// in the lowest fifth of the colours up to top, and most of those inside are not.
func cornered(study string, corner part, top float64) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		p := plane003(r, study)
		low := func(in part) float64 {
			n := 0.0
			for _, v := range each(p.pick(in), slow) {
				if v < top/5 {
					n++
				}
			}
			return n / float64(len(p.pick(in)))
		}
		outside, inside := low(not(corner)), low(corner)
		return fmt.Sprintf(
			"%.0f %% of the cells outside, %.0f %% inside", 100*outside, 100*inside,
		), verdict(outside >= 0.9 && inside < 0.5)
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
		low, high := slowInterval(c)
		return fmt.Sprintf("the largest is %s, at 2^%d", factor(slow(c)), exponent(c.Ranks)),
			nearRatio(low, high, top)
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
		low, high := gainInterval(c)
		return fmt.Sprintf(
			"%s (from %.3g to %.3g) at 2^%d, Tcomm/duration %.2g", factor(gain(c)), low, high,
			exponent(c.Ranks), commByDuration(c),
		), nearRatio(low, high, 10)
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
				times = append(times, fmt.Sprintf("%s at 2^%d", factor(remaining(c)), k))
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
