package figures

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

var (
	ranks, nodes, latency = study.Ranks, study.Nodes, study.Latency
	duration, netDuration = study.OSDuration, study.NetDuration
)

// example returns a study of that many powers of two ranks, two latencies and two durations,
// without the configurations for which leave returns true.
func example(t *testing.T, powers int, leave func(datasets.Axes) bool) *Data {
	t.Helper()
	var tables datasets.Results
	for k := range powers {
		for _, alpha := range []float64{1e-6, 1e-7} {
			for _, d := range []float64{1e-5, 1e-4} {
				a := datasets.Axes{
					Ranks:       2 << k,
					Nodes:       2 << k,
					Latency:     alpha,
					OSDuration:  d,
					NetDuration: d,
					Collective:  "butterfly",
				}
				a.ConfigID = fmt.Sprintf("%+v", a)
				if leave(a) {
					continue
				}
				tables.Choices = append(
					tables.Choices, datasets.ChoiceRow{Axes: a, Pick: datasets.Pick{Estimate: 1, Baseline: 2, Estimated: 1}},
				)
				var summary []datasets.Measures
				for redundancy := range 3 {
					mean := alpha*float64(k+1) + d/float64(1+redundancy)
					summary = append(summary, datasets.Measures{
						Redundancy: int64(redundancy), Mean: mean, Low: mean * 0.9, High: mean * 1.1,
						NoiseFree: alpha * float64(k+1), LowerBound: alpha * float64(k+1), Slowdown: 1 + d/alpha,
					})
				}
				tables.Measures = append(tables.Measures, summary)
			}
		}
	}
	return NewData([]*study.Key{nodes, ranks, latency, duration, netDuration}, &tables)
}

// drawn returns all figures of launches over x, heat maps also over y, with one trial at T = 0 of each
// configuration, which is complete at a time.
func drawn(t *testing.T, d *Data, x, y *study.Key, completion float64) (figures []Figure) {
	t.Helper()
	for _, m := range Measures {
		figures = append(figures, d.HeatMaps(m, x, y)...)
	}
	trials := tests.Must(d.Trials(ranks, func(visit func(config, t int, completions []float64)) error {
		for i := range d.configs {
			visit(i, 0, []float64{completion})
		}
		return nil
	}))(t)
	return slices.Concat(figures, d.Completion(x), d.Redundancy(ranks), trials)
}

func all(datasets.Axes) bool { return false }

// Of axes that determine each other one remains: nodes and ranks, and the durations of OS and
// network noise.
func TestAxesThatMoveTogether(t *testing.T) {
	d := example(t, 5, all)
	names := func(axes ...*study.Key) string {
		var names []string
		for _, a := range axes {
			names = append(names, a.Label())
		}
		return strings.Join(names, " ")
	}
	pair := func(x, y *study.Key) string { return names(x, y) }
	for _, test := range []struct{ name, got, want string }{
		{"by itself", pair(d.Plane(nil, nil)), "nodes latency"},
		{"with x", pair(d.Plane(duration, nil)), "detour length nodes"},
		{"with y", pair(d.Plane(nil, ranks)), "latency ranks"},
		{"further", names(d.further(ranks, latency)...), "detour length"},
		{"further of none", names(d.further()...), "nodes latency detour length"},
		{"further of what moves together", names(d.further(netDuration, nodes)...), "latency"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.name, test.got, test.want)
		}
	}
	if !d.Has(netDuration) || d.Has(study.Bytes) {
		t.Error("which axes have several values is wrong")
	}
}

// A cell shows its configuration, and is empty where there is none.
func TestCells(t *testing.T) {
	d := example(t, 3, func(a datasets.Axes) bool { return a.Ranks == 4 && a.Latency == 1e-6 })
	m := tests.Must(FindMeasure("slowdown"))(t)
	_, columns := d.values(ranks)
	ys, rows := d.values(latency)
	c := cells{bar: &colorBar{scale: m.scale([]float64{1, 1001})}}
	gaps := c.fill(d.groups([]*study.Key{duration})[0].configs, m, ranks, latency, columns, rows)
	want := "[[101 101 101] [11 NaN 11]]"
	if got := fmt.Sprintf("%.0f", c.values); got != want || !gaps {
		t.Errorf("%s, gaps %t, want %s", got, gaps, want)
	}
	c.values = nil
	if c.fill(d.groups([]*study.Key{duration, latency})[2].configs, m, ranks, latency, columns,
		map[any]int{ys[0]: 0}) {
		t.Error("a full map has gaps")
	}
}

