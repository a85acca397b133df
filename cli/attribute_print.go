package cli

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/results"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo/attribution"
)

// attributePrinters are the ways to print answers, by the values of --format.
var attributePrinters = output.Printers(attributionText, attributionRows)

func attributionText(screen *output.Screen, answers []*answer) string {
	text := overview
	if len(answers) == 1 {
		text = single
	}
	return text(screen, answers) + "\n" + screen.Lines(answers[0].study.Basis())
}

// single returns the answer for one machine: the verdict, what each source costs, and the remedies.
func single(screen *output.Screen, answers []*answer) string {
	var text strings.Builder
	a := answers[0]
	text.WriteString(screen.Wrap(screen.Bold(a.verdict())+"\n") + "\n")
	designs := []design{a.plain}
	if a.chosen.String() != a.plain.String() {
		designs = append(designs, a.chosen)
	}
	for _, d := range designs {
		text.WriteString(a.costsTable(screen, d) + "\n")
	}
	text.WriteString(a.remediesTable(screen) + "\n")
	for _, source := range a.sources {
		if source.Share > 0 {
			text.WriteString(screen.Wrap(a.chance(source) + "\n"))
		}
	}
	note := fmt.Sprintf("± is half of a 95%% confidence interval, after %d trials.", a.trials)
	if a.open != "" {
		note += " More trials are needed: " + a.open + "; write --time or --resolution."
	}
	return text.String() + screen.Wrap(note+"\n")
}

// chance returns in words how likely it is that a job has a node of a class.
func (a *answer) chance(class study.Source) string {
	nodes, some := a.some(class)
	return fmt.Sprintf("%.3g%% of nodes are %s: a job of %.0f nodes has one with probability %.3g%%.",
		100*class.Share, class.Name, nodes, 100*some)
}

// some returns the number of nodes N, and the probability 1 − (1 − p)^N that one belongs to a class
// of share p.
func (a *answer) some(class study.Source) (nodes, probability float64) {
	nodes = a.plain.point.Number(study.Nodes)
	return nodes, -math.Expm1(nodes * math.Log1p(-class.Share))
}

// costsTable returns what each source costs in a design.
func (a *answer) costsTable(screen *output.Screen, d design) string {
	c := d.costs
	title := fmt.Sprintf("%s: %s %s, without noise %s\n", d, a.study.Objective.Name, seconds(c.Full),
		output.Seconds(c.Quiet.Value))
	t := output.Columns("source", "share", "of all", "~alone", "~~removed") // which the remedies have too
	for _, i := range byShare(c) {
		e := c.Each[i]
		t.Append(a.sources[i].Name, seconds(e.Share), part(e.Share, c.Total), seconds(e.Alone), seconds(e.Removed))
	}
	t.Append("all", seconds(c.Total), "100%", "", "")
	return title + screen.Table(t)
}

// remediesTable returns the remedies of the first step and what the best ones lead to.
func (a *answer) remediesTable(screen *output.Screen) string {
	several := slices.ContainsFunc(slices.Concat(a.steps...), func(o attribution.Outcome) bool {
		return a.led(o).point.Name(study.Collective) != a.plain.point.Name(study.Collective)
	})
	t := output.Columns("step", "remedy", "leads to", "~changes", "R, T")
	if several {
		t.Add("~~collective")
	}
	add := func(number, remedy, change string, o attribution.Outcome) {
		d := a.led(o)
		cells := []any{number, remedy, seconds(o.Objective), change, d.redundant()}
		if several {
			cells = append(cells, d.point.Name(study.Collective))
		}
		t.Append(cells...)
	}
	add("0", "none", "", a.start)
	for k, step := range a.steps {
		for j, o := range step {
			number := ""
			if j == 0 && taken(&o) {
				number = fmt.Sprint(k + 1)
			}
			add(number, a.words(o.Remedy), seconds(o.Change), o)
			if k > 0 && j == 0 {
				break // of the later steps the best is enough
			}
		}
	}
	return "Remedies: each alone (above), then the best sequence (below)\n" + screen.Table(t)
}

// leastGain is the relative gain below which a remedy is not worth a step.
const leastGain = 0.01

