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

// mark returns the mark of a choice in a table: ? if it is not known to be good, and a space for
// others.
func mark(c *datasets.ChoiceRow) string {
	if c.Warning != "" {
		return "?"
	}
	return " "
}

// A certainty is how certain choices are, which are added one by one, and what would make them more
// certain.
type certainty struct {
	study           *study.Study
	all             int
	unsure, smaller int     // choices that are not known to be good; that a smaller one may equal
	needed          []int64 // trials that choices need to be certain, where that is known
	tooClose        int     // choices where it is not
	unbounded       bool    // whether some have no bound of how far they are above the best
	effort, seconds float64 // the most messages, and the longest time [s], that those trials take
	ended           bool    // trials of some ended although a smaller one may equal it
}

// add adds a choice: whether it is not known to be good, whether a smaller one may be as good, and
// the trials needed to be certain, which take an effort [messages].
func (x *certainty) add(unsure, smaller bool, needed int64, effort float64) {
	x.all++
	switch {
	case unsure:
		x.unsure++
	case smaller:
		x.smaller++
	default:
		return
	}
	if needed == 0 {
		x.tooClose++
		return
	}
	x.needed, x.effort = append(x.needed, needed), max(x.effort, effort)
}

func (x *certainty) addRow(i int, c *datasets.ChoiceRow) {
	effort := 0.0
	if i < len(x.study.Configurations) {
		effort = 2 * float64(c.Needed) * x.study.Configurations[i].Work
	}
	x.unbounded = x.unbounded || !output.Bounds(c.RegretHigh)
	x.add(c.Warning != "", c.Low < c.Star, c.Needed, effort)
}

// Certainty returns a paragraph that says how certain the choices of a study are, and how many
// more trials those take that could be more certain.
func Certainty(s *study.Study, choices []datasets.ChoiceRow) string {
	x := certainty{study: s}
	for i := range choices {
		x.addRow(i, &choices[i])
	}
	return x.ofRows()
}

// ofRows returns the paragraph of [Certainty].
func (x *certainty) ofRows() string {
	return x.text("T a (b–c): the trials allow any T from b to c; c is certain, and is what to deploy.\n")
}

// text returns the paragraph, with a sentence about choices that a smaller one may equal.
func (x *certainty) text(smaller string) string {
	s := x.study
	var b strings.Builder
	level := output.Level(s.Trials.Confidence)
	switch good := x.all - x.unsure; {
	case s.Objective.Needs(s.Trials.Confidence) == 0:
		return "\n? No number of trials gives confidence in a maximum.\n"
	case good == 1 && x.all == 1:
		fmt.Fprintf(&b, "\nThe choice is within %s of the best, with %s confidence.\n",
			output.Level(s.Tolerance), level)
	case good == x.all:
		fmt.Fprintf(&b, "\nAll %d choices are within %s of the best, each with %s confidence.\n",
			good, output.Level(s.Tolerance), level)
	default:
		fmt.Fprintf(&b, "\n? %d of %d choices are not known to be within %s of the best with %s "+
			"confidence.\n", x.unsure, x.all, output.Level(s.Tolerance), level)
	}
	if x.unbounded {
		b.WriteString(output.NoBound + ": so few trials do not limit how far the choice may be above the best.\n")
	}
	if x.smaller > 0 {
		b.WriteString(smaller)
	}
	b.WriteString(x.more())
	return b.String()
}

// more returns sentences on how many trials would make the choices certain, and the flags that
// allow them.
func (x *certainty) more() string {
	s, text := x.study, ""
	if len(x.needed) > 0 {
		slices.Sort(x.needed)
		median, most := x.needed[(len(x.needed)-1)/2], x.needed[len(x.needed)-1]
		text = fmt.Sprintf("About %.0f trials would resolve half of these, %.0f all",
			output.RoundUp(median), output.RoundUp(most))
		switch least := int64(s.Objective.Needs(s.Trials.Confidence)); {
		case most <= least: // too few trials to estimate it
			text = fmt.Sprintf("It takes at least %d trials", least)
		case len(x.needed) == 1:
			text = fmt.Sprintf("About %.0f trials would resolve it", output.RoundUp(most))
		}
		text += "; " + x.continuation(most) + " continues from here.\n"
	}
	if least := s.Objective.Needs(s.Trials.Confidence); s.Trials.Max < least {
		text += fmt.Sprintf("The %s needs at least %d trials.\n", s.Objective.Name, least)
	}
	switch {
	case x.tooClose == 1 && x.all == 1:
		text += "It is too close to the tolerance to estimate how many trials would resolve it.\n"
	case x.tooClose == 1:
		text += "1 is too close to the tolerance to estimate how many it needs.\n"
	case x.tooClose > 0:
		text += fmt.Sprintf("%d are too close to the tolerance to estimate how many they need.\n",
			x.tooClose)
	}
	return text
}

// continuation returns what to add to the command so that it simulates as many trials as are
// needed, and as many again in case that is estimated too low.
func (x *certainty) continuation(needed int64) string {
	s := x.study
	var flags []string
	if s.Trials.Min == s.Trials.Max {
		flags = append(flags, fmt.Sprintf("--trials-min %d", s.Trials.Min))
	} else if x.ended {
		flags = append(flags, fmt.Sprintf("--trials-min %.0f", output.RoundUp(2*needed)))
	}
	bounded := x.seconds > 0 || x.ended || s.Trials.Effort > 0 && x.effort > s.Trials.Effort
	trials := int64(math.Ceil(output.RoundUp(2 * needed)))
	if most := int64(s.Trials.Max); trials > most || !bounded {
		flags = append(flags, fmt.Sprintf("--trials-max %d", max(trials, most)))
	}
	if s.Trials.Until != montecarlo.UntilChosen {
		flags = append(flags, "--until choice")
	}
	if x.seconds > 0 {
		flags = append(flags, fmt.Sprintf("--time %.0fm", math.Ceil(x.seconds/60)))
	}
	if s.Trials.Effort > 0 && x.effort > s.Trials.Effort {
		flags = append(flags, "--effort "+output.PowerOfTen(x.effort))
	}
	return strings.Join(flags, " ")
}

// addAdvice adds the choice for a deployment.
func (x *certainty) addAdvice(a advice) {
	times, effort := 2*float64(a.Needed)/float64(a.result(a.Star).Trials), 0.0
	switch a.decision.Stop {
	case montecarlo.Spent:
		effort = x.study.Trials.Effort * times
	case montecarlo.OutOfTime:
		x.seconds = max(x.seconds, a.seconds*times)
	case montecarlo.Chosen:
		x.ended = x.ended || a.Low != a.Star
	}
	x.unbounded = x.unbounded || !output.Bounds(a.Regret)
	x.add(a.Warning != montecarlo.NoWarning, a.Low != a.Star, int64(a.Needed), effort)
}
