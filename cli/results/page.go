package results

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
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
	Headline [][]sweep.Statement // by value of assume
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

// pageOf returns the page of the results, with a title. It fails if the settings or the trials of the study
// cannot be read.
func pageOf(r *datasets.Results, title string) ([]byte, error) {
	s, err := settingsOf(r)
	if err != nil {
		return nil, err
	}
	level, x := output.Level(s.Trials.Confidence), sweep.NewSummary(s)
	for i := range r.Choices {
		x.Add(&r.Choices[i], r.Measures[i])
	}
	p := page{
		Results: r, Title: title, Certainty: strings.TrimSpace(x.Certainty()),
		Headline: x.Verdict(), Objective: r.Choices[0].ByName, Tolerance: output.Level(s.Tolerance),
		Level: level, Trials: numberOfTrials(r), Applications: applications(r), Basis: basis(r),
		Unsure: slices.ContainsFunc(r.Choices, func(c datasets.ChoiceRow) bool { return c.Warning != "" }),
	}
	if p.Set, p.Unset, err = settings(r.Values); err != nil {
		return nil, err
	}
	rows, err := r.Attribution()
	if err != nil {
		return nil, err
	}
	p.Attribution = machines(r, rows)
	if p.Command, err = commandLine(r); err != nil {
		return nil, err
	}
	data, err := encode(r)
	if err != nil {
		return nil, err
	}
	return render("page.html", pageScripts, data, p)
}

// render returns a page by a template: its data, which are a payload, and what the template shows of
// content. The script is made of files in their order.
func render(name string, scripts []string, data string, content any) ([]byte, error) {
	file := func(name string) []byte {
		text, _ := pageFiles.ReadFile("page/" + name) // it is embedded
		return text
	}
	style, script := file("page.css"), []byte("'use strict';\n")
	for _, name := range scripts {
		script = append(script, file(name)...)
	}
	t := template.Must(template.New(name).Funcs(template.FuncMap{
		"interval": Interval, "design": Design,
		"part": func(r *datasets.AttributionRow) string {
			return fmt.Sprintf("%.0f%%", 100*r.Share/(r.Time-r.NoiseFree))
		},
		"data":  func() template.HTML { return template.HTML(data) }, // base64
		"style": func() template.CSS { return template.CSS(style) }, "styleHash": hash(style),
		"script": func() template.JS { return template.JS(script) }, "scriptHash": hash(script),
	}).ParseFS(pageFiles, "page/"+name, "page/head.html"))
	text := bytes.NewBufferString(pageMark)
	err := t.Execute(text, content)
	return text.Bytes(), err
}

// settingsOf returns a study with the keys of trials and choices that results have, without configurations.
func settingsOf(r *datasets.Results) (*study.Study, error) {
	var set []string
	for _, k := range append(ofManyTrials, study.TrialsMin) {
		if values := r.Values[k.Path]; len(values) > 0 {
			set = append(set, k.Path+"="+values[0])
		}
	}
	s, err := studyWith(set...)
	if err == nil {
		s.Configurations = nil // which are others
	}
	return s, err
}

// basis returns the lines that say what results rest on: their noise, machine and assumptions.
func basis(r *datasets.Results) []string {
	return basisOf(r, len(r.Choices), func(config, axis int) any { return r.Choices[config].Value(axis) })
}

// basisOf returns the lines for some configurations of results, given their values on [study.Axes].
func basisOf(r *datasets.Results, configs int, value func(config, axis int) any) []string {
	points := vector.Sequence(configs, func(i int) study.Point {
		return study.PointFrom(func(axis int) any { return value(i, axis) })
	})
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
	least, most := vector.Extremes(vector.Each(r.Measures,
		func(measures []datasets.Measures) float64 { return float64(measures[0].Trials) }))
	if least == most {
		return fmt.Sprintf("%.0f trials each", least)
	}
	return fmt.Sprintf("%.0f to %.0f trials each", least, most)
}

// A setting is a key of the study and its values.
type setting struct {
	Path, Values, Help string
}

// settings returns all keys of a study, in their order, with the values in readable units: the ones
// that differ from the defaults, and the others. It fails if the defaults cannot be read.
func settings(values map[string][]string) (set, unset []setting, err error) {
	base, err := studyWith()
	if err != nil {
		return nil, nil, err
	}
	for _, k := range study.Keys {
		s := setting{k.Path, shorten(inUnits(k, values[k.Path]), 24), k.Help}
		if slices.Equal(values[k.Path], base.Values[k.Path]) {
			unset = append(unset, s)
		} else {
			set = append(set, s)
		}
	}
	return set, unset, nil
}

