package figures

import (
	"strings"

	"jitterfly/collectives/recording"
	"jitterfly/internal/units"
)

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
		for k, share := range use.Shares {
			if at := (float64(k) + 0.5) * use.Step; at <= rec.End.Time {
				l.X, l.Y = append(l.X, at), append(l.Y, share)
			}
		}
		chart.Lines = append(chart.Lines, l)
	}
	return chart.Figure("uses")
}
