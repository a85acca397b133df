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

// ranged reports whether a choice is known to be good, but not to be the smallest T that is.
func ranged(c *datasets.ChoiceRow) bool { return c.Warning == "" && c.Low < c.Star }

// chosen returns the T of a choice in a table: a range if a smaller T may be as good.
func chosen(c *datasets.ChoiceRow) string {
	if ranged(c) {
		return fmt.Sprintf("%d–%d", c.Low, c.Star)
	}
	return fmt.Sprint(c.Star)
}

// A certainty is how certain the choices of a study are, which are added one by one.
type certainty struct {
	study          *study.Study
	all            int
	unsure, ranges int     // choices marked ?, and those with a range of T
	needed         []int64 // trials that choices need to be certain, where that is known
	tooClose       int     // choices where it is not
	effort         float64 // the most messages that those trials take
}

// add adds the choice of a configuration.
func (x *certainty) add(i int, c *datasets.ChoiceRow) {
	x.all++
	switch {
	case ranged(c):
		x.ranges++
	case c.Warning != "":
		x.unsure++
	default:
		return
	}
	if c.Needed == 0 {
		x.tooClose++
		return
	}
	x.needed = append(x.needed, c.Needed)
	if i < len(x.study.Configurations) {
		x.effort = max(x.effort, 2*float64(c.Needed)*x.study.Configurations[i].Work)
	}
}

// Certainty returns a paragraph that says how certain the choices of a study are, and how many
// more trials those take that could be more certain.
func Certainty(s *study.Study, choices []datasets.ChoiceRow) string {
	x := certainty{study: s}
	for i := range choices {
		x.add(i, &choices[i])
	}
	return x.text()
}

// text returns the paragraph of [Certainty].
func (x *certainty) text() string {
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
	if x.ranges > 0 {
		fmt.Fprintf(&b, "T a–b: b is within %s of the best, and a smaller T from a on may be; "+
			"mean and gain are of b.\n", output.Level(s.Tolerance))
	}
	b.WriteString(more(s, x.needed, x.tooClose, x.effort))
	return b.String()
}

// more returns a sentence on how many trials would make choices certain, given the numbers that
// they need, how many of them need an unknown number, and the most messages that one takes.
func more(s *study.Study, needed []int64, tooClose int, effort float64) string {
	text := ""
	if len(needed) > 0 {
		slices.Sort(needed)
		median, most := needed[(len(needed)-1)/2], needed[len(needed)-1]
		text = fmt.Sprintf("About %.0f trials would resolve half of these, %.0f all",
			output.RoundUp(median), output.RoundUp(most))
		if len(needed) == 1 {
			text = fmt.Sprintf("About %.0f trials would resolve it", output.RoundUp(most))
		}
		text += "; " + continuation(s, most, effort) + " continues from here.\n"
	}
	if least := s.Objective.Needs(s.Trials.Confidence); s.Trials.Max < least {
		text += fmt.Sprintf("The %s needs at least %d trials.\n", s.Objective.Name, least)
	}
	if tooClose > 0 {
		text += fmt.Sprintf("%d are too close to the tolerance to estimate how many they need.\n",
			tooClose)
	}
	return text
}

// continuation returns what to add to the command so that it simulates so many trials, and more if they
// were estimated too low; effort is the most messages that a choice takes.
func continuation(s *study.Study, trials int64, effort float64) string {
	trials = int64(math.Ceil(output.RoundUp(2 * trials)))
	text := ""
	if s.Trials.Min == s.Trials.Max {
		text = fmt.Sprintf("--trials-min %d ", s.Trials.Min)
	}
	text += fmt.Sprintf("--trials-max %d", max(trials, int64(s.Trials.Max)))
	if s.Trials.Until != montecarlo.UntilChosen {
		text += " --until choice"
	}
	if s.Trials.Effort > 0 && effort > s.Trials.Effort {
		text += " --effort " + output.PowerOfTen(effort)
	}
	return text
}
