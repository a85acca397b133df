package sweep

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/internal/suggest"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// A Printer prints the choices of a study. The lower bounds of the mean completion times
// [s] are those of the same configurations.
type Printer func(w io.Writer, s *study.Study, choices []datasets.ChoiceRow,
	lowerBounds []float64) error

// printers are the printers by the values of --format.
var printers = map[string]Printer{
	"table": printTable,
	"csv":   printRows(output.CSV),
	"json":  printRows(output.JSON),
}

// PrinterNames returns the values of --format.
func PrinterNames() []string { return slices.Sorted(maps.Keys(printers)) }

// FindPrinter returns the printer that --format names. It fails if there is none.
func FindPrinter(format string) (Printer, error) {
	show, ok := printers[format]
	if !ok {
		return nil, fmt.Errorf("--format: %w", suggest.Unknown(format, PrinterNames()))
	}
	return show, nil
}

func printRows(encode func(io.Writer, []string, [][]any) error) Printer {
	return func(w io.Writer, _ *study.Study, choices []datasets.ChoiceRow, _ []float64) error {
		rows := make([][]any, len(choices))
		for i, c := range choices {
			rows[i] = datasets.Fields(c)
		}
		return encode(w, datasets.Columns[datasets.ChoiceRow](), rows)
	}
}

// maxColumns is the largest number of configurations in one row of a table.
const maxColumns = 6

// printTable prints the choices in a table with a row for each number of ranks, if its
// columns are few, and otherwise with a row for each choice.
func printTable(w io.Writer, s *study.Study, choices []datasets.ChoiceRow,
	lowerBounds []float64,
) error {
	var rest []study.Key
	for _, k := range s.Varying() {
		if k.Path != "ranks" {
			rest = append(rest, k)
		}
	}
	titles := make([]string, len(choices))
	for i := range choices {
		titles[i] = s.Points[i].Lines(rest)
	}
	across := unique(titles)
	screen, by := output.ScreenOf(w), s.Objective.Name
	text := screen.Wrap(fmt.Sprintf("Best T%s within %s of the best, its %s and gain over T = 0.\n\n",
		shownBy(s), output.Level(s.Tolerance), by))
	if applications(s) {
		iterations, collectives := gains(choices)
		redundant := slices.ContainsFunc(choices, func(c datasets.ChoiceRow) bool { return c.Star > 0 })
		unsure := slices.ContainsFunc(choices, func(c datasets.ChoiceRow) bool {
			return c.Warning != "" && !(c.Star > 0 && c.GainLow > 1)
		})
		first := output.Iterations(iterations, collectives, redundant, !unsure, s.Tolerance)
		text = screen.Wrap(first+"\n\n") + text
	}
	if len(across) > 1 && len(across) <= maxColumns && !applications(s) {
		text += screen.Across(pivot(choices, titles, across))
	} else {
		text += screen.Table(list(s, choices, lowerBounds))
	}
	text += screen.Wrap(Certainty(s, choices))
	_, err := io.WriteString(w, screen.Marks(text))
	return err
}

// shownBy returns by what trials the choices of a study are good, in words.
func shownBy(s *study.Study) string {
	if s.Trials.Min < s.Trials.Max && s.Trials.Until == montecarlo.UntilChosen {
		return fmt.Sprintf(": the smallest whose %s is certainly", s.Objective.Name)
	}
	trials := "the trials made"
	if s.Trials.Min == s.Trials.Max {
		trials = fmt.Sprintf("%d trials", s.Trials.Max)
	}
	return fmt.Sprintf(" by %s: the smallest whose %s they show to be", trials, s.Objective.Name)
}

// pivot returns a table with a row for each number of ranks and a column for each title.
func pivot(choices []datasets.ChoiceRow, titles, across []string) output.Table {
	cells := map[int64]map[string]string{}
	var down []int64
	for i, c := range choices {
		if cells[c.Ranks] == nil {
			cells[c.Ranks] = map[string]string{}
			down = append(down, c.Ranks)
		}
		cells[c.Ranks][titles[i]] = fmt.Sprintf("%s  %8s  %5s%s",
			chosen(c), output.Seconds(c.Objective), output.Gain(c.Speedup), mark(c))
	}
	t := output.Table{}
	t.Add(output.Column{}, append([]string{"ranks"}, across...)...)
	for _, ranks := range down {
		row := []any{ranks}
		for _, title := range across {
			row = append(row, cells[ranks][title])
		}
		t.Append(row...)
	}
	return t
}

// list returns a table with a row for each choice.
func list(s *study.Study, choices []datasets.ChoiceRow, lowerBounds []float64) output.Table {
	t := output.Table{}
	varying := s.Varying()
	if len(varying) == 0 {
		ranks, _ := study.Find("ranks")
		varying = append(varying, ranks)
	}
	for _, k := range varying {
		t.Add(output.Column{Axis: true}, k.Flag)
	}
	t.Add(output.Column{}, "T", s.Objective.Name)
	t.Add(output.Column{Spare: 1}, "at T = 0")
	t.Add(output.Column{Spare: 2}, "lower bound")
	t.Add(output.Column{}, "gain", "above the best")
	apps := applications(s)
	if apps {
		t.Add(output.Column{Spare: 1}, "in collective", "its gain", "noise shown")
	}
	for i, c := range choices {
		row := []any{}
		for _, k := range varying {
			row = append(row, k.Text(s.Points[i].Value(k.Path)))
		}
		row = append(row, chosen(c), output.Seconds(c.Objective), output.Seconds(c.Baseline),
			output.Seconds(lowerBounds[i]), output.Gain(c.Speedup), output.Regret(c.RegretHigh)+mark(c))
		if apps {
			row = append(row, output.Percent(c.Share), output.Gain(c.CallsSpeedup), output.Shown(c.Shown))
		}
		t.Append(row...)
	}
	return t
}

// applications reports whether a study has iterations of applications.
func applications(s *study.Study) bool { return slices.ContainsFunc(s.Points, study.Point.Application) }

// gains returns the gains of the iterations, and those of the collectives in them.
func gains(choices []datasets.ChoiceRow) (iterations, collectives []float64) {
	for _, c := range choices {
		if c.Iterations > 0 { // else one launch
			iterations = append(iterations, c.Speedup)
			collectives = append(collectives, c.CallsSpeedup)
		}
	}
	return iterations, collectives
}

// unique returns the different texts, in the order of their first appearance.
func unique(texts []string) []string {
	var different []string
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			different = append(different, text)
		}
	}
	return different
}