// Values whose colours differ have different texts, with no more digits than that takes.
func TestTextsOfColours(t *testing.T) {
	m := tests.Must(FindMeasure("speedup"))(t)
	for want, values := range map[string][]float64{
		"1.2": {1, 1.21, 1.6}, "1.21": {1.2, 1.21, 1.25}, "1.210": {1.2, 1.21, 1.211},
		"13": {1, 13, 100}, "13.0": {12.7, 13, 13.4},
	} {
		if got := m.distinct(values, m.scale(values))(values[1]); got != want {
			t.Errorf("%v: the second is %s, not %s", values, got, want)
		}
	}
}

// All figures are drawn in all formats, with the same bytes each time.
func TestFiguresAreTheSameEachTime(t *testing.T) {
	for _, powers := range []int{1, 4} {
		d := example(t, powers, all)
		first, second := drawn(t, d, latency, duration, 1), drawn(t, d, latency, duration, 1)
		for i := range first {
			for _, format := range Formats() {
				if powers == 1 && format != "svg" {
					continue
				}
				a := tests.Must(first[i].Bytes(format))(t)
				b, _ := second[i].Bytes(format)
				if !bytes.Equal(a, b) {
					t.Errorf("%s.%s differs from itself", first[i].Name, format)
				}
				if _, err := png.Decode(bytes.NewReader(a)); format == "png" && err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Measures that are no finite positive numbers do not prevent a figure.
func TestMeasuresThatAreNone(t *testing.T) {
	for _, v := range []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, math.MaxFloat64, 5e-324,
	} {
		d := example(t, 3, all)
		for i := range d.configs {
			c := &d.configs[i]
			c.choice.Speedup = v
			if i%2 == 0 {
				for j := range c.summary {
					s := &c.summary[j]
					s.Mean, s.Slowdown, s.Low, s.High, s.NoiseFree, s.LowerBound = v, v, v, v, v, v
				}
			}
		}
		for _, f := range drawn(t, d, ranks, latency, v) {
			content, err := f.Bytes("svg")
			if err != nil || bytes.Contains(content, []byte("NaN")) ||
				bytes.Contains(content, []byte("Inf")) {
				t.Errorf("%g in %s: %v", v, f.Name, err)
			}
		}
	}
}

// The lines of the figure of gains are those of T = 1 and 2, at the shares that these save.
func TestGain(t *testing.T) {
	d := example(t, 1, func(a datasets.Axes) bool { return a.Latency < 1e-6 })
	c := &d.configs[0] // 1 µs and detours of 10 µs
	for T, mean := range []float64{11e-6, 6e-6, 1e-6 + 1e-5/3} {
		if got, want := c.gain(T), 1-mean/11e-6; math.Abs(got-want) > 1e-12 {
			t.Errorf("T = %d saves %g, want %g", T, got, want)
		}
	}
	figures := d.Gain(duration)
	if len(figures) != 1 {
		t.Fatalf("%d figures", len(figures))
	}
	content := tests.Must(figures[0].Bytes("svg"))(t)
	for _, want := range []string{">saved of an iteration<", ">detour length<", ">40%<", ">0%<"} {
		if !bytes.Contains(content, []byte(want)) {
			t.Errorf("the figure has no %s", want)
		}
	}
	for i := range d.configs {
		d.configs[i].summary = d.configs[i].summary[:1]
	}
	if got := d.Gain(duration); got != nil {
		t.Errorf("%d figures without redundancy", len(got))
	}
}

func TestMeasuresAreDocumented(t *testing.T) {
	tests.Documented(t, "../../docs/figures.md", MeasureNames()...)
}
