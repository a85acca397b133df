package figures

import (
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

func svg(t *testing.T, f Figure) string {
	t.Helper()
	content := tests.Must(f.Bytes("svg"))(t)
	return string(content)
}

// A chart's axis is logarithmic if values differ much; points outside its domain are skipped.
func TestChart(t *testing.T) {
	c := Chart{
		Title: "title", X: ChartAxis{Name: "ranks", Whole: true},
		Y:     ChartAxis{Name: "time", Dimension: units.Time},
		Lines: []Line{{Label: "one", X: []float64{2, 16, 256}, Y: []float64{1e-6, 1e-5, 1e-3}, Dots: true}},
	}
	picture := svg(t, c.Figure("chart"))
	for _, text := range []string{"title", ">ranks<", ">time<", ">100 µs<", ">one<"} {
		if !strings.Contains(picture, text) {
			t.Errorf("the picture lacks %s", text)
		}
	}
	c.Lines[0].Y[0] = 5e-4
	c.Lines[0].Y[1] = 7e-4
	if strings.Contains(svg(t, c.Figure("chart")), ">100 µs<") {
		t.Error("an axis of similar values is logarithmic")
	}
}
