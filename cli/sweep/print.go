package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

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
