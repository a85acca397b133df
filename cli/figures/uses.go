package figures

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jitterfly/collectives/recording"
	"jitterfly/internal/units"
)

// mostAverages is the largest number of points of a line of uses.
const mostAverages = 40

// Uses returns a figure of what was in use over time in one trial: the shares of links that
// carried something, and dashed those of buffers that were full. It is empty if the recording has
// none.
func Uses(title string, rec *recording.Recording, l Layout) Figure {
	chart := Chart{
		Title: title, Layout: l,
		X: ChartAxis{Name: "time since the start", Dimension: units.Time, Linear: true,
			To: rec.End.Time},
		Y: ChartAxis{Name: "share in use", Linear: true, To: 1},
	}
	full := 0
	for i, use := range rec.Uses {
		l := Line{Label: use.Name, Color: i%len(lineColors) + 1}
		if strings.HasPrefix(use.Name, "buffers") {
			full++
			l.Dashed, l.Color = true, full
		}
		// Averages over some steps: single steps are up and down too often to be read.
		steps := (len(use.Shares) + mostAverages - 1) / mostAverages
		at := 0.5 * float64(steps) * use.Step
		for shares := range slices.Chunk(use.Shares, max(1, steps)) {
			if at <= rec.End.Time {
				l.X, l.Y = append(l.X, at), append(l.Y, stat.Mean(shares, nil))
			}
			at += float64(steps) * use.Step
		}
		chart.Lines = append(chart.Lines, l)
	}
	return chart.Figure("uses")
}
