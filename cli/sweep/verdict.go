package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// exampleNoise says that a choice is for the noise of an example, and how to give another.
const exampleNoise = "No noise was given, and this is an example's: jitterfly measure measures a " +
	"machine's, and --noise takes that, or a published system's (jitterfly presets).\n\n"

// verdictOf returns the answer of choices in one or two sentences: whether redundancy pays, and what
// it saves.
func verdictOf(s *study.Study, all []advice) string {
	example := ""
	if s.ExampleNoise() {
		example = exampleNoise
	}
	g := gainsOf(all)
	noisy := func(a advice) bool { return a.noisy }
	switch {
	case !slices.ContainsFunc(all, noisy) && !slices.ContainsFunc(all, advice.redundant):
		return "There is no noise, so that redundancy has nothing to hide: leave the native collective alone."
	case g.iterations != nil:
		return example + output.Iterations(g.iterations, g.collectives, g.redundant, g.sure, s.Tolerance)
	case !all[0].allreduce():
		return example + fastest(all)
	}
	return example + launches(all)
}

// A paying is how many configurations under one value of assume gain by redundancy with the confidence
// asked for, the least and the largest of their gains, and in how many others the trials do not decide.
type paying struct {
	assume         string
	all, pay, open int
	least, most    float64
}

// pays adds a choice to those of its assumptions.
func (x *summary) pays(c *datasets.ChoiceRow) {
	i := slices.IndexFunc(x.paying, func(p paying) bool { return p.assume == c.Assume })
	if i < 0 {
		i = len(x.paying)
		x.paying = append(x.paying, paying{assume: c.Assume, least: math.Inf(1)})
	}
	x.paying[i].add(c.Star > 0 && c.GainLow > 1, c.Speedup, c.Warning != "")
}

// add adds a configuration: whether it gains, how much, and whether the trials do not decide if it does not.
func (p *paying) add(pays bool, gain float64, open bool) {
	p.all++
	switch {
	case pays:
		p.pay++
		p.least, p.most = min(p.least, gain), max(p.most, gain)
	case open:
		p.open++
	}
}

// launches returns in a sentence for each value of assume how many configurations gain.
func (x *summary) launches() string {
	var texts []string
	level := output.Level(x.certainty.study.Trials.Confidence)
	for _, p := range x.paying {
		text := fmt.Sprintf("redundant exchanges pay in %d of %d configurations: %s times as fast",
			p.pay, p.all, times(p.least, p.most))
		switch {
		case p.pay == 0 && p.open > 0:
			text = fmt.Sprintf("these trials do not show whether redundant exchanges pay in %d of %d configurations",
				p.open, p.all)
		case p.pay == 0:
			text = fmt.Sprintf("redundant exchanges pay in none of %d configurations", p.all)
		}
		if len(x.paying) > 1 {
			text = fmt.Sprintf("With assume %s %s", p.assume, text)
		}
		texts = append(texts, strings.ToUpper(text[:1])+text[1:]+" ("+level+" confidence).")
	}
	return strings.Join(texts, " ")
}

// fastest returns the verdict on choices of which none is an allreduce between hosts.
func fastest(all []advice) string {
	least, most := math.Inf(1), 0.0
	for _, a := range all {
		least, most = min(least, a.gain()), max(most, a.gain())
	}
	return fmt.Sprintf("The choice is %s times as fast as the baseline.", times(least, most))
}

// launches returns the verdict on choices for single allreduces.
func launches(all []advice) string {
	p := paying{least: math.Inf(1)}
	for _, a := range all {
		p.add(a.redundant() && a.GainLow > 1, a.gain(), a.Warning != montecarlo.NoWarning)
	}
	switch {
	case p.pay == p.all:
		return fmt.Sprintf("Redundancy pays here: an allreduce is %s times as fast.", times(p.least, p.most))
	case p.pay > 0:
		return fmt.Sprintf("Redundancy pays in %d of %d deployments: an allreduce is %s times as fast there.",
			p.pay, p.all, times(p.least, p.most))
	case p.open > 0:
		return "These trials do not show whether redundancy pays."
	}
	return output.DoesNotPay
}

// times returns a range of ratios without their signs.
func times(least, most float64) string {
	number := func(v float64) string { return output.Gain(v)[:len(output.Gain(v))-len("×")] }
	return span(number(least), number(most))
}
