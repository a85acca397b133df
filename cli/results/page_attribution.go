package results

import (
	"fmt"
	"math"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// A machine is what its sources of noise cost, and what remedies lead to.
type machine struct {
	Name     string // the axes that vary
	Verdict  string
	Sources  [][]string // cells of rows: design, source, share, part of all, alone, removed
	Remedies [][]string // step, remedy, time that it leads to, change, design
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
		design := Design(row.Collective, row.Sources, row.Redundancy)
		switch {
		case m == nil:
		case remedies && row.Step > 1 && rows[i-1].Step == row.Step: // of later steps the best is enough
		case remedies:
			step := ""
			if row.Taken == 1 {
				step = fmt.Sprint(row.Step)
			}
			m.Remedies = append(m.Remedies, []string{step, row.Name, Interval(row.Time, row.TimeHalf),
				Interval(row.Change, row.ChangeHalf), design})
		default:
			part := fmt.Sprintf("%.0f%%", 100*row.Share/(row.Time-row.NoiseFree))
			m.Sources = append(m.Sources, []string{design, row.Name, Interval(row.Share, row.ShareHalf), part,
				Interval(row.Alone, row.AloneHalf), Interval(row.Removed, row.RemovedHalf)})
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
