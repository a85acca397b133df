package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// A Statement is a sentence about choices. Config is the ID of the configuration that it is about, or
// empty.
type Statement struct{ Text, Config string }

// A gain is how many times faster a choice is than without redundancy, with an interval, whose upper end
// is infinite where it has none.
type gain struct{ low, value, high float64 }

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
	middle := func(of func(gain) float64) float64 { return vector.Median(vector.Each(gains, of)) }
	return gain{
		middle(func(g gain) float64 { return g.low }), middle(func(g gain) float64 { return g.value }),
		middle(func(g gain) float64 { return g.high }),
	}
}

// gains are what the choices under one value of assume gain by redundancy.
type gains struct {
	assume    string
	all       []gain
	paying    []float64 // gains above 1 with the confidence asked for
	largest   gain      // of those
	config    string    // the ID of its configuration
	open      int       // choices that the trials do not decide
	unshown   int       // choices with redundancy that are not shown to gain by it
	redundant bool      // whether any choice has redundancy
	exchanges bool      // whether the gains are of redundant exchanges alone, beside other redundancy
	tried     bool      // whether anything but T = 0 was simulated
	// iterations and collectives are the gains of the iterations of applications, and of the collectives
	// in them.
	iterations, collectives []float64
	from, to                int64  // range of the best T
	first                   string // best T of the first choice, with its confidence
}

// add adds a choice with the ID of its configuration: whether it has redundancy, what it gains, and
// whether the trials do not decide.
func (g *gains) add(config string, redundant bool, x gain, open bool) {
	g.all = append(g.all, x)
	switch {
	case redundant && x.low > 1:
		g.paying = append(g.paying, x.value)
		if x.value > g.largest.value {
			g.largest, g.config = x, config
		}
	case open:
		g.open++
	case redundant:
		g.unshown++
	}
	g.redundant = g.redundant || redundant
}

// addRow adds a choice of T. Of a mean the upper end of its gain's interval is the largest ratio within
// the intervals at T = 0 and at T*; other objectives have none. The gain of T* = 0 is 1.
func (g *gains) addRow(c *datasets.ChoiceRow, measures []datasets.Measures) {
	x, collective := gain{1, 1, 1}, 1.0
	if c.Star > 0 {
		star := measures[c.Star]
		x, collective = gain{c.GainLow, c.Speedup, math.Inf(1)}, measures[0].InCalls/star.InCalls
		if c.ByName == "mean" && star.Low > 0 {
			x.high = max(x.value, measures[0].High/star.Low)
		}
	}
	if g.all == nil {
		g.from, g.to = c.Estimate, c.Estimate
		g.first = fmt.Sprintf("%s, with a confidence of %.1f%% in %d", output.Estimate(c.Estimate, c.Low, c.High),
			math.Floor(c.Confidence*1000)/10, c.Star)
	}
	g.from, g.to = min(g.from, c.Estimate), max(g.to, c.Estimate)
	g.exchanges = g.exchanges || c.Sources > 1 || c.Leaders > 1
	g.tried = g.tried || len(measures) > 1
	g.add(c.ConfigID, c.Star > 0, x, c.Warning != "")
	if c.Iterations > 0 { // else one launch
		g.iterations, g.collectives = append(g.iterations, x.value), append(g.collectives, collective)
	}
}

// addAdvice adds a choice for a deployment.
func (g *gains) addAdvice(a advice) {
	g.tried = true
	g.add("", a.redundant(), gain{a.GainLow, a.gain(), math.Inf(1)}, a.Warning != montecarlo.NoWarning)
	if a.application() {
		collective := 1.0
		if !a.leftAlone() {
			collective = a.inCalls(a.Base) / a.inCalls(a.Star)
		}
		g.iterations, g.collectives = append(g.iterations, a.gain()), append(g.collectives, collective)
	}
}

