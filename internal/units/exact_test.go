package units

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestExact(t *testing.T) {
	for _, c := range []struct {
		dimension Dimension
		v         float64
		want      string
	}{
		{Time, 4e-3, "4ms"}, {Time, 3.2e-6, "3.2us"}, {Time, 220e-6, "220us"}, {Time, 1,
			"1s"}, {Time, 60, "60s"},
		{Time, 0, "0s"}, {Time, 1.5e-10, "0.15ns"}, {Time, 1e-20, "1e-11ns"}, {Time, 1.25e30,
			"1.25e30s"}, {Time, -1e-6, "-1us"},
		{Rate, 12.5e9, "12.5GB/s"}, {Rate, 0.5, "0.5B/s"}, {Size, 1024, "1024B"}, {Number, 0.01,
			"0.01"},
	} {
		if got := Exact(c.dimension, c.v); got != c.want {
			t.Errorf("Exact(%v) = %q, want %q", c.v, got, c.want)
		}
	}
}

// What is written is read as the same number, to the last bit.
func TestExactParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Dimension{Number, Time, Size, Rate}).Draw(t, "dimension")
		v := rapid.Float64().Filter(func(v float64) bool { return !math.IsInf(v, 0) }).Draw(t,
			"value")
		if got, err := Parse(d, Exact(d, v)); err != nil || got != v {
			t.Fatalf("%v became %q and then %v, %v", v, Exact(d, v), got, err)
		}
	})
}
