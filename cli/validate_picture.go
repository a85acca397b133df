package cli

import (
	"fmt"

	"jitterfly/cli/figures"
	"jitterfly/internal/units"
)

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