// overview returns which source costs what on several machines.
func overview(screen *output.Screen, answers []*answer) string {
	names := namesOf(answers, func(study.Source) bool { return true })
	shared := namesOf(answers, func(source study.Source) bool { return source.Share > 0 })
	varying := answers[0].study.VaryingDeployments()
	t := output.Table{}
	t.Axes(vector.Each(varying, (*study.Key).Label)...)
	for _, name := range shared {
		t.Add("some\n" + name)
	}
	t.Add("plain", "~noise-free")
	for _, name := range names {
		t.Columns = append(t.Columns, output.Column{Title: afterLast.ReplaceAllString(name, "\n$1")})
	}
	t.Add("~~chosen", "~~R, T", "first remedy")
	for _, a := range answers {
		cells := a.plain.point.Texts(varying)
		for _, name := range shared {
			cell := ""
			if i := a.source(name); i >= 0 {
				_, some := a.some(a.sources[i])
				cell = fmt.Sprintf("%.3g%%", 100*some)
			}
			cells = append(cells, cell)
		}
		c := a.plain.costs
		cells = append(cells, output.Seconds(c.Full.Value), output.Seconds(c.Quiet.Value))
		for _, name := range names {
			cell := ""
			if i := a.source(name); i >= 0 {
				cell = part(c.Each[i].Share, c.Total)
			}
			cells = append(cells, cell)
		}
		cells = append(cells, output.Seconds(a.chosen.costs.Full.Value),
			a.chosen.redundant(), a.first())
		t.Append(cells...)
	}
	title := "Share of each source in what noise adds to the plain collective, and the best remedy alone"
	if len(shared) > 0 {
		title += "; some is the probability that a job has a node of a class"
	}
	return screen.Wrap(title+"\n") + screen.Table(t)
}

// namesOf returns the names of the sources that pick holds for, each once.
func namesOf(answers []*answer, pick func(study.Source) bool) (names []string) {
	for _, a := range answers {
		for _, source := range a.sources {
			if pick(source) && !slices.Contains(names, source.Name) {
				names = append(names, source.Name)
			}
		}
	}
	return names
}

// source returns the index of the source of a name, −1 if no source has it.
func (a *answer) source(name string) int {
	return slices.IndexFunc(a.sources, func(s study.Source) bool { return s.Name == name })
}

// afterLast matches the last word of several, which is below the others in a title.
var afterLast = regexp.MustCompile(` (\S+)$`)

// first returns the best first remedy and what it leads to.
func (a *answer) first() string {
	o := a.steps[0][0]
	if !taken(&o) {
		return "none gains 1%"
	}
	return fmt.Sprintf("%s: %s", a.words(o.Remedy), output.Seconds(o.Objective.Value))
}

// verdict returns two sentences: what costs most, and what to do.
func (a *answer) verdict() string {
	c := a.plain.costs
	ranks := study.Ranks.Text(a.plain.point.Value(study.Ranks))
	if len(a.sources) == 0 || !c.Total.Certain() {
		return fmt.Sprintf("At %s ranks noise costs the %s nothing that %d trials can detect.", ranks,
			a.plain, a.trials)
	}
	order := byShare(c)
	top := order[0]
	text := fmt.Sprintf("At %s ranks %s of what noise adds to the %s (%s to %s) is from %s", ranks,
		part(c.Each[top].Share, c.Total), a.plain, output.Seconds(c.Quiet.Value), output.Seconds(c.Full.Value),
		a.sources[top].Name)
	if len(order) > 1 && c.Each[order[1]].Share.Value > 0.1*c.Total.Value {
		text += fmt.Sprintf(", and %s from %s", part(c.Each[order[1]].Share, c.Total), a.sources[order[1]].Name)
	}
	return text + ". " + a.advice() + a.spread()
}

// spread returns a sentence on what noise costs one run, and what the chosen design saves it, if that
// is known.
func (a *answer) spread() string {
	if a.runs == nil {
		return ""
	}
	cost := vector.Each(a.runs.Times[0], func(t float64) float64 { return t - a.plain.costs.Quiet.Value })
	text := fmt.Sprintf(" One run of %d iterations is a draw: noise adds %s to an iteration "+
		"(10%% to 90%% of runs)", a.runs.Iterations, sweep.RangeOf(cost))
	if a.chosen.String() != a.plain.String() {
		text += fmt.Sprintf(", and the %s saves %s", a.chosen, sweep.RangeOf(a.runs.Saved()))
	}
	return text + "."
}

