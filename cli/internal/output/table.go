package output

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"go.yaml.in/yaml/v3"

	"jitterfly/internal/vector"
)

// Characters take one place, such as µ and ×, whatever language the environment names.
func init() { text.OverrideRuneWidthEastAsianWidth(false) }

// A Table is rows of cells under columns.
type Table struct {
	Columns []Column
	Rows    [][]string // each with a cell for each column
}

// A Column is a column of a table. Its roles say what becomes of it where the table is too wide.
type Column struct {
	Title string // may have several lines
	Axis  bool   // its values can be the titles of blocks
	Spare int    // if above 0 the column can be left out, those with larger numbers first
}

// Columns returns a table of columns, as [Table.Add] has them.
func Columns(titles ...string) (t Table) {
	t.Add(titles...)
	return t
}

// Add appends columns to the table, which must not have rows yet. A title that begins with ~ is of a column
// that can be left out, those with more ~ first.
func (t *Table) Add(titles ...string) {
	for _, title := range titles {
		name := strings.TrimLeft(title, "~")
		t.Columns = append(t.Columns, Column{Title: name, Spare: len(title) - len(name)})
	}
}

// Axes appends columns whose values can be the titles of blocks, as Add does.
func (t *Table) Axes(titles ...string) {
	for _, title := range titles {
		t.Columns = append(t.Columns, Column{Title: title, Axis: true})
	}
}

// Append adds a row of a cell for each column.
func (t *Table) Append(cells ...any) {
	t.Rows = append(t.Rows, vector.Each(cells, func(c any) string { return fmt.Sprint(c) }))
}

// Table returns a table that fits the screen, if it can. If it is too wide, columns that can be
// left out are, and named below. If that does not suffice, there is a block for each combination
// of values of some axes, those with the fewest values first.
func (s *Screen) Table(t Table) string {
	inside := make([]int, len(t.Columns))
	for i := range inside {
		inside[i] = i
	}
	outside := []int{}
	for {
		shown, left := inside, ""
		tables := s.blocks(t, shown, outside)
		for !s.fits(tables) {
			at := t.sparest(shown)
			if at < 0 {
				break
			}
			left = ", " + strings.ReplaceAll(t.Columns[shown[at]].Title, "\n", " ") + left
			shown = slices.Delete(slices.Clone(shown), at, at+1)
			tables = s.blocks(t, shown, outside)
		}
		next := t.coarsest(inside)
		if s.fits(tables) || next < 0 {
			if left != "" {
				tables += s.Wrap("Not shown for lack of width: " + left[len(", "):] + ".\n")
			}
			return tables
		}
		outside = append(outside, inside[next])
		inside = slices.Delete(slices.Clone(inside), next, next+1)
	}
}

// fits reports whether no line of a string is too long, which may have escape sequences.
func (s *Screen) fits(lines string) bool { return text.LongestLineLen(lines) <= s.Width }

// sparest returns the index in shown of the column to leave out next, -1 if none can go.
func (t *Table) sparest(shown []int) int {
	at := vector.Order(len(shown), func(i int) int { return -t.Columns[shown[i]].Spare })[0]
	if t.Columns[shown[at]].Spare == 0 {
		return -1
	}
	return at
}

// coarsest returns the index in inside of the axis with the fewest values, -1 if only one axis is
// there.
func (t *Table) coarsest(inside []int) int {
	values := func(i int) int {
		return len(vector.Groups(len(t.Rows), func(row int) string { return t.Rows[row][inside[i]] }))
	}
	var axes []int
	for i, c := range inside {
		if t.Columns[c].Axis {
			axes = append(axes, i)
		}
	}
	if len(axes) < 2 {
		return -1
	}
	return slices.MinFunc(axes, func(a, b int) int { return cmp.Compare(values(a), values(b)) })
}

// blocks returns a table of the columns inside for each combination of values of those outside.
func (s *Screen) blocks(t Table, inside, outside []int) string {
	if len(t.Rows) == 0 {
		return s.render(t, inside, nil)
	}
	title := func(row int) string {
		value := func(c int) string { return t.Columns[c].Title + " " + t.Rows[row][c] }
		return strings.Join(vector.Each(outside, value), ", ")
	}
	var b strings.Builder
	for i, rows := range vector.Groups(len(t.Rows), title) {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(outside) > 0 {
			b.WriteString(s.Bold(s.Wrap(title(rows[0]) + "\n")))
		}
		b.WriteString(s.render(t, inside, rows))
	}
	return b.String()
}

