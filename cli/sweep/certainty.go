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
func mark(c datasets.ChoiceRow) string {
	if c.Warning != "" {
		return "?"
	}
	return " "
}

// ranged reports whether a choice is known to be good, but not to be the smallest T that is.
func ranged(c datasets.ChoiceRow) bool { return c.Warning == "" && c.Low < c.Star }

// chosen returns the T of a choice in a table: a range if a smaller T may be as good.
func chosen(c datasets.ChoiceRow) string {
	if ranged(c) {
		return fmt.Sprintf("%d–%d", c.Low, c.Star)
	}
	return fmt.Sprint(c.Star)
}

// Certainty returns a paragraph that says how certain the choices of a study are, and how many
// more trials those take that could be more certain.
func Certainty(s *study.Study, choices []datasets.ChoiceRow) string {
	var needed []int64
	unsure, ranges, tooClose, effort := 0, 0, 0, 0.0
	for i, c := range choices {
		switch {
		case ranged(c):
			ranges++
		case c.Warning != "":
			unsure++
		default:
			continue
		}
		if c.Needed == 0 {
			tooClose++
			continue
		}
		needed = append(needed, c.Needed)
		if len(s.Work) == len(choices) {
			effort = max(effort, 2*float64(c.Needed)*s.Work[i])
		}
	}
	var b strings.Builder
	level := output.Level(s.Trials.Confidence)
	switch good := len(choices) - unsure; {
	case s.Objective.Needs(s.Trials.Confidence) == 0:
		return "\n? No number of trials gives confidence in a maximum.\n"
	case good == 1 && len(choices) == 1:
		fmt.Fprintf(&b, "\nThe choice is within %s of the best, with %s confidence.\n",
			output.Level(s.Tolerance), level)
	case good == len(choices):
		fmt.Fprintf(&b, "\nAll %d choices are within %s of the best, each with %s confidence.\n",
			good, output.Level(s.Tolerance), level)
	default:
		fmt.Fprintf(&b, "\n? %d of %d choices are not known to be within %s of the best with %s "+
			"confidence.\n", unsure, len(choices), output.Level(s.Tolerance), level)
	}
	if ranges > 0 {
		fmt.Fprintf(&b, "T a–b: b is within %s of the best, and a smaller T from a on may be; "+
			"mean and gain are of b.\n", output.Level(s.Tolerance))
	}
	b.WriteString(more(s, needed, tooClose, effort))
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
