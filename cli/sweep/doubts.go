package sweep

import (
	"fmt"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// mark returns the mark of a choice with less confidence than the study asks for, and a
// space for others.
func mark(s *study.Study, c datasets.ChoiceRow) string {
	if c.Confidence < s.Trials.Confidence {
		return "?"
	}
	return " "
}

// Doubts returns a paragraph on the choices that have less confidence than the study asks
// for: how many there are, and how many trials would resolve them. It is empty if there
// are none.
func Doubts(s *study.Study, choices []datasets.ChoiceRow) string {
	unsure, tooClose, needed := 0, 0, int64(0)
	for _, c := range choices {
		if mark(s, c) == "?" {
			unsure++
			needed = max(needed, c.Needed)
			if c.Needed == 0 {
				tooClose++
			}
		}
	}
	if unsure == 0 {
		return ""
	}
	text := fmt.Sprintf("\n? %d of %d choices have less than %g %% confidence.",
		unsure, len(choices), s.Trials.Confidence*100)
	switch {
	case s.Objective.Trials == 0:
		return text + " No number of trials gives confidence in a maximum.\n"
	case s.Trials.Max < s.Objective.Trials:
		text += fmt.Sprintf(" The %s takes at least %d trials.", s.Objective.Name, s.Objective.Trials)
	}
	if tooClose < unsure {
		text += fmt.Sprintf(" About %.0f trials would resolve them: --until choice --trials-max %.0f.",
			output.RoundUp(needed), output.RoundUp(2*needed))
	}
	if tooClose > 0 {
		text += fmt.Sprintf(" %d are too close to the tolerance to estimate how many they need.", tooClose)
	}
	return text + "\n"
}
