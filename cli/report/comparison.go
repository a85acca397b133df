package report

import (
	"html/template"
	"io"
	"strings"

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
	Differences []ComparisonDifference
	Notes       []string
	Axes        []ComparisonAxis
	Rows        []ComparisonRow
}

// A ComparisonDifference is a setting that differs between the studies.
type ComparisonDifference struct{ Name, A, B string }

// A ComparisonAxis is an axis by which the rows can be told apart.
type ComparisonAxis struct {
	Key    *study.Key
	Title  string
	Values []any // of every row, as the column of results has it
}

// A ComparisonRow is a configuration of A and one of B.
type ComparisonRow struct {
	A, B             ComparisonSide
	Ratio, Low, High float64 // of the mean of B to that of A, with its interval
	Differs, Paired  bool
}

// A ComparisonSide is a mean completion time [s] at a T, and its number of trials.
type ComparisonSide struct {
	T, Trials int
	Mean      float64
}

// WriteComparison writes the page of a comparison. It fails if w fails.
func WriteComparison(w io.Writer, c *Comparison) error {
	data, err := c.encode()
	if err != nil {
		return err
	}
	style, err := asset("page.css")
	if err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("'use strict';\n")
	for _, name := range comparisonScripts {
		text, err := asset(name)
		if err != nil {
			return err
		}
		script.WriteString(text)
	}
	t, err := template.ParseFS(files, "page/comparison.html")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, Mark); err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Comparison
		Style                 template.CSS
		Script                template.JS
		Data                  template.HTML
		StyleHash, ScriptHash string
	}{
		c, template.CSS(style), template.JS(script.String()), template.HTML(data), // base64
		hash(style), hash(script.String()),
	})
}

// encode returns the axes and the rows as a payload, a row in place of a configuration.
func (c *Comparison) encode() (string, error) {
	p := payload{header: header{
		Axes: []axis{}, Configs: make([]string, len(c.Rows)), Warnings: []string{},
		Stops: []string{}, Shares: []float64{},
	}}
	for _, x := range c.Axes {
		a := newAxis(x.Key, x.Values)
		a.Title = x.Title
		p.header.Axes = append(p.header.Axes, a)
		p.add("axis "+a.Column, len(c.Rows), func(i int) float64 { return float64(a.index[i]) })
	}
	truth := func(holds bool) float64 {
		if holds {
			return 1
		}
		return 0
	}
	for _, column := range []struct {
		name  string
		value func(r *ComparisonRow) float64
	}{
		{"results", func(*ComparisonRow) float64 { return 1 }}, // of each row
		{"t_a", func(r *ComparisonRow) float64 { return float64(r.A.T) }},
		{"t_b", func(r *ComparisonRow) float64 { return float64(r.B.T) }},
		{"trials_a", func(r *ComparisonRow) float64 { return float64(r.A.Trials) }},
		{"trials_b", func(r *ComparisonRow) float64 { return float64(r.B.Trials) }},
		{"mean_a", func(r *ComparisonRow) float64 { return r.A.Mean }},
		{"mean_b", func(r *ComparisonRow) float64 { return r.B.Mean }},
		{"ratio", func(r *ComparisonRow) float64 { return r.Ratio }},
		{"low", func(r *ComparisonRow) float64 { return r.Low }},
		{"high", func(r *ComparisonRow) float64 { return r.High }},
		{"differs", func(r *ComparisonRow) float64 { return truth(r.Differs) }},
		{"paired", func(r *ComparisonRow) float64 { return truth(r.Paired) }},
	} {
		p.add(column.name, len(c.Rows), func(i int) float64 { return column.value(&c.Rows[i]) })
	}
	return p.pack()
}
