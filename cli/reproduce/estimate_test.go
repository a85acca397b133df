package reproduce

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/datasets"
)

// The interval of a statistic of one cell is the cell's, and that of the mean of a hundred is a
// tenth as wide. What has no interval stays as it is.
func TestEstimated(t *testing.T) {
	cells := make([]*Config, 100)
	for i := range cells {
		cells[i] = &Config{T: []datasets.Measures{
			{NoiseFree: 1, Mean: 2, Low: 1.9, High: 2.1, Slowdown: 2}, {NoiseFree: 1, Mean: 1, Low: 1, High: 1},
		}}
	}
	for _, c := range []struct {
		name string
		n    int
		m    measured
		half float64
	}{
		{"one", 1, slowdown, 0.1}, {"a hundred", 100, slowdown, 0.01}, {"T", 100, chosen, 0},
	} {
		e := estimated(func(at lens) float64 { return stat.Mean(each(cells[:c.n], at(c.m)), nil) })
		if want := stat.Mean(each(cells[:c.n], c.m.of), nil); e.mean != want {
			t.Errorf("%s: %g, want %g", c.name, e.mean, want)
		}
		if half := (e.high - e.low) / 2; math.Abs(half-c.half) > 0.2*c.half {
			t.Errorf("%s: ± %.3g, want ± %.3g", c.name, half, c.half)
		}
	}
}

// Of trials that meet the same noise only what is their own is uncertain.
func TestPaired(t *testing.T) {
	a, b := []float64{11, 20, 29}, []float64{5, 10, 15}
	got := paired(a, b) // 2 times as long but for ± 1
	half := 4.3027 / math.Sqrt(3) / 10
	if got.mean != 2 || math.Abs(got.low-2+half) > 1e-4 || math.Abs(got.high-2-half) > 1e-4 {
		t.Errorf("%+v, want 2 ± %g", got, half)
	}
}

// A number is shown with its interval, unless the format has no digit for that.
func TestEstimateAsText(t *testing.T) {
	for _, c := range []struct {
		e    estimate
		want string
	}{
		{estimate{2.186, 2.161, 2.221}, "2.19× (2.16–2.22)"}, {estimate{2.186, 2.1859, 2.1861}, "2.19×"},
	} {
		if got := c.e.factor(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
	if got := (estimate{1.12, 1.11, 1.13}).percent(); got != "12.0% (11.0–13.0)" {
		t.Errorf("%q", got)
	}
	all := []estimate{{1.2, 1.1, 1.3}, {0.9, 0.8, 1}, {1, 1, 1}}
	if got, want := span(all, "%.2f"), "0.90 (0.80–1.00) to 1.20 (1.10–1.30)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if (estimate{2, 1.9, 2.1}).above(estimate{1, 0.9, 1.1}) != Holds ||
		(estimate{2, 1.9, 2.1}).above(estimate{2, 1.9, 2.1}) != Inconclusive ||
		(estimate{1, 0.9, 1.1}).above(estimate{2, 1.9, 2.1}) != Fails {
		t.Error("the larger of two is not seen")
	}
}