// sentence says whether redundancy pays, and what it saves.
func (g *gains) sentence(s *study.Study) string {
	cases := func(n int) string {
		if len(g.all) == 1 {
			return "here"
		}
		return fmt.Sprintf("in %d of %d cases", n, len(g.all))
	}
	words := g.wording()
	switch undecided := g.open + g.unshown; {
	case !g.tried:
		return fmt.Sprintf("Only T = 0 was simulated, which does not show whether %s.", words.whether)
	case g.iterations != nil:
		return g.ofIterations(s.Tolerance)
	case g.paying != nil:
		least, most := vector.Extremes(g.paying)
		return fmt.Sprintf("%s %s: the collective is %s times as fast (%s confidence).", words.pays,
			cases(len(g.paying)), times(least, most), output.Level(s.Trials.Confidence))
	case undecided > 0:
		return fmt.Sprintf("These trials do not show whether %s %s.", words.whether, cases(undecided))
	}
	return fmt.Sprintf("%s %s: %s.", words.not, cases(len(g.all)), words.instead)
}

// A wording is what is said of redundancy.
type wording struct{ pays, whether, not, saves, instead string }

// wording returns what to say of what the gains are by.
func (g *gains) wording() wording {
	if g.exchanges {
		return wording{"Redundant exchanges pay", "redundant exchanges pay", "Redundant exchanges do not pay",
			"Redundant exchanges save", "take T = 0"}
	}
	return wording{"Redundancy pays", "redundancy pays", "Redundancy does not pay", "Redundancy saves",
		"leave the native collective alone"}
}

// ofIterations says whether redundancy pays in the iterations of applications, and what the choices
// save of them and of the collectives in them: it pays if it saves more than the tolerance of an
// iteration.
func (g *gains) ofIterations(tolerance float64) string {
	from, to := saved(g.iterations)
	words := g.wording()
	text := words.pays + " in some of these iterations."
	switch {
	case g.open > 0:
		text = fmt.Sprintf("These trials do not show whether %s.", words.whether)
	case !g.redundant && to > tolerance:
		text = "Another collective pays here, without redundancy."
	case !g.redundant:
		return fmt.Sprintf("%s here: %s.", words.not, words.instead)
	case to <= tolerance:
		return fmt.Sprintf("%s less than %s of an iteration (%s): %s.", words.saves, output.Level(tolerance),
			between(from, to), words.instead)
	case g.paying == nil:
		text = fmt.Sprintf("These trials do not show whether %s.", words.whether)
	case from > tolerance && g.unshown == 0:
		text = words.pays + " here."
	}
	what := "The choice saves"
	if len(g.iterations) > 1 {
		what = "The choices save"
	}
	return fmt.Sprintf("%s %s %s of an iteration, and %s of the time in the collective.",
		text, what, between(from, to), between(saved(g.collectives)))
}

// saved returns the least and the largest share of a time that gains save, at least 0.
func saved(gains []float64) (from, to float64) {
	return max(0, 1-1/slices.Min(gains)), max(0, 1-1/slices.Max(gains))
}

// between formats two shares, or one if they look the same.
func between(from, to float64) string {
	return strings.Join(slices.Compact([]string{output.Percent(from), output.Percent(to)}), " to ")
}

// times returns a range of ratios without their signs.
func times(least, most float64) string {
	number := func(v float64) string { return output.Gain(v)[:len(output.Gain(v))-len("×")] }
	return span(number(least), number(most))
}

// statements returns what choices of T gain: whether redundancy pays, the median gain, the largest of the
// gains that are certain, and the best T.
func (g *gains) statements(s *study.Study) []Statement {
	all := []Statement{{Text: g.sentence(s)}}
	if !g.tried {
		return all
	}
	if len(g.all) == 1 {
		return append(all, Statement{Text: fmt.Sprintf("Gain over T = 0: %s.", g.all[0])},
			Statement{Text: fmt.Sprintf("Best T: %s.", g.first)})
	}
	if g.paying != nil {
		all = append(all, Statement{Text: fmt.Sprintf("Median gain: %s.", median(g.all))},
			Statement{fmt.Sprintf("Largest gain: %s.", g.largest), g.config})
	}
	return append(all, Statement{Text: fmt.Sprintf("Best T: %s.", span(fmt.Sprint(g.from), fmt.Sprint(g.to)))})
}
