package output

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

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
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
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
		shown, left := inside, []string{}
		text := s.blocks(t, shown, outside)
		for widest(text) > s.Width {
			at := t.sparest(shown)
			if at < 0 {
				break
			}
			left = append(left, strings.ReplaceAll(t.Columns[shown[at]].Title, "\n", " "))
			shown = slices.Delete(slices.Clone(shown), at, at+1)
			text = s.blocks(t, shown, outside)
		}
		next := t.coarsest(inside)
		if widest(text) <= s.Width || next < 0 {
			if len(left) > 0 {
				slices.Reverse(left)
				text += s.Wrap("Not shown for lack of width: " + strings.Join(left, ", ") + ".\n")
			}
			return s.bolden(text)
		}
		outside = append(outside, inside[next])
		inside = slices.Delete(slices.Clone(inside), next, next+1)
	}
}

// sparest returns the index in shown of the column to leave out next, -1 if none can go.
func (t *Table) sparest(shown []int) int {
	at, most := -1, 0
	for i, c := range shown {
		if spare := t.Columns[c].Spare; spare > most {
			at, most = i, spare
		}
	}
	return at
}

// coarsest returns the index in inside of the axis with the fewest values, -1 if only one axis is
// there.
func (t *Table) coarsest(inside []int) int {
	at, fewest, axes := -1, 0, 0
	for i, c := range inside {
		if !t.Columns[c].Axis {
			continue
		}
		values := map[string]bool{}
		for _, row := range t.Rows {
			values[row[c]] = true
		}
		if axes++; at < 0 || len(values) < fewest {
			at, fewest = i, len(values)
		}
	}
	if axes < 2 {
		return -1
	}
	return at
}

// blocks returns a table of the columns inside for each combination of values of those outside.
func (s *Screen) blocks(t Table, inside, outside []int) string {
	if len(t.Rows) == 0 {
		return t.render(inside, nil)
	}
	title := func(row int) string {
		var values []string
		for _, c := range outside {
			values = append(values, t.Columns[c].Title+" "+t.Rows[row][c])
		}
		return strings.Join(values, ", ")
	}
	var b strings.Builder
	for i, rows := range vector.Groups(len(t.Rows), title) {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(outside) > 0 {
			b.WriteString(s.Wrap(title(rows[0]) + "\n"))
		}
		b.WriteString(t.render(inside, rows))
	}
	return b.String()
}

// render returns a table of some columns and rows.
func (t *Table) render(columns, rows []int) string {
	line := func(cell func(c int) string) table.Row {
		cells := make(table.Row, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
		}
		return cells
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
	var b strings.Builder
	for line := range strings.Lines(w.Render()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
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
		if text := strings.Join(texts, "\n"); each == 1 || widest(text) <= s.Width {
			return s.bolden(text)
		}
	}
}

// bolden makes what is above the lines of tables bold: headers and titles.
func (s *Screen) bolden(text string) string {
	var b, pending strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "─"):
			b.WriteString(s.Bold(pending.String()) + line)
			pending.Reset()
		case strings.TrimSpace(line) == "":
			b.WriteString(pending.String() + line)
			pending.Reset()
		default:
			pending.WriteString(line)
		}
	}
	return b.String() + pending.String()
}

// widest returns the number of characters of the longest line.
func widest(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		most = max(most, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return most
}