// render returns a table of some columns and rows, with bold titles above the line.
func (s *Screen) render(t Table, columns, rows []int) string {
	line := func(cell func(c int) string) table.Row {
		return vector.Each(columns, func(c int) any { return cell(c) })
	}
	style := table.StyleLight
	style.Format = table.FormatOptions{
		Header: text.FormatDefault, Row: text.FormatDefault,
		HeaderAlign: text.AlignRight, RowAlign: text.AlignRight,
	}
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	w := table.NewWriter()
	w.SetStyle(style)
	w.AppendHeader(line(func(c int) string { return t.Columns[c].Title }))
	for _, row := range rows {
		w.AppendRow(line(func(c int) string { return t.Rows[row][c] }))
	}
	w.SuppressTrailingSpaces()
	titles, values, _ := strings.Cut(w.Render(), "\n─")
	return s.Bold(titles) + "\n─" + values + "\n"
}

// Across returns a table whose columns other than axes have the same form. Where it is too wide, it
// is tables one below the other with about as many of them each, and the axes in all.
func (s *Screen) Across(t Table) string {
	var axes, others []int
	for c, column := range t.Columns {
		if column.Axis {
			axes = append(axes, c)
		} else {
			others = append(others, c)
		}
	}
	for blocks := 1; ; blocks++ {
		var texts []string
		each := (len(others) + blocks - 1) / blocks
		for columns := range slices.Chunk(others, each) {
			texts = append(texts, s.blocks(t, slices.Concat(axes, columns), nil))
		}
		if tables := strings.Join(texts, "\n"); each == 1 || s.fits(tables) {
			return tables
		}
	}
}

// Rows are rows of values, each to be used before the next.
type Rows = iter.Seq[[]any]

// An Encoder writes rows of values under a header.
type Encoder func(w io.Writer, header []string, rows Rows) error

// MostRows is the largest number of rows of a table for people that may have millions.
const MostRows = 1000

// More returns a line that says how many of n rows a table has, and where the others are; it is
// empty if the table has all.
func More(n int, others string) string {
	if n <= MostRows {
		return ""
	}
	return fmt.Sprintf("\nThe first %d of %d; %s.\n", MostRows, n, others)
}

// CSV writes the header and the rows as lines of values separated by commas.
func CSV(w io.Writer, header []string, rows Rows) error {
	c := csv.NewWriter(w)
	_ = c.Write(header) // Flush has the error
	record := make([]string, len(header))
	for row := range rows {
		for i, v := range row {
			record[i] = cell(v)
		}
		_ = c.Write(record)
	}
	c.Flush()
	return c.Error()
}

// cell returns a value as CSV has it. A text that a spreadsheet would take for a formula, as a name may
// be, has an apostrophe before it.
func cell(v any) string {
	text := fmt.Sprint(v)
	if _, isText := v.(string); isText && text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// JSON writes an array of objects, one a line, with their members in the order of the
// header. Infinite numbers are null.
func JSON(w io.Writer, header []string, rows Rows) error {
	b := bufio.NewWriter(w)
	before := "["
	for row := range rows {
		var members []string
		for i, v := range row {
			if x, ok := v.(float64); ok && (math.IsInf(x, 0) || math.IsNaN(x)) {
				v = nil // JSON has only finite numbers
			}
			value, err := json.Marshal(v)
			if err != nil {
				return err
			}
			members = append(members, fmt.Sprintf("%q: %s", header[i], value))
		}
		_, _ = fmt.Fprintf(b, "%s\n{%s}", before, strings.Join(members, ", ")) // Flush has the error
		before = ","
	}
	_, _ = b.WriteString(strings.TrimSuffix(before, ",") + "\n]\n")
	return b.Flush()
}

// YAML writes a list of mappings with their members in the order of the header.
func YAML(w io.Writer, header []string, rows Rows) error {
	list := yaml.Node{Kind: yaml.SequenceNode}
	for row := range rows {
		members := &yaml.Node{Kind: yaml.MappingNode}
		for i, v := range row {
			var value yaml.Node
			_ = value.Encode(v) // values have a form in YAML
			members.Content = append(members.Content,
				&yaml.Node{Kind: yaml.ScalarNode, Value: header[i]}, &value)
		}
		list.Content = append(list.Content, members)
	}
	text, err := yaml.Marshal(&list)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// Formats are ways to print by the names that --format gives them.
type Formats[T any] map[string]T

// Names returns the valid values of --format.
func (f Formats[T]) Names() []string { return slices.Sorted(maps.Keys(f)) }

// Printers returns printers of a text, which fits a screen, and of rows under a header in CSV and JSON.
// The rows of JSON also have what each rests on.
func Printers[T any](text func(*Screen, T) string, table func(values T, basis bool) ([]string, Rows),
) Formats[func(io.Writer, T) error] {
	encoded := func(encode Encoder, basis bool) func(io.Writer, T) error {
		return func(w io.Writer, values T) error {
			header, rows := table(values, basis)
			return encode(w, header, rows)
		}
	}
	return Formats[func(io.Writer, T) error]{
		"table": func(w io.Writer, values T) error {
			_, err := io.WriteString(w, text(ScreenOf(w), values))
			return err
		},
		"csv":  encoded(CSV, false),
		"json": encoded(JSON, true),
	}
}
