package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Encoders write rows of values under a header, by the name of the format.
var Encoders = map[string]func(w io.Writer, header []string, rows [][]any) error{
	"csv":  CSV,
	"json": JSON,
}

// CSV writes the header and the rows as lines of values separated by commas.
func CSV(w io.Writer, header []string, rows [][]any) error {
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

// JSON writes an array of objects, one a line, with their members in the order of the
// header. Infinite numbers are null.
func JSON(w io.Writer, header []string, rows [][]any) error {
	var b strings.Builder
	b.WriteString("[")
	for i, row := range rows {
		if i > 0 {
			b.WriteString(",")
		}
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
			fmt.Fprintf(&b, "%s%q: %s", separator, header[j], value)
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// YAML writes a list of mappings with their members in the order of the header.
func YAML(w io.Writer, header []string, rows [][]any) error {
	list := yaml.Node{Kind: yaml.SequenceNode}
	for _, row := range rows {
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
