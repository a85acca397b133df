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

// A summary is what a table shows of the choices of a study: the first ones, and of all how certain
// they are and what they gain.
type summary struct {
	choices     []datasets.ChoiceRow
	lowerBounds []float64 // of the mean completion times of the choices [s]
	all         int
	certainty   certainty
	gains
}

// newSummary reads the choices of a study.
func newSummary(s *study.Study, r *datasets.Results) (*summary, error) {
	x := &summary{certainty: certainty{study: s}}
	return x, r.Each(func(i int, c *datasets.ChoiceRow, measures []datasets.Measures) error {
		if x.all++; x.all <= output.MostRows {
			x.choices = append(x.choices, *c)
			x.lowerBounds = append(x.lowerBounds, measures[0].LowerBound)
		}
		x.certainty.addRow(i, c)
		x.add(c.Assume, c.Star > 0, c.Speedup, c.GainLow, c.Warning != "")
		if c.Iterations > 0 { // else one launch
			iteration, collective := c.Speedup, measures[0].InCalls/measures[c.Star].InCalls
			if c.Star == 0 { // nothing is gained by it
				iteration, collective = 1, 1
			}
			x.iterations = append(x.iterations, iteration)
			x.collectives = append(x.collectives, collective)
		}
		return nil
	})
}

// printTable prints the choices in a table with a column for each value of assume, if there are
// several; else with a row for each number of ranks, if its columns are few, and otherwise with a
// row for each choice. The assumptions follow.
func printTable(w io.Writer, s *study.Study, r *datasets.Results) error {
	x, err := newSummary(s, r)
	if err != nil {
		return err
	}
	varying := s.Varying()
	down, rest := layout(varying)
	titles := make([]string, len(x.choices))
	for i := range titles {
		titles[i] = s.Point(i).Lines(rest)
	}
	alike := vector.Groups(len(titles), func(i int) string { return titles[i] })
	across := study.Each(alike, func(of []int) string { return titles[of[0]] })
	screen, by := output.ScreenOf(w), s.Objective.Name
	text := screen.Wrap(fmt.Sprintf("T: smallest whose %s is within %s of the least, with the range that the "+
		"trials allow (%s); its %s, and speedup over T = 0.\n\n",
		by, output.Level(s.Tolerance), shownBy(s), by))
	applications := len(x.iterations) > 0
	first := x.launches(output.Level(s.Trials.Confidence))
	if applications {
		first = output.Iterations(x.iterations, x.collectives, x.redundant, !x.open,
			s.Tolerance)
	}
	text = screen.Wrap(first+"\n\n") + text
	if len(across) > 1 && len(across) <= maxColumns && !applications && x.all == len(x.choices) {
		text += screen.Across(pivot(s, x.choices, down, titles, across))
	} else {
		text += screen.Table(x.list(s, varying))
	}
	text += screen.Wrap(output.More(x.all, "choice.parquet and --format csv have all") +
		x.certainty.ofRows())
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
func (x *summary) list(s *study.Study, varying []*study.Key) output.Table {
	t := output.Table{}
	if len(varying) == 0 {
		varying = append(varying, study.Ranks)
	}
	t.Axes(study.Flagged(varying)...)
	t.Add("T", s.Objective.Name, "~at T = 0", "~~lower bound", "gain", "above the best")
	applications := len(x.iterations) > 0
	if applications {
		t.Add("~in collective", "~its gain", "~amplification")
	}
	for i, c := range x.choices {
		row := append(s.Point(i).Texts(varying), output.Estimate(c.Estimate, c.Low, c.High),
			output.Seconds(c.Estimated),
			output.Seconds(c.Baseline),
			output.Seconds(x.lowerBounds[i]), output.Gain(c.Baseline/c.Estimated), output.Regret(c.RegretHigh)+mark(&c))
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
