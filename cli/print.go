package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// A printer prints the choices of a study; floors are those of the
// same configurations.
type printer func(w io.Writer, s *study.Study, choices []datasets.ChoiceRow, floors []float64) error

// printers are named by --format.
var printers = map[string]printer{
	"table": printTable,
	"csv":   printRows(encoders["csv"]),
	"json":  printRows(encoders["json"]),
}

func printerNames() []string { return slices.Sorted(maps.Keys(printers)) }

// findPrinter returns the one that --format names.
func findPrinter(format string) (printer, error) {
	show, ok := printers[format]
	if !ok {
		return nil, fmt.Errorf("--format: %q is not known; known are %s", format, strings.Join(printerNames(), ", "))
	}
	return show, nil
}

// encoders write rows of values under a header, by --format.
var encoders = map[string]func(io.Writer, []string, [][]any) error{
	"csv":  writeCSV,
	"json": writeJSON,
}

func printRows(encode func(io.Writer, []string, [][]any) error) printer {
	return func(w io.Writer, _ *study.Study, choices []datasets.ChoiceRow, _ []float64) error {
		rows := make([][]any, len(choices))
		for i, c := range choices {
			rows[i] = datasets.Fields(c)
		}
		return encode(w, datasets.Columns[datasets.ChoiceRow](), rows)
	}
}

func writeCSV(w io.Writer, header []string, rows [][]any) error {
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	for _, row := range rows {
		record := make([]string, len(row))
		for i, v := range row {
			record[i] = fmt.Sprint(v)
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// writeJSON writes an array of objects, one a line, with their members in the
// order of the header.
func writeJSON(w io.Writer, header []string, rows [][]any) error {
	var b strings.Builder
	b.WriteString("[")
	for i, row := range rows {
		if i > 0 {
			b.WriteString(",")
		}
		for j, v := range row {
			value, err := json.Marshal(v)
			if err != nil {
				return err
			}
			separator := ", "
			if j == 0 {
				separator = "\n{"
			}
			fmt.Fprintf(&b, "%s%q: %s", separator, header[j], value)
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// newTable returns an empty table in the program's style.
func newTable() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format = table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault, HeaderAlign: text.AlignRight, RowAlign: text.AlignRight}
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	t.SetStyle(style)
	return t
}

// maxColumns is how many configurations stand beside each other.
const maxColumns = 6

// printTable prints the choices: ranks down and the rest across while that is
// narrow, else a line each.
func printTable(w io.Writer, s *study.Study, choices []datasets.ChoiceRow, floors []float64) error {
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
	var b strings.Builder
	by := s.Objective.Name
	fmt.Fprintf(&b, "Best T: the smallest whose %s is within %g %% of the best, its %s, and its gain over T = 0.\n\n", by, s.Tolerance*100, by)
	if len(across) > 1 && len(across) <= maxColumns {
		b.WriteString(pivot(s, choices, titles, across))
	} else {
		b.WriteString(list(s, choices, floors))
	}
	b.WriteString(doubts(s, choices))
	_, err := io.WriteString(w, b.String())
	return err
}

// doubts says what the choices marked with ? lack.
func doubts(s *study.Study, choices []datasets.ChoiceRow) string {
	unsure, near, needed := 0, 0, int64(0)
	for _, c := range choices {
		if doubt(s, c) == "?" {
			unsure++
			needed = max(needed, c.Needed)
			if c.Needed == 0 {
				near++
			}
		}
	}
	if unsure == 0 {
		return ""
	}
	text := fmt.Sprintf("\n? %d of %d choices are less than %g %% sure.", unsure, len(choices), s.Trials.Confidence*100)
	switch {
	case s.Objective.Trials == 0:
		return text + " Nothing is sure of a maximum.\n"
	case s.Trials.Max < s.Objective.Trials:
		text += fmt.Sprintf(" Of %s nothing can be told from fewer than %d trials.", s.Objective.Name, s.Objective.Trials)
	}
	if near < unsure {
		text += fmt.Sprintf(" About %.0f trials would tell: --until choice --trials-max %.0f.", roundUp(needed), roundUp(2*needed))
	}
	if near > 0 {
		text += fmt.Sprintf(" %d are too near to the tolerance to tell from these how many it takes.", near)
	}
	return text + "\n"
}

// roundUp rounds to two digits.
func roundUp(n int64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-1)
	return math.Ceil(float64(n)/unit) * unit
}

// pivot has a row for each number of ranks and a column for each title.
func pivot(s *study.Study, choices []datasets.ChoiceRow, titles, across []string) string {
	cells := map[int64]map[string]string{}
	var down []int64
	for i, c := range choices {
		if cells[c.Ranks] == nil {
			cells[c.Ranks] = map[string]string{}
			down = append(down, c.Ranks)
		}
		cells[c.Ranks][titles[i]] = fmt.Sprintf("%d  %8s  %7s%s", c.Star, seconds(c.Objective), gain(c), doubt(s, c))
	}
	t := newTable()
	header := table.Row{"ranks"}
	for _, title := range across {
		header = append(header, title)
	}
	t.AppendHeader(header)
	for _, ranks := range down {
		row := table.Row{ranks}
		for _, title := range across {
			row = append(row, cells[ranks][title])
		}
		t.AppendRow(row)
	}
	return t.Render() + "\n"
}

// list has a row for each choice.
func list(s *study.Study, choices []datasets.ChoiceRow, floors []float64) string {
	t := newTable()
	varying := s.Varying()
	if len(varying) == 0 {
		ranks, _ := study.Find("ranks")
		varying = append(varying, ranks)
	}
	header := table.Row{}
	for _, k := range varying {
		header = append(header, k.Flag)
	}
	t.AppendHeader(append(header, "T", s.Objective.Name, "at T = 0", "mean floor", "gain", "sure"))
	for i, c := range choices {
		row := table.Row{}
		for _, k := range varying {
			row = append(row, k.Text(s.Points[i].Value(k.Path)))
		}
		t.AppendRow(append(row, c.Star, seconds(c.Objective), seconds(c.Baseline), seconds(floors[i]), gain(c), sure(c.Confidence)+doubt(s, c)))
	}
	return t.Render() + "\n"
}

func seconds(v float64) string { return units.Format(units.Time, v, 3) }

func gain(c datasets.ChoiceRow) string { return fmt.Sprintf("%.2f×", c.Speedup) }

// doubt marks a choice that the trials do not support.
func doubt(s *study.Study, c datasets.ChoiceRow) string {
	if c.Confidence < s.Trials.Confidence {
		return "?"
	}
	return " "
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
