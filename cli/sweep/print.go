package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
)

// A Printer prints the choices of a finished study.
type Printer func(w io.Writer, s *study.Study, r *datasets.Results) error

// Printers are the printers by the values of --format.
var Printers = output.Formats[Printer]{
	"table": printTable,
	"csv":   printRows(output.CSV, false),
	"json":  printRows(output.JSON, true),
}

// printRows returns a printer of the rows of choice.parquet, with what each rests on if asked to.
func printRows(encode output.Encoder, basis bool) Printer {
	return func(w io.Writer, s *study.Study, r *datasets.Results) (err error) {
		stopped := errors.New("stopped")
		header := datasets.Columns[datasets.ChoiceRow]()
		if basis {
			header = append(header, study.BasisColumn)
		}
		encoded := encode(w, header, func(yield func([]any) bool) {
			err = r.Each(func(_ int, c *datasets.ChoiceRow, _ []datasets.Measures) error {
				cells := datasets.Fields(*c)
				if basis {
					cells = append(cells, study.PointFrom(c.Axes.Value).Basis(s))
				}
				if !yield(cells) {
					return stopped
				}
				return nil
			})
		})
		return cmp.Or(encoded, err)
	}
}

// maxColumns is the largest number of configurations in one row of a table.
const maxColumns = 6

// printTable prints the choices in a table with a column for each value of assume, if there are
// several; else with a row for each number of ranks, if its columns are few, and otherwise with a
// row for each choice. The assumptions follow.
func printTable(w io.Writer, s *study.Study, r *datasets.Results) error {
	var choices []datasets.ChoiceRow // the first
	var lowerBounds []float64        // of their mean completion times [s]
	x := &Summary{study: s}
	err := r.Each(func(_ int, c *datasets.ChoiceRow, measures []datasets.Measures) error {
		if x.Add(c, measures); x.all <= output.MostRows {
			choices, lowerBounds = append(choices, *c), append(lowerBounds, measures[0].LowerBound)
		}
		return nil
	})
	if err != nil {
		return err
	}
	varying := s.Varying()
	down, rest := layout(varying)
	title := func(i int) string { return s.Point(i).Lines(rest) }
	titles := slices.Collect(vector.Sequence(len(choices), title))
	alike := vector.Groups(len(titles), func(i int) string { return titles[i] })
	across := vector.Each(alike, func(of []int) string { return titles[of[0]] })
	screen, by, text := output.ScreenOf(w), s.Objective.Name, ""
	for _, statements := range x.Verdict() {
		texts := vector.Each(statements, func(s Statement) string { return s.Text })
		text += screen.Wrap(strings.Join(texts, " ") + "\n")
	}
	text += screen.Wrap(fmt.Sprintf("\nT: smallest whose %s is within %s of the least, with the range that the "+
		"trials allow (%s); its %s, and speedup over T = 0.\n\n",
		by, output.Level(s.Tolerance), shownBy(s), by))
	applications := slices.ContainsFunc(x.gains, func(g *gains) bool { return g.iterations != nil })
	if len(across) > 1 && len(across) <= maxColumns && !applications && x.all == len(choices) {
		text += screen.Across(pivot(s, choices, down, titles, across))
	} else {
		text += screen.Table(list(s, choices, lowerBounds, varying, applications))
	}
	text += screen.Wrap(output.More(x.all, "choice.parquet and --format csv have all") +
		x.Certainty())
	text += "\n" + screen.Lines(s.Basis())
	_, err = io.WriteString(w, screen.Marks(text))
	return err
}

// shownBy returns how well the choices of a study are known, in words.
func shownBy(s *study.Study) string {
	switch {
	case s.Trials.Min == s.Trials.Max:
		return fmt.Sprintf("by %d trials", s.Trials.Max)
	case s.Trials.Until == montecarlo.UntilChosen:
		return fmt.Sprintf("%s confidence", output.Level(s.Trials.Confidence))
	}
	return "by the trials made"
}

// layout returns the keys by which rows and columns of a table differ.
func layout(varying []*study.Key) (rows, columns []*study.Key) {
	assumed := slices.Contains(varying, study.Assume)
	for _, k := range varying {
		if k == study.Ranks || assumed && k != study.Assume {
			rows = append(rows, k)
		} else {
			columns = append(columns, k)
		}
	}
	if rows == nil {
		rows = append(rows, study.Ranks)
	}
	return rows, columns
}

// pivot returns a table with a row for the values of some keys and a column for each title.
func pivot(s *study.Study, choices []datasets.ChoiceRow, down []*study.Key, titles, across []string,
) output.Table {
	t := output.Table{}
	t.Axes(study.Flagged(down)...)
	t.Add(across...)
	place := func(i int) string { return s.Point(i).Lines(down) }
	for _, group := range vector.Groups(len(choices), place) {
		row, cells := s.Point(group[0]).Texts(down), map[string]string{}
		for _, i := range group {
			c := &choices[i]
			cells[titles[i]] = fmt.Sprintf("%s  %8s  %5s%s", output.Estimate(c.Estimate, c.Low, c.High),
				output.Seconds(c.Estimated), output.Gain(c.Baseline/c.Estimated), mark(c))
		}
		for _, title := range across {
			row = append(row, cells[title])
		}
		t.Append(row...)
	}
	return t
}

