package results

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

//go:embed page
var pageFiles embed.FS

// pageScripts are the files of the page's script, in their order.
var pageScripts = []string{
	"data.js", "format.js", "scale.js", "svg.js", "explore.js", "table.js", "heat.js", "curve.js",
	"detail.js", "address.js", "main.js",
}

// pageMark is the beginning of every report, which distinguishes it from other files.
const pageMark = "<!DOCTYPE html>\n<!-- a report of jitterfly -->\n"

// replaceable fails if the file exists and is not a report.
func replaceable(path string) error {
	ours := func(head, _ string) bool { return strings.HasPrefix(head, pageMark) }
	return figures.ReplaceableIf(ours, path, "exists and is not a report; name another file with --out")
}

// mostOnPage is the largest number of configurations that a page, or pictures, can show.
const mostOnPage = 100_000

// A page is the data of the template page.html.
type page struct {
	*datasets.Results
	Title    string
	Headline []statement
	// Attribution is what sources of noise cost on each machine, if that was computed.
	Attribution []machine
	Objective   string
	Tolerance   string
	Level       string // confidence level
	Trials      string
	Certainty   string
	Basis       []string // what the results rest on
	Unsure      bool     // any choice is
	// Applications says that the times are times of iterations.
	Applications bool
	Set          []setting // keys that differ from the defaults
	Unset        []setting
	Command      string
}

// writePage writes the page of the results, with a title and how certain the choices are. It fails if the
// trials cannot be read or w fails.
func writePage(w io.Writer, r *datasets.Results, title, certainty string) error {
	p := page{
		Results: r, Title: title, Certainty: certainty, Headline: headline(r), Objective: r.Choices[0].ByName,
		Tolerance: percentOf(r, study.Tolerance), Level: percentOf(r, study.TrialsConfidence),
		Trials: numberOfTrials(r), Applications: applications(r), Basis: basis(r),
		Unsure: slices.ContainsFunc(r.Choices, func(c datasets.ChoiceRow) bool { return c.Warning != "" }),
	}
	var err error
	if p.Set, p.Unset, err = settings(r.Values); err != nil {
		return err
	}
	rows, err := r.Attribution()
	if err != nil {
		return err
	}
	p.Attribution = machines(r, rows)
	if p.Command, err = commandLine(r); err != nil {
		return err
	}
	data, err := encode(r)
	if err != nil {
		return err
	}
	return render(w, "page.html", pageScripts, data, p)
}

// render writes a page by a template: its data, which are a payload, and what the template shows of
// content. The script is made of files in their order.
func render(w io.Writer, name string, scripts []string, data string, content any) error {
	file := func(name string) []byte {
		text, _ := pageFiles.ReadFile("page/" + name) // it is embedded
		return text
	}
	style, script := file("page.css"), []byte("'use strict';\n")
	for _, name := range scripts {
		script = append(script, file(name)...)
	}
	t := template.Must(template.New(name).Funcs(template.FuncMap{
		"data":  func() template.HTML { return template.HTML(data) }, // base64
		"style": func() template.CSS { return template.CSS(style) }, "styleHash": hash(style),
		"script": func() template.JS { return template.JS(script) }, "scriptHash": hash(script),
	}).ParseFS(pageFiles, "page/"+name, "page/head.html"))
	if _, err := io.WriteString(w, pageMark); err != nil {
		return err
	}
	return t.Execute(w, content)
}

// share returns the share that results have for a key. It fails if they have none.
func share(r *datasets.Results, k *study.Key) (float64, error) {
	return strconv.ParseFloat(strings.Join(r.Values[k.Path], ""), 64)
}

// percentOf formats the share that results have for a key, 0 if they have none: no run of this program lacks
// it.
func percentOf(r *datasets.Results, k *study.Key) string {
	v, _ := share(r, k)
	return output.Level(v)
}

// basis returns the lines that say what results rest on: their noise, machine and assumptions.
func basis(r *datasets.Results) []string {
	return basisOf(r, func(yield func(study.Point) bool) {
		for i := range r.Choices {
			if !yield(study.PointFrom(r.Choices[i].Value)) {
				return
			}
		}
	})
}

// basisOf returns the lines for some points of results.
func basisOf(r *datasets.Results, points iter.Seq[study.Point]) []string {
	return study.BasisOf(points, func(k *study.Key) bool {
		paths := []string{k.Path}
		if values := r.Values[k.Path]; len(values) == 1 {
			if target, follows := strings.CutPrefix(values[0], "="); follows {
				paths = append(paths, target)
			}
		}
		return slices.ContainsFunc(paths, func(path string) bool { return slices.Contains(r.Given, path) })
	})
}

// hash returns a function that returns the hash of a style or a script for the page's security
// policy, which allows nothing else to run.
func hash(text []byte) func() string {
	sum := sha256.Sum256(text)
	return func() string { return "sha256-" + base64.StdEncoding.EncodeToString(sum[:]) }
}

func numberOfTrials(r *datasets.Results) string {
	least, most := int64(math.MaxInt64), int64(0)
	for _, measures := range r.Measures {
		least, most = min(least, measures[0].Trials), max(most, measures[0].Trials)
	}
	if least == most {
		return fmt.Sprintf("%d trials each", least)
	}
	return fmt.Sprintf("%d to %d trials each", least, most)
}
