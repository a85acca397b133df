package cli

import (
	"fmt"
	"slices"
	"strconv"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/output"
	"jitterfly/internal/units"
	"jitterfly/noise/measured/formats"
)

// validationPrinters are the ways to print a validation, by the values of --format.
var validationPrinters = output.Printers(validationText, validationRows)

func validationText(screen *output.Screen, v *validation) string {
	loops := slices.ContainsFunc(v.rows, func(r validatedRow) bool { return r.Iterations > 0 })
	t := output.Table{}
	t.Axes("bytes", "R", "T")
	if v.leads() {
		t.Axes("leaders")
	}
	if loops {
		t.Axes("iterations", "computing")
	}
	t.Add("statistic", "~without noise", "measured", "predicted", "ratio", "95% interval", "verdict")
	for _, r := range v.rows {
		cells := []any{units.Format(units.Size, r.Bytes, 6), r.Sources, r.Copies}
		if v.leads() {
			cells = append(cells, led(r.Scheme))
		}
		if loops {
			cells = append(cells, r.Iterations, output.Seconds(r.Compute))
		}
		t.Append(append(cells, r.statistic, output.Seconds(r.quiet), output.Seconds(r.measured),
			output.Seconds(r.predicted), fmt.Sprintf("%.3f", r.ratio()),
			fmt.Sprintf("%.3f–%.3f", r.low, r.high), r.verdict)...)
	}
	return screen.Wrap(v.title()+"\n\n") + screen.Table(t) + screen.Wrap("\n"+v.summary()+"\n") +
		screen.Lines(slices.Concat(v.savings(), v.overheads(), v.notes))
}

// leads returns whether operations by leaders are compared.
func (v *validation) leads() bool {
	return slices.ContainsFunc(v.rows, func(r validatedRow) bool { return r.Leaders > 0 })
}

// led returns the cell of a scheme's leaders.
func led(s formats.Scheme) string {
	switch {
	case s.Leaders == 0:
		return "–"
	case s.Share:
		return fmt.Sprintf("%d, share", s.Leaders)
	}
	return strconv.Itoa(s.Leaders)
}

// title says what was measured.
func (v *validation) title() string {
	b := v.bench
	text := fmt.Sprintf("%d ranks", b.Ranks)
	if v.leads() {
		text += fmt.Sprintf(" on nodes of %d", b.RanksPerNode)
	}
	if b.Machine {
		text += ", the noise of the machine"
	} else {
		text += fmt.Sprintf(", detours of %s every %s", output.Seconds(b.Duration), output.Seconds(b.Period))
	}
	if b.Held > 0 {
		text += ", messages delayed by " + output.Seconds(b.Held)
	}
	text += fmt.Sprintf("; α = %s, c = %s", output.Seconds(b.Latency), output.Seconds(b.SendOverhead))
	if v.leads() {
		text += fmt.Sprintf(", %s inside a node", output.Seconds(b.NodeLatency))
	}
	return text + "."
}

func (v *validation) summary() string {
	return fmt.Sprintf("%d of %d statistics agree within %s, %d differ, %d need more operations.",
		v.count(agrees), len(v.rows), output.Level(v.tolerance), v.count(differs), v.count(unresolved))
}

// overheads says how much longer the library takes than the allreduce of MPI without noise.
func (v *validation) overheads() []string {
	if v.bench.Held > 0 {
		return nil // MPI does not hold its own messages
	}
	native := map[work]float64{}
	var lines []string
	for _, g := range groups(v.bench.Operations) {
		noisy, quiet := timesOf(g.operations)
		key := workOf(g.Scheme)
		median := quantile(0.5)(baseline(noisy, quiet))
		switch {
		case g.Sources == 0:
			native[key] = median
		case g.Sources == 1 && g.Copies == 0 && native[key] > 0:
			lines = append(lines, fmt.Sprintf("%s: %s without noise, %.2f× MPI's own allreduce (%s).",
				schemeName(g.Scheme), output.Seconds(median), median/native[key], output.Seconds(native[key])))
		}
	}
	return lines
}

func validationRows(v *validation, _ bool) (header []string, rows output.Rows) {
	var all [][]any
	for _, r := range v.rows {
		saved := v.saved(r.Scheme)
		all = append(all, []any{v.bench.Ranks, r.Bytes, r.Sources, r.Copies, r.Leaders,
			r.Share, r.Iterations, r.Compute, r.operations, r.statistic, r.quiet, r.measured,
			r.predicted, r.ratio(), r.low, r.high, string(r.verdict), saved.mean, saved.measured, saved.low, saved.high})
	}
	return []string{"ranks", "bytes", "sources", "redundancy", "leaders", "share", "iterations",
		"compute_s", "operations", "statistic", "quiet_s", "measured_s", "predicted_s", "ratio", "ratio_low",
		"ratio_high", "verdict", "saved_s", "saved_measured_s", "saved_p10_s", "saved_p90_s"}, slices.Values(all)
}

// mostPictured is the number of groups that a picture can distinguish.
const mostPictured = 5

// figure returns a picture of the distributions: which share of the operations takes longer than
// a time, measured and predicted.
func (v *validation) figure(name string) figures.Figure {
	c := figures.Chart{
		Title: "Operations of " + name + " that take longer, measured and (dashed) predicted",
		X:     figures.ChartAxis{Name: "time of an operation", Dimension: units.Time},
		Y:     figures.ChartAxis{Name: "share that takes longer"},
	}
	for i, g := range v.groups[:min(mostPictured, len(v.groups))] {
		for _, of := range []struct {
			sorted []float64
			label  string
		}{{g.noisy, ""}, {g.predicted, ", predicted"}} {
			l := figures.Line{
				Label: fmt.Sprintf("R = %d, T = %d%s, %s%s", g.Sources, g.Copies, leaders(g.Scheme),
					units.Format(units.Size, g.Bytes, 3), of.label),
				Dashed: of.label != "", Color: i,
			}
			l.X, l.Y = tail(of.sorted, len(g.noisy))
			c.Lines = append(c.Lines, l)
		}
	}
	return c.Figure("validation")
}

// tail returns times and the shares of sorted times that exceed them, down to ten of the
// operations.
func tail(sorted []float64, operations int) (times, shares []float64) {
	n := len(sorted)
	for i, points := 0, 200; i < n; i += max(1, n/points) {
		share := float64(n-i) / float64(n)
		if share*float64(operations) < 10 {
			break
		}
		if share < 0.2 {
			points = 5000
		}
		times, shares = append(times, sorted[i]), append(shares, share)
	}
	return times, shares
}
