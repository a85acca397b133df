package output

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
	if err := c.Write(header); err != nil {
		return err
	}
	record := make([]string, len(header))
	for row := range rows {
		for i, v := range row {
			record[i] = cell(v)
		}
		if err := c.Write(record); err != nil {
			return err
		}
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
		_, _ = b.WriteString(before) // Flush has the error
		before = ","
		for j, v := range row {
			if x, ok := v.(float64); ok && (math.IsInf(x, 0) || math.IsNaN(x)) {
				v = nil // JSON has only finite numbers
			}
			value, err := json.Marshal(v)
			if err != nil {
				return err
			}
			separator := ", "
			if j == 0 {
				separator = "\n{"
			}
			_, _ = fmt.Fprintf(b, "%s%q: %s", separator, header[j], value)
		}
		_, _ = b.WriteString("}")
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
			if err := value.Encode(v); err != nil {
				return err
			}
			members.Content = append(members.Content,
				&yaml.Node{Kind: yaml.ScalarNode, Value: header[i]}, &value)
		}
		list.Content = append(list.Content, members)
	}
	e := yaml.NewEncoder(w)
	if err := e.Encode(&list); err != nil {
		return err
	}
	return e.Close()
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

// Find returns the way that --format names. It fails if the name is unknown.
func (f Formats[T]) Find(name string) (T, error) {
	found, ok := f[name]
	if !ok {
		return found, fmt.Errorf("--format: %w", Unknown(name, f.Names()))
	}
	return found, nil
}
