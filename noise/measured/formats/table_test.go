package formats

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// The first repetitions of a run are left out: 20 of one of 1000, unless the user says how many.
func TestWarmUp(t *testing.T) {
	run := func(n int) string {
		return "#size\trtt\n" + strings.Repeat("1\t9\n", 20) + strings.Repeat("1\t2\n", n-20)
	}
	for _, c := range []struct {
		text    string
		first   int
		samples int64
		mean    float64 // µs
	}{
		{run(1000) + run(1000), -1, 1960, 2}, {run(999), -1, 999, 2 + 7*20./999},
		{run(1000), 0, 1000, 2.14}, {run(999) + run(30), 19, 991, 2 + 7*2./991},
		{run(100) + run(20), 20, 80, 2},
	} {
		m := tests.Must(Read(strings.NewReader(c.text), "f", c.first))(t)
		p := m.Curves[0].Points[0]
		if p.Samples != c.samples || math.Abs(p.Mean*1e6/c.mean-1) > 1e-9 {
			t.Errorf("without %d: %d of %g s", c.first, p.Samples, p.Mean)
		}
	}
	tests.Fails(t, "--skip")(Read(strings.NewReader(run(30)), "f", 30))
}

// Turns beyond the bins take no longer than the rest of the duration, and as long as the average
// says. That of a core but the first has the overflows of the first, and says nothing.
func TestOslatOverflows(t *testing.T) {
	const table = "Core: 1 2\n001 (us): 2000000 2000000\n002 (us): 10 10\n" +
		"003 (us): 790 790 (including overflows)\nMinimum: 1 1 (us)\n%s" +
		"Maximum: 46967 46967 (us)\nDuration: 5.000 5.000 (sec)\n"
	// Without an average they are in the middle of what the duration leaves.
	least := 0.046967 + 789*2e-6
	middle := (least + 5 - 10*1.5e-6) / 2
	// 790 turns of 1000 µs on average, as calculate in oslat.c adds up.
	average := (2000000*1. + 10*2 + 790*1000) / (2000000 + 10 + 790)
	for text, want := range map[string][2]float64{
		"": {middle, middle},
		fmt.Sprintf("Average: %.3f %[1]f (us)\n", average): {0.79, middle},
		"Average: 1.000 1.000 (us)\n":                      {least, middle},
		"Average: 9.000 9.000 (us)\n":                      {5, middle},
	} {
		for i, h := range mustRead(t, fmt.Sprintf(table, text)).Histograms {
			got := h.OverMean * 790
			if h.Over != 790 || math.Abs(got-want[i]) > 0.003 {
				t.Errorf("%q: %s has overflows of %g s, want %g", text, h.Column, got, want[i])
			}
		}
	}
}

// Lines between quantiles are bent to the mean, where that is reported.
func TestExcess(t *testing.T) {
	p := Point{Size: 1, Seconds: 2 * us, Least: 1 * us, Most: 101 * us,
		Quantiles: quantiles(0, 1*us, .5, 2*us, 1, 101*us)}
	for mean, least := range map[float64]float64{0: 25.5 * us, 2.5 * us: 1.5 * us, 20 * us: 19 * us} {
		p.Mean = mean
		e, ok := p.Excess()
		if !ok || math.Abs(e.Mean()-least) > 1e-3*least || e.Quantile(1) != 100*us ||
			math.Abs(e.Quantile(.5)-1*us) > 1e-3*us {
			t.Errorf("at a mean of %g: %v, whose mean is %g", mean, e.Points, e.Mean())
		}
	}
	// A longest that is not reported follows from the mean: beyond 1.9 µs, 0.4 of 0 to 0.6 and 0.099 of 0.6
	// to 8 are 0.5457 µs on average, and 0.001 of 8 to the longest is the rest, if there is one.
	for mean, longest := range map[float64]float64{2.1 * us: 8 * us, 2.55 * us: 200.6 * us} {
		p = Point{Mean: mean, Quantiles: quantiles(.5, 1.9*us, .9, 2.5*us, .999, 9.9*us)}
		if e, ok := p.Excess(); !ok || math.Abs(e.Quantile(1)-longest) > 1e-12 {
			t.Errorf("the longest is %g, want %g", e.Quantile(1), longest)
		}
	}
	// Most are late, and few early.
	p = Point{Least: 1 * us, Most: 11 * us, Mean: 9 * us, Quantiles: quantiles(.5, 10*us)}
	if e, _ := p.Excess(); math.Abs(e.Mean()-8*us) > 1e-10 {
		t.Errorf("%v has the mean %g, want 8 µs", e.Points, e.Mean())
	}
	for _, p := range []Point{{Seconds: 1}, {Least: 1, Most: 1, Quantiles: quantiles(0, 1, 1, 1)}} {
		if e, ok := p.Excess(); ok {
			t.Errorf("%v exceeds by %v", p, e)
		}
	}
}

// Tables of the same operation are averaged.
func TestPool(t *testing.T) {
	a := Curve{Operation: "a", Points: []Point{{Size: 8, Seconds: 2, Least: 1, Most: 4, Samples: 10,
		Quantiles: quantiles(.5, 2.)}, {Size: 16, Seconds: 5}}}
	b := Curve{Operation: "b", Points: []Point{{Size: 8, Seconds: 4, Least: 2, Most: 3, Samples: 5,
		Quantiles: quantiles(.5, 3.)}}}
	want := Curve{Operation: "a", Points: []Point{{Size: 8, Seconds: 3, Least: 1, Most: 4, Samples: 15,
		Quantiles: []noise.Quantile{{Share: .5, Length: 2.5}}}, {Size: 16, Seconds: 5}}}
	if diff := tests.Diff(want, Pool([]Curve{a, b}), alike); diff != "" {
		t.Error(diff)
	}
	if a.Points[0].Quantiles[0].Length != 2 {
		t.Error("a curve was changed")
	}
}
