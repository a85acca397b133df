package report

import (
	"io"

	"jitterfly/cli/study"
)

// comparisonScripts are the files of the script of a comparison's page, in their order.
var comparisonScripts = []string{
	"data.js", "format.js", "scale.js", "svg.js", "explore.js", "comparison.js",
}

// A Comparison is what the page of a comparison of two studies shows.
type Comparison struct {
	A, B        string // names of the studies
	Version     string // of the program
	Headline    []string
	At          string // the T that are compared, in words
	Level       string // confidence level of the intervals
	Method      string // how the rows were compared
	Differences []Difference
	Notes       []string
	Axes        []ComparisonAxis
	Rows        int
	Columns     []ComparisonColumn
}

// A Difference is a key of the study, or the version of the program, whose values differ between
// two studies. Name is its name in tables, Label on pages; A and B are the values.
type Difference struct{ Name, Label, A, B string }

// A ComparisonAxis is an axis that distinguishes rows.
type ComparisonAxis struct {
	Key    *study.Key
	Title  string
	Values []any // of every row, as the column of results has it
}

// A ComparisonColumn has a number for each row, by a name that the page's script knows.
type ComparisonColumn struct {
	Name  string
	Value func(row int) float64
}

// WriteComparison writes the page of a comparison. It fails if w fails.
func WriteComparison(w io.Writer, c *Comparison) error {
	p := payload{header: header{
		Axes: []axis{}, Configs: make([]string, c.Rows), Warnings: []string{},
		Stops: []string{}, Shares: []float64{},
	}}
	for _, x := range c.Axes {
		a := newAxis(x.Key, x.Values)
		a.Title = x.Title
		p.header.Axes = append(p.header.Axes, a)
		p.add("axis "+a.Column, c.Rows, func(i int) float64 { return float64(a.index[i]) })
	}
	p.add("results", c.Rows, func(int) float64 { return 1 }) // of each row
	for _, column := range c.Columns {
		p.add(column.Name, c.Rows, column.Value)
	}
	data, err := p.pack()
	if err != nil {
		return err
	}
	return render(w, "comparison.html", comparisonScripts, data, c)
}
