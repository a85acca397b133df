package results

import (
	"fmt"
	"math"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

// A statement is a part of the headline. Config is the ID of the configuration that it is about,
// or empty.
type statement struct {
	Text, Config string
}

// A gain is how many times faster T* is than T = 0, with an interval, whose upper end is infinite
// where it has none.
type gain struct {
	low, value, high float64
}

// gainOf returns the gain of a choice. Of a mean the upper end of its interval is the largest ratio
// within the intervals at T = 0 and at T*; other objectives have none. The gain of T* = 0 is 1.
func gainOf(c datasets.ChoiceRow, measures []datasets.Measures) gain {
	if c.Star == 0 {
		return gain{1, 1, 1}
	}
	g := gain{c.GainLow, c.Speedup, math.Inf(1)}
	if star := measures[c.Star]; c.ByName == "mean" && star.Low > 0 {
		g.high = max(g.value, measures[0].High/star.Low)
	}
	return g
}

// String returns the gain with its interval, as far as it has one.
func (g gain) String() string {
	text := fmt.Sprintf("%.2f×", g.value)
	switch {
	case g.low == g.high:
		return text
	case math.IsInf(g.high, 1):
		return fmt.Sprintf("%s (at least %.2f×)", text, g.low)
	}
	return fmt.Sprintf("%s (%.2f× to %.2f×)", text, g.low, g.high)
}

// median returns the median of the gains. If each true gain is in its interval, the median of the
// true ones is between the medians of the ends.
func median(gains []gain) gain {
	middle := func(of func(gain) float64) float64 { return vector.Median(study.Each(gains, of)) }
	return gain{
		middle(func(g gain) float64 { return g.low }), middle(func(g gain) float64 { return g.value }),
		middle(func(g gain) float64 { return g.high }),
	}
}

// headline returns a summary of the results in a few statements, for each value of assume by itself:
// whether redundancy pays, the median gain, the largest of those gains that are above 1 with the
// confidence that the study asks for, and the best T.
func headline(r *datasets.Results) []statement {
	assume := func(i int) string { return r.Choices[i].Assume }
	groups := vector.Groups(len(r.Choices), assume)
	var all []statement
	for _, of := range groups {
		under := headlineOf(r, of, percentOf(r, study.TrialsConfidence))
		for i := range under {
			if len(groups) > 1 {
				under[i].Text = study.Assume.Path + " " + assume(of[0]) + ": " + under[i].Text
			}
		}
		all = append(all, under...)
	}
	return all
}

// headlineOf returns the statements on some choices, given the level of confidence.
func headlineOf(r *datasets.Results, choices []int, level string) []statement {
	var gains []gain
	best, largest, pays, open := -1, gain{}, 0, 0
	least, most, certain := int64(math.MaxInt64), int64(0), int64(0)
	for _, i := range choices {
		c, g := r.Choices[i], gainOf(r.Choices[i], r.Measures[i])
		gains = append(gains, g)
		least, most, certain = min(least, c.Estimate), max(most, c.Estimate), max(certain, c.Star)
		if c.Warning != "" {
			open++
		}
		if g.low > 1 {
			if pays++; best < 0 || g.low > largest.low {
				best, largest = i, g
			}
		}
	}
	n := len(choices)
	if n == 1 {
		return one(r.Choices[choices[0]], gains[0])
	}
	text := fmt.Sprintf("best T from %d to %d", least, most)
	if least == most {
		text = fmt.Sprintf("best T = %d everywhere", least)
	}
	switch {
	case pays == 0 && open > 0:
		return []statement{
			{Text: fmt.Sprintf("the trials do not show whether redundancy pays in %d of %d configurations", open, n)},
			{Text: text},
		}
	case certain == 0:
		return []statement{
			{Text: fmt.Sprintf("redundancy pays in none of %d configurations: leave the native allreduce alone", n)},
			{Text: text},
		}
	}
	all := []statement{
		{Text: fmt.Sprintf("redundancy pays in %d of %d configurations with %s confidence", pays, n, level)},
		{Text: "median gain " + median(gains).String()},
	}
	if best >= 0 {
		all = append(all, statement{
			fmt.Sprintf("largest gain with %s confidence: %s", level, largest), r.Choices[best].ConfigID})
	}
	return append(all, statement{Text: text})
}

// one returns the headline of a single configuration.
func one(c datasets.ChoiceRow, g gain) []statement {
	return []statement{
		{Text: "T = " + output.Estimate(c.Estimate, c.Low, c.High)},
		{Text: "gain over T = 0: " + g.String()},
		{Text: fmt.Sprintf("confidence in T* = %d: %.1f%%", c.Star, math.Floor(c.Confidence*1000)/10)},
	}
}
