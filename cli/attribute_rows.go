package cli

import (
	"math"
	"slices"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/montecarlo/attribution"
)

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
			cells := study.Each(names, func(name string) any {
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
