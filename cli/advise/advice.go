package advise

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/montecarlo"
)

// printAdvice prints what to deploy, what it gains and costs, and the confidence in it.
func printAdvice(w io.Writer, s *study.Study, a advice) error {
	var b strings.Builder
	line := func(title, value, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s %9s  %s\n", title, value, fmt.Sprintf(format, args...))
	}
	summary, percent := a.summary(a.Star), s.Trials.Confidence*100
	fmt.Fprintf(&b, "%s\n\n", a.name(a.Star))
	if s.Objective.Name != "mean" {
		line(s.Objective.Name, output.Seconds(a.Objective), "the objective of the choice")
	}
	line("mean", output.Seconds(summary.Mean), "%g %% interval from %s to %s", percent,
		output.Seconds(summary.Low), output.Seconds(summary.High))
	line("plain "+a.collective(plain), output.Seconds(a.Baseline), "%.2f× slower",
		a.Baseline/a.Objective)
	line("without noise", output.Seconds(summary.NoiseFree), "")
	line("lower bound", output.Seconds(summary.LowerBound), "of the mean, with any redundancy")
	line("messages", fmt.Sprintf("%.6g", a.messages(a.Star)), "%.2f× those of the plain %s",
		a.messages(a.Star)/a.messages(plain), a.collective(plain))
	line("confidence", output.Confidence(a.Confidence), "%s", a.support(s))
	b.WriteString(a.equivalents(s))
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "  \n", "\n"))
	return err
}

// name returns the candidate in words.
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

// support says what the confidence is of, on how many trials it rests, and what it lacks.
func (a advice) support(s *study.Study) string {
	trials := a.result(a.Star).Trials
	text := fmt.Sprintf("of being the cheapest within %g %% of the best, after %d trials",
		s.Tolerance*100, trials)
	switch {
	case a.Warning == montecarlo.Unbounded:
		return text + "; no number of trials gives confidence in a maximum"
	case a.Warning == montecarlo.Unresolved:
		return text + fmt.Sprintf("; the %s takes at least %d", s.Objective.Name, a.Needed)
	case a.Warning == montecarlo.Unsure && a.Needed == 0:
		return text + "; it is too close to the tolerance to estimate how many are needed"
	case a.Warning == montecarlo.Unsure:
		return text + fmt.Sprintf("; about %.0f are needed (%s)",
			output.RoundUp(int64(a.Needed)), a.remedy())
	}
	return text
}

// remedy returns the flag that allows more trials.
func (a advice) remedy() string {
	switch a.decision.Stop {
	case montecarlo.Spent:
		return "--effort"
	case montecarlo.Fixed:
		return "--trials-min"
	}
	return "--trials-max"
}

// maxEquivalents is the largest number of equivalents that are listed.
const maxEquivalents = 8

// equivalents returns a table of what is as good, with all T of a configuration in a row.
func (a advice) equivalents(s *study.Study) string {
	t := output.NewTable()
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
			t.AppendRow(table.Row{
				segmented(a.collective(c), a.segments(c)), a.sources(c),
				span(fmt.Sprint(c.T), fmt.Sprint(to)), output.Seconds(from.Objective),
				fmt.Sprintf("%.2f×", a.messages(c)/a.messages(plain)),
			})
		}
	}
	if lines == 0 {
		return fmt.Sprintf("\nNothing else is within %g %% of the best.\n", s.Tolerance*100)
	}
	text := fmt.Sprintf("\nAlso within %g %% of the best, with no fewer messages:\n\n%s\n",
		s.Tolerance*100, t.Render())
	if lines > maxEquivalents {
		text += fmt.Sprintf("and %d more\n", lines-maxEquivalents)
	}
	return text
}

// segmented returns the name of a collective in a table.
func segmented(collective string, segments int64) string {
	if segments > 1 {
		return fmt.Sprintf("%s/%d", collective, segments)
	}
	return collective
}

// span returns the range of two texts, or one of them if they are equal.
func span(from, to string) string {
	if from == to {
		return from
	}
	return from + "–" + to
}