// studyWith returns the study where only the given keys are set, as path=value.
func studyWith(set ...string) (*study.Study, error) {
	return study.Read(study.Input{Name: "defaults.yaml", Set: set}, 1<<20) // of nothing
}

// inUnits returns canonical values as people write them, with up to six digits and a unit.
func inUnits(k *study.Key, values []string) []string {
	return written(k, values, func(d units.Dimension, v float64) string { return units.Format(d, v, 6) })
}

// written returns canonical values, which are in SI units without a unit, as write writes them.
func written(k *study.Key, values []string, write func(units.Dimension, float64) string) []string {
	texts := slices.Clone(values)
	if k.Dimension == units.Number {
		return texts
	}
	for i, text := range texts {
		if v, err := units.Parse(units.Number, text); err == nil {
			texts[i] = write(k.Dimension, v)
		}
	}
	return texts
}

// shorten joins values, and leaves out the middle if there are more than most.
func shorten(texts []string, most int) string {
	if n := len(texts); n > most {
		return fmt.Sprintf("%s, …, %s (%d values)", strings.Join(texts[:most/3], ", "), texts[n-1], n)
	}
	return strings.Join(texts, ", ")
}

// commandLine returns the command line that computes the same results: the assumptions, and a flag for
// every other key that differs from its default. It fails if the defaults cannot be read.
func commandLine(r *datasets.Results) (string, error) {
	var assumed []string
	if names := r.Values[study.Assume.Path]; len(names) > 0 {
		assumed = []string{"assume=" + strings.Join(names, ",")}
	}
	base, err := studyWith(assumed...)
	if err != nil {
		return "", err
	}
	words := []string{"jitterfly", "sweep"}
	for _, k := range study.Keys {
		values := r.Values[k.Path]
		if len(values) == 0 || k != study.Assume && slices.Equal(values, base.Values[k.Path]) {
			continue
		}
		words = append(words, "--"+k.Flag, output.ShellWord(strings.Join(written(k, values, units.Exact), ",")))
	}
	if r.KeepTrials {
		words = append(words, "--keep-trials")
	}
	return strings.Join(append(words, "--out", "again"), " "), nil
}

// A machine is what its sources of noise cost, and what remedies lead to.
type machine struct {
	Name              string // the axes that vary
	Verdict           string
	Sources, Remedies []*datasets.AttributionRow
}

// machines returns the machines of the rows of an attribution, in their order, as far as the
// results have their configurations. A machine's rows begin with the rows of the plain design.
func machines(r *datasets.Results, rows []datasets.AttributionRow) (all []machine) {
	known := map[string]bool{}
	for _, c := range r.Choices {
		known[c.ConfigID] = true
	}
	var m *machine
	remedies := true // so that the first source begins a machine
	for i := range rows {
		row := &rows[i]
		if row.Kind == "source" && remedies {
			m = nil
			if known[row.ConfigID] {
				all = append(all, machine{Name: deployment(r, row), Verdict: row.Verdict})
				m = &all[len(all)-1]
			}
		}
		remedies = row.Kind == "remedy"
		switch {
		case m == nil:
		case remedies && row.Step > 1 && rows[i-1].Step == row.Step: // of later steps the best is enough
		case remedies:
			m.Remedies = append(m.Remedies, row)
		default:
			m.Sources = append(m.Sources, row)
		}
	}
	return all
}

// deployment returns the axes of a row with several values in the results, except those chosen.
func deployment(r *datasets.Results, row *datasets.AttributionRow) string {
	var names []string
	for _, k := range study.Axes {
		if !k.Chosen && len(r.Values[k.Path]) > 1 {
			names = append(names, k.Label()+" "+k.Format(k.In(&row.Axes)))
		}
	}
	return strings.Join(names, ", ")
}

// Design returns a collective with R sources and T redundant exchanges in words.
func Design(collective string, sources, redundancy int64) string {
	if sources == 1 && redundancy == 0 {
		return "plain " + collective
	}
	return fmt.Sprintf("%s, R = %d, T = %d", collective, sources, redundancy)
}

// Interval returns a time with half of its interval, unless that is below the error of numbers that do not
// vary.
func Interval(seconds, half float64) string {
	text := output.Signed(seconds)
	if half > 1e-6*math.Abs(seconds) {
		text += " ± " + output.Seconds(half)
	}
	return text
}
