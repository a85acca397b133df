package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"jitterfly/cli/study"
	"jitterfly/montecarlo"
)

// printAdvice prints what to deploy, what it gains and costs, and how sure that
// is.
func printAdvice(w io.Writer, s *study.Study, a advice) error {
	var b strings.Builder
	line := func(title, value, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s %9s  %s\n", title, value, fmt.Sprintf(format, args...))
	}
	summary, percent := a.summary(a.Star), s.Trials.Confidence*100
	fmt.Fprintf(&b, "%s\n\n", a.name(a.Star))
	if s.Objective.Name != "mean" {
		line(s.Objective.Name, seconds(a.Objective), "what the choice is by")
	}
	line("mean", seconds(summary.Mean), "%g %% interval from %s to %s", percent, seconds(summary.Low), seconds(summary.High))
	line("plain "+a.collective(plain), seconds(a.Baseline), "%.2f times as long", a.Baseline/a.Objective)
	line("without noise", seconds(summary.NoiseFree), "")
	line("floor", seconds(summary.LowerBound), "the mean that no redundancy gets below")
	line("messages", fmt.Sprintf("%.6g", a.messages(a.Star)), "%.2f times the plain %s's", a.messages(a.Star)/a.messages(plain), a.collective(plain))
	line("sure", sure(a.Confidence), "%s", a.support(s))
	b.WriteString(a.equivalents(s))
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "  \n", "\n"))
	return err
}

// name is the candidate in words.
func (a advice) name(c montecarlo.Candidate) string {
	name := a.collective(c)
	if r := a.sources(c); r > 1 {
		name += fmt.Sprintf(" from R = %d sources", r)
	}
	if n := a.segments(c); n > 1 {
		name += fmt.Sprintf(" in %d segments", n)
	}
	if c.T == 0 {
		return name + " without redundant exchanges (T = 0)"
	}
	if c.T == 1 {
		return name + " with T = 1 redundant exchange"
	}
	return name + fmt.Sprintf(" with T = %d redundant exchanges", c.T)
}

// support says on what trials the choice rests, and what it lacks.
func (a advice) support(s *study.Study) string {
	trials := a.result(a.Star).Trials
	text := fmt.Sprintf("that more trials would choose it too, after %d", trials)
	switch {
	case a.Warning == montecarlo.Unbounded:
		return text + "; nothing is sure of a maximum"
	case a.Warning == montecarlo.Unresolved:
		return text + fmt.Sprintf("; %s takes at least %d", s.Objective.Name, a.Needed)
	case a.Warning == montecarlo.Unsure && a.Needed == 0:
		return text + "; it is too near to the tolerance for any number of them"
	case a.Warning == montecarlo.Unsure:
		return text + fmt.Sprintf("; about %.0f are needed (%s)", roundUp(int64(a.Needed)), a.remedy())
	}
	return text
}

// remedy is the key that ended the trials.
func (a advice) remedy() string {
	switch a.decision.Stop {
	case montecarlo.Spent:
		return "--effort"
	case montecarlo.Fixed:
		return "--trials-min"
	}
	return "--trials-max"
}

// maxEquivalents is how many equivalents are listed.
const maxEquivalents = 8

// equivalents lists what is as good, with the T of a configuration in a line.
func (a advice) equivalents(s *study.Study) string {
	t := newTable()
	t.AppendHeader(table.Row{"collective", "R", "T", s.Objective.Name, "messages"})
	lines := 0
	for i := range a.decision.Results {
		from, to := montecarlo.Option{}, -1
		for _, n := range a.Near[1:] {
			if n.Config == i {
				if to < 0 {
					from = n
				}
				to = n.T
			}
		}
		if to < 0 {
			continue
		}
		if lines++; lines <= maxEquivalents {
			c := from.Candidate
			t.AppendRow(table.Row{segmented(a.collective(c), a.segments(c)), a.sources(c), span(fmt.Sprint(c.T), fmt.Sprint(to)), seconds(from.Objective),
				fmt.Sprintf("%.2f×", a.messages(c)/a.messages(plain))})
		}
	}
	if lines == 0 {
		return fmt.Sprintf("\nNothing else is within %g %% of the best.\n", s.Tolerance*100)
	}
	text := fmt.Sprintf("\nWithin %g %% of the best too, with no fewer messages:\n\n%s\n", s.Tolerance*100, t.Render())
	if lines > maxEquivalents {
		text += fmt.Sprintf("and %d more\n", lines-maxEquivalents)
	}
	return text
}

// segmented is a collective's name in a table.
func segmented(collective string, segments int64) string {
	if segments > 1 {
		return fmt.Sprintf("%s/%d", collective, segments)
	}
	return collective
}

// span is one text or the range of two.
func span(from, to string) string {
	if from == to {
		return from
	}
	return from + "–" + to
}

// sure is a confidence rounded down.
func sure(confidence float64) string { return fmt.Sprintf("%.1f %%", math.Floor(confidence*1000)/10) }
