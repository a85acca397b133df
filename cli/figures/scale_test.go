package figures

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/cli/study"
	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

// Whatever the values, ticks ascend inside the scale, labels are few and differ, and
// there are enough of them to read a value by.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]units.Dimension{units.Number, units.Time, units.Size, units.Rate}).
			Draw(t, "dimension")
		isWhole := d == units.Size || d == units.Number && rapid.Bool().Draw(t, "whole")
		least := map[units.Dimension]float64{units.Time: -9, units.Number: -3}[d]
		if isWhole {
			least = 0
		}
		var values []float64
		for range rapid.IntRange(1, 5).Draw(t, "values") {
			v := math.Pow(10, rapid.Float64Range(least, 12).Draw(t, "exponent"))
			if isWhole {
				v = math.Round(v)
			}
			values = append(values, v)
		}
		low, top := slices.Min(values), slices.Max(values)
		if top < low*1.001 {
			t.Skip("a single value")
		}
		s := newScale(d, isWhole, values)
		labels, seen := 0, map[string]bool{}
		for i, tick := range s.ticks {
			if i > 0 && tick.Value <= s.ticks[i-1].Value {
				t.Fatalf("ticks %d and %d do not ascend: %v", i-1, i, s.ticks)
			}
			if room := 1e-6 * (s.top - s.low); tick.Value < s.low-room || tick.Value > s.top+room {
				t.Fatalf("tick %v is outside of %g … %g", tick, s.low, s.top)
			}
			if tick.Label == "" {
				continue
			}
			labels++
			if seen[tick.Label] {
				t.Fatalf("two ticks are called %q: %v", tick.Label, s.ticks)
			}
			seen[tick.Label] = true
		}
		if labels < 2 || labels > mostTicks+1 {
			t.Fatalf("%d labels from %g to %g: %v", labels, low, top, s.ticks)
		}
		for _, v := range values {
			if at := s.at(v); at < s.low-1e-9*math.Abs(s.low) || at > s.top+1e-9*math.Abs(s.top) {
				t.Fatalf("%g is placed outside at %g", v, at)
			}
		}
	})
}

// A label says the value at its tick.
func TestLabelsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-9, 0).Draw(t, "low"))
		top := low * rapid.Float64Range(1.01, 1e6).Draw(t, "ratio")
		s := newScale(units.Time, false, []float64{low, top})
		for _, tick := range s.ticks {
			if tick.Label == "" {
				continue
			}
			v := tests.Must(units.Parse(units.Time, tick.Label))(t)
			if at := s.at(v); math.Abs(at-tick.Value) > 1e-5*math.Abs(s.top-s.low) {
				t.Fatalf("%q stands at %g and not at %g", tick.Label, tick.Value, at)
			}
		}
	})
}

func TestScaleOfAnAxis(t *testing.T) {
	seconds := &study.Key{Dimension: units.Time}
	ranks := &study.Key{Whole: true}
	tests := []struct {
		name   string
		axis   *study.Key
		values []any
		places []float64
		labels []string
	}{
		{
			"powers",
			ranks,
			[]any{int64(2), int64(1 << 4), int64(1 << 16)},
			[]float64{1, 4, 16},
			[]string{"2¹", "2³", "2⁵", "2⁷", "2⁹", "2¹¹", "2¹³", "2¹⁵"},
		},
		{
			"sizes",
			&study.Key{Dimension: units.Size},
			[]any{int64(8), int64(1024)},
			[]float64{3, 10},
			[]string{"8 B", "16 B", "32 B", "64 B", "128 B", "256 B", "512 B", "1 KiB"},
		},
		{
			"near",
			ranks,
			[]any{int64(96), int64(128)},
			[]float64{96, 128},
			[]string{"100", "105", "110", "115", "120", "125"},
		},
		{"zero", seconds, []any{0., 1e-6, 1e-4}, []float64{0, 1, 2}, []string{"0 s", "1 µs", "100 µs"}},
		{
			"decades",
			seconds,
			[]any{1e-6, 1e-5},
			[]float64{-6, -5},
			[]string{"1 µs", "2 µs", "5 µs", "10 µs"},
		},
		{"names", &study.Key{}, []any{"ring", "butterfly"}, []float64{0, 1}, []string{"ring", "butterfly"}},
	}
	for _, test := range tests {
		s, places := scaleOf(test.axis, test.values)
		for i, v := range test.values {
			if math.Abs(places[v]-test.places[i]) > 1e-12 {
				t.Errorf("%s: %v is at %g, want %g", test.name, v, places[v], test.places[i])
			}
		}
		var labels []string
		for _, tick := range s.ticks {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if !slices.Equal(labels, test.labels) {
			t.Errorf("%s: %q, want %q", test.name, labels, test.labels)
		}
	}
}

func TestViridisGrowsLighter(t *testing.T) {
	for i := range 100 {
		if a, b := viridis(float64(i)/100), viridis(float64(i+1)/100); luminance(b) < luminance(a)-0.005 {
			t.Errorf("%d%% is darker than %d%%", i+1, i)
		}
	}
}
