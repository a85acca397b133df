package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
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
		return example + output.Iterations(g.iterations, g.collectives, g.redundant, !g.open, s.Tolerance)
	case !all[0].allreduce():
		return example + fastest(all)
	}
	return example + launches(g.paying[0])
}

// gains are what choices gain by redundancy.
type gains struct {
	iterations, collectives []float64 // of applications, and of the collectives in their iterations
	redundant               bool      // whether any choice has redundancy
	open                    bool      // whether it is not known of any choice if redundancy pays
	paying                  []paying
}

// A paying is how many configurations under one value of assume gain by redundancy with the confidence
// asked for, the least and the largest of their gains, and in how many others the trials do not decide.
type paying struct {
	assume         string
	all, pay, open int
	least, most    float64
}

// add adds a choice under a value of assume: whether it has redundancy, its gain and the gain's lower bound,
// and whether the trials do not decide.
func (g *gains) add(assume string, redundant bool, gain, low float64, open bool) {
	i := slices.IndexFunc(g.paying, func(p paying) bool { return p.assume == assume })
	if i < 0 {
		i = len(g.paying)
		g.paying = append(g.paying, paying{assume: assume, least: math.Inf(1)})
	}
	p := &g.paying[i]
	p.all++
	switch {
	case redundant && low > 1:
		p.pay++
		p.least, p.most = min(p.least, gain), max(p.most, gain)
	case open:
		p.open++
		g.open = true
	}
	g.redundant = g.redundant || redundant
}

// gainsOf returns the gains of the choices for applications, or of all if there are none.
func gainsOf(all []advice) (g gains) {
	applications := slices.ContainsFunc(all, advice.application)
	for _, a := range all {
		if a.application() != applications {
			continue
		}
		g.add("", a.redundant(), a.gain(), a.GainLow, a.Warning != montecarlo.NoWarning)
		if applications {
			inCalls := a.inCalls(a.Base) / a.inCalls(a.Star)
			if a.leftAlone() {
				inCalls = 1
			}
			g.iterations, g.collectives = append(g.iterations, a.gain()), append(g.collectives, inCalls)
		}
	}
	return g
}

// launches returns in a sentence for each value of assume how many configurations gain, at a level of
// confidence.
func (g *gains) launches(level string) string {
	var texts []string
	for _, p := range g.paying {
		text := fmt.Sprintf("redundant exchanges pay in %d of %d configurations: %s times as fast",
			p.pay, p.all, times(p.least, p.most))
		switch {
		case p.pay == 0 && p.open > 0:
			text = fmt.Sprintf("these trials do not show whether redundant exchanges pay in %d of %d configurations",
				p.open, p.all)
		case p.pay == 0:
			text = fmt.Sprintf("redundant exchanges pay in none of %d configurations", p.all)
		}
		if len(g.paying) > 1 {
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
func launches(p paying) string {
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
