package figures

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"jitterfly/internal/units"
)

func svg(t *testing.T, f Figure) string {
	t.Helper()
	content, err := f.Bytes("svg")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// What is above a grid's colours is red and said to be, what is missing is hatched and said
// to be, and neither is there without need.
func TestGrid(t *testing.T) {
	axis := Cells{Name: "along", Labels: []string{"first", ""}}
	g := Grid{
		Title: "title",
		X:     axis,
		Y:     axis,
		Z:     "value",
		Value: [][]float64{{1, 2}, {3, 5}},
		Low:   1,
		Top:   5,
	}
	const red = "fill:#D55E00"
	within := svg(t, g.Figure("grid"))
	for _, text := range []string{"title", "along", "first", ">value<"} {
		if !strings.Contains(within, text) {
			t.Errorf("the picture does not say %q", text)
		}
	}
	if strings.Contains(within, red) || strings.Contains(within, "more than") ||
		strings.Contains(within, ">none<") {
		t.Error("a grid inside its colours has red or missing cells")
	}
	g.Value[0][0] = 5.1
	if above := svg(t, g.Figure("grid")); strings.Count(above, red) != 2 ||
		!strings.Contains(above, "more than 5") { // and in the legend
		t.Error("a value above the colours is not red, or not explained")
	}
	g.Value[0][0] = math.NaN()
	if gaps := svg(t, g.Figure("grid")); strings.Contains(gaps, red) ||
		!strings.Contains(gaps, ">none<") {
		t.Error("a missing value is red, or not explained")
	}
	g.Value[0][0], g.Low, g.Top = 100, 0, 0
	if own := svg(t, g.Figure("grid")); strings.Contains(own, red) || !strings.Contains(own, ">100<") {
		t.Error("a grid without ends of colours does not have those of its values")
	}
}

// A chart's axis is linear from 0 if Linear is set, else logarithmic; points outside its domain
// are skipped.
func TestChart(t *testing.T) {
	c := Chart{
		Title: "title", X: ChartAxis{Name: "ranks", Whole: true},
		Y: ChartAxis{Name: "time", Dimension: units.Time},
		Lines: []Line{
			{
				Label: "one",
				X:     []float64{2, 16, 256},
				Y:     []float64{1e-6, 1e-5, 1e-3},
				Low:   []float64{0, 9e-6, 9e-4},
				High:  []float64{2e-6, 2e-5, 2e-3},
				Dots:  true,
			},
		},
	}
	for _, test := range []struct {
		change func()
		has    string
		hasNot string
	}{
		{func() {}, ">100 µs<", ">0 s<"},
		{func() { c.Y.Linear = true }, ">0 s<", ">100 µs<"},
		{func() { c.Y.From, c.Y.To = 0, 1 }, ">800 ms<", ">1 ms<"},
	} {
		test.change()
		if picture := svg(t, c.Figure("chart")); !strings.Contains(picture, test.has) ||
			strings.Contains(picture, test.hasNot) {
			t.Errorf("the picture lacks %s or has %s", test.has, test.hasNot)
		}
	}
	c.Y = ChartAxis{Name: "time", Dimension: units.Time}
	whole := svg(t, c.Figure("chart"))
	c.Lines[0].X, c.Lines[0].Y = append(c.Lines[0].X, 0), append(c.Lines[0].Y, 1e-4)
	line := &c.Lines[0]
	line.Low, line.High = append(line.Low, 1e-4), append(line.High, 1e-4)
	c.X.From, c.X.To = 2, 256
	if with := svg(t, c.Figure("chart")); !bytes.Equal([]byte(with), []byte(whole)) {
		t.Error("a point at 0 on a logarithmic axis is drawn")
	}
}