// advice returns what to do first, in a sentence or two.
func (a *answer) advice() string {
	var steps []string
	for _, step := range a.steps {
		if o := &step[0]; taken(o) {
			steps = append(steps, fmt.Sprintf("%s (%s)", a.words(o.Remedy), output.Seconds(o.Objective.Value)))
		}
	}
	text := "No remedy is certain to gain 1%."
	if n := len(steps); n > 0 {
		text = "First " + strings.Join(steps[:min(n, 3)], ", then ")
		if n > 3 {
			text += ", and so on"
		}
		for i, o := range a.steps[0] {
			if i > 0 && o.Remedy.Action == attribution.Redundancy {
				text += "; redundancy alone leads to " + output.Seconds(o.Objective.Value)
			}
		}
		text += "."
	}
	for _, o := range a.steps[0] {
		if o.Remedy.Hypothetical && o.Gains(leastGain) {
			text += fmt.Sprintf(" Without %s it would take %s.", a.sources[o.Remedy.Source].Name,
				output.Seconds(o.Objective.Value))
		}
	}
	return text
}

// taken reports whether the first outcome of a step is worth the step.
func taken(o *attribution.Outcome) bool { return !o.Remedy.Hypothetical && o.Gains(leastGain) }

// byShare returns the sources by their shares, the largest first.
func byShare(c attribution.Costs) []int {
	return vector.Order(len(c.Each), func(i int) float64 { return -c.Each[i].Share.Value })
}

// seconds returns an estimate of a time with half its interval; one that is not certain to differ
// from 0 is 0.
func seconds(e attribution.Estimate) string {
	if !e.Certain() {
		e.Value = 0
	}
	return results.Interval(e.Value, e.Half)
}

// part returns an estimate as a part of a whole, in per cent.
func part(e, whole attribution.Estimate) string {
	if !e.Certain() || whole.Value == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*e.Value/whole.Value)
}

// rows returns the rows of attribution.parquet: one for each source, in the plain and in the chosen
// design, in descending order of cost, and one for each remedy of each step.
func (a *answer) rows() (rows []datasets.AttributionRow) {
	add := func(d design, r datasets.AttributionRow, time, share, alone, removed, change attribution.Estimate) {
		r.Axes, r.Redundancy = sweep.AxesOf(d.point), int64(d.T)
		r.Trials, r.ByName, r.Verdict, r.Open = int64(a.trials), a.study.Objective.Name, a.verdict(), a.open
		r.Time, r.TimeHalf = time.Value, time.Half
		r.Share, r.ShareHalf = share.Value, share.Half
		r.Alone, r.AloneHalf = alone.Value, alone.Half
		r.Removed, r.RemovedHalf = removed.Value, removed.Half
		r.Change, r.ChangeHalf = change.Value, change.Half
		rows = append(rows, r)
	}
	none := attribution.Estimate{Value: math.NaN(), Half: math.NaN()}
	for i, d := range []design{a.plain, a.chosen} {
		c := d.costs
		for _, source := range byShare(c) {
			e, row := c.Each[source], datasets.AttributionRow{
				Kind: "source", Name: a.sources[source].Name, Design: []string{"plain", "chosen"}[i],
				NoiseFree: c.Quiet.Value, RunP10: math.NaN(), RunP90: math.NaN(),
			}
			if a.runs != nil {
				one := sweep.RangeOf(a.runs.Times[i])
				row.RunP10, row.RunP90 = one.Low, one.High
			}
			add(d, row, c.Full, e.Share, e.Alone, e.Removed, none)
		}
	}
	for k, step := range a.steps {
		for j := range step {
			o, row := &step[j], datasets.AttributionRow{
				Kind: "remedy", Name: a.words(step[j].Remedy), Step: int64(k + 1), NoiseFree: math.NaN(),
				RunP10: math.NaN(), RunP90: math.NaN(),
			}
			if j == 0 && taken(o) {
				row.Taken = 1
			}
			add(a.led(*o), row, o.Objective, none, none, none, o.Change)
		}
	}
	return rows
}

// attributionRows returns the rows of all answers for --format csv and json: the axes that vary, and the
// columns of [datasets.AttributionRow] that are not axes; if asked to, also what they rest on.
func attributionRows(answers []*answer, basis bool) (header []string, rows output.Rows) {
	names := study.Columns(answers[0].study.VaryingDeployments())
	names = append(names, study.Collective.Column, study.Sources.Column)
	axes := len(datasets.Columns[datasets.Axes]())
	names = append(names, datasets.Columns[datasets.AttributionRow]()[axes:]...)
	var lines [][]any
	for _, a := range answers {
		for _, row := range a.rows() {
			cells := vector.Each(names, func(name string) any {
				return datasets.ColumnOf[datasets.AttributionRow](name)(&row)
			})
			if basis {
				cells = append(cells, a.plain.point.Basis(a.study))
			}
			lines = append(lines, cells)
		}
	}
	if basis {
		names = append(names, study.BasisColumn)
	}
	return names, slices.Values(lines)
}