// list returns a table with a row for each choice, identified by the keys.
func list(s *study.Study, choices []datasets.ChoiceRow, lowerBounds []float64, varying []*study.Key,
	applications bool,
) output.Table {
	t := output.Table{}
	if len(varying) == 0 {
		varying = append(varying, study.Ranks)
	}
	t.Axes(study.Flagged(varying)...)
	t.Add("T", s.Objective.Name, "~at T = 0", "~~lower bound", "gain", "above the best")
	if applications {
		t.Add("~in collective", "~its gain", "~amplification")
	}
	for i, c := range choices {
		row := append(s.Point(i).Texts(varying), output.Estimate(c.Estimate, c.Low, c.High),
			output.Seconds(c.Estimated),
			output.Seconds(c.Baseline),
			output.Seconds(lowerBounds[i]), output.Gain(c.Baseline/c.Estimated), output.Regret(c.RegretHigh)+mark(&c))
		if applications {
			row = append(row, output.Percent(c.Share), output.Gain(c.CallsSpeedup), output.Amplification(c.Shown))
		}
		t.Append(row...)
	}
	return t
}

// mark returns the mark of a choice in a table: ? if it is not known to be good, and a space for
// others.
func mark(c *datasets.ChoiceRow) string {
	if c.Warning != "" {
		return "?"
	}
	return " "
}

// A Summary is what choices of a study, which are added one by one, come to: what they gain, how certain
// they are, and what would make them more certain.
type Summary struct {
	study           *study.Study
	gains           []*gains
	all             int
	unsure, smaller int     // choices that are not known to be good; that a smaller one may equal
	needed          []int64 // trials that choices need to be certain, where that is known
	tooClose        int     // choices where it is not
	unbounded       bool    // whether some have no bound of how far they are above the best
	effort, seconds float64 // the most messages, and the longest time [s], that those trials take
	ended           bool    // trials of some ended although a smaller one may equal it
}

// NewSummary returns a summary of a study without choices.
func NewSummary(s *study.Study) *Summary { return &Summary{study: s} }

// add adds a choice: whether it is not known to be good, whether a smaller one may be as good, the bound of
// how far it is above the best, and the trials needed to be certain, which take an effort [messages].
func (x *Summary) add(unsure, smaller bool, regret float64, needed int64, effort float64) {
	x.all++
	x.unbounded = x.unbounded || !output.Bounds(regret)
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

// Add adds the choice of the study's next configuration, and its measures by T, which it does not keep.
func (x *Summary) Add(c *datasets.ChoiceRow, measures []datasets.Measures) {
	effort := 0.0
	if x.all < len(x.study.Configurations) {
		effort = 2 * float64(c.Needed) * x.study.Configurations[x.all].Work
	}
	x.add(c.Warning != "", c.Low < c.Star, c.RegretHigh, c.Needed, effort)
	i := slices.IndexFunc(x.gains, func(g *gains) bool { return g.assume == c.Assume })
	if i < 0 {
		i, x.gains = len(x.gains), append(x.gains, &gains{assume: c.Assume})
	}
	x.gains[i].addRow(c, measures)
}

// Verdict returns for each value of assume what the choices gain: whether redundancy pays, the median gain,
// the largest of the gains that are certain, and the best T.
func (x *Summary) Verdict() [][]Statement {
	return vector.Each(x.gains, func(g *gains) []Statement {
		all := g.statements(x.study)
		if len(x.gains) > 1 {
			all[0].Text = fmt.Sprintf("With assume %s: %s", g.assume, all[0].Text)
		}
		return all
	})
}

// Certainty returns a paragraph that says how certain the choices are, and how many more trials those take
// that could be more certain.
func (x *Summary) Certainty() string {
	where := ""
	if x.unsure > 0 {
		where = " in rows without ?"
	}
	return x.text("T a (b–c): the trials allow any T from b to c; c is certain" + where +
		", and is what to deploy.\n")
}

// text returns the paragraph, with a sentence about choices that a smaller one may equal.
func (x *Summary) text(smaller string) string {
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
func (x *Summary) more() string {
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
		text += "These trials do not tell how many would resolve it.\n"
	case x.tooClose == 1:
		text += "For 1 these trials do not tell how many it needs.\n"
	case x.tooClose > 0:
		text += fmt.Sprintf("For %d these trials do not tell how many they need.\n",
			x.tooClose)
	}
	return text
}

// continuation returns what to add to the command so that it simulates as many trials as are
// needed, and as many again in case that is estimated too low.
func (x *Summary) continuation(needed int64) string {
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
		flags = append(flags, fmt.Sprintf("--effort 10^%.0f", math.Ceil(math.Log10(x.effort))))
	}
	return strings.Join(flags, " ")
}

// summaryOf returns a summary of the choices for deployments.
func summaryOf(s *study.Study, all []advice) *Summary {
	x := &Summary{study: s, gains: []*gains{{}}}
	for _, a := range all {
		times, effort := 2*float64(a.Needed)/float64(a.result(a.Star).Trials), 0.0
		switch a.decision.Stop {
		case montecarlo.Spent:
			effort = s.Trials.Effort * times
		case montecarlo.OutOfTime:
			x.seconds = max(x.seconds, a.seconds*times)
		case montecarlo.Chosen:
			x.ended = x.ended || a.Low != a.Star
		}
		x.add(a.Warning != montecarlo.NoWarning, a.Low != a.Star, a.Regret, int64(a.Needed), effort)
		x.gains[0].addAdvice(a)
	}
	return x
}
