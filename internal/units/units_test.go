package units

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		dimension Dimension
		text      string
		want      float64
	}{
		{Time, "10us", 10e-6}, {Time, "10 µs", 10e-6}, {Time, "100ns", 100e-9}, {Time, "1ms", 1e-3},
		{Time, "79ps", 79e-12},
		{Time, "0s", 0}, {Time, "1e-6s", 1e-6}, {Time, "1.5E3ns", 1.5e-6}, {Time, "-1us",
			-1e-6}, {Time, ".5s", 0.5},
		{Size, "8B", 8}, {Size, "1KiB", 1024}, {Size, "1.5 MiB", 1.5 * (1 << 20)}, {Size, "1kB",
			1000},
		{Rate, "1GB/s", 1e9}, {Rate, "100Gbit/s", 12.5e9}, {Rate, "1GiB/s", 1 << 30},
		{Number, "0.01", 0.01}, {Number, "1e-2", 0.01},
	} {
		got, err := Parse(c.dimension, c.text)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		dimension Dimension
		text      string
		want      string
	}{
		{Time, "10", "has no unit; write for example 10us"},
		{Time, "10 parsecs", `unknown unit "parsecs"`},
		{Time, "NaN", "not a number"}, {Time, "inf", "not a number"}, {Time, "", "not a number"},
		{Time, "1e999s", "not a finite number"}, {Time, "1-2s", "not a finite number"},
		{Time, "1e99999999999999999999s", "not a number"},
		{Size, "8", "has no unit"}, {Size, "1us", "unknown unit"},
		{Rate, "1GB", "unknown unit"},
		{Number, "1us", "not a plain number"}, {Number, "x", "not a number"},
	} {
		tests.Fails(t, c.want, c.text)(Parse(c.dimension, c.text))
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		dimension Dimension
		v         float64
		want      string
	}{
		{Time, 10e-6, "10 µs"}, {Time, 1e-3, "1 ms"}, {Time, 100e-9, "100 ns"}, {Time, 0,
			"0 s"}, {Time, 1.5e-10, "0.15 ns"},
		{Time, 1.23456789e-6, "1.23457 µs"}, {Time, 1, "1 s"},
		{Time, 0.9999999, "1 s"}, {Time, 9.999996e-7, "1 µs"}, {Time, 9.99999e-7, "999.999 ns"},
		{Size, 8, "8 B"}, {Size, 1024, "1 KiB"}, {Size, 1500, "1500 B"}, {Size, 1 << 20,
			"1 MiB"}, {Size, 0, "0 B"},
		{Rate, 1e9, "1 GB/s"}, {Rate, 12.5e9, "12.5 GB/s"},
		{Number, 0.95, "0.95"},
	} {
		if got := Format(c.dimension, c.v, 6); got != c.want {
			t.Errorf("Format(%v) = %q, want %q", c.v, got, c.want)
		}
	}
}

// What is written can be read, and says the same up to its digits.
func TestFormatParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Dimension{Number, Time, Rate}).Draw(t, "dimension")
		v := math.Pow(10, rapid.Float64Range(-10, 12).Draw(t, "exponent"))
		got, err := Parse(d, Format(d, v, 15))
		if err != nil || math.Abs(got-v) > 1e-13*v {
			t.Fatalf("%v became %q and then %v, %v", v, Format(d, v, 15), got, err)
		}
	})
}

// A zero has no sign.
func TestZero(t *testing.T) {
	for d, text := range map[Dimension]string{Time: "-0s", Number: "-0", Size: "-0.0B"} {
		if v, err := Parse(d, text); err != nil || math.Signbit(v) {
			t.Errorf("%s is %g, %v", text, v, err)
		}
	}
}

func TestPowerOfTwo(t *testing.T) {
	for e, want := range map[int]string{0: "2⁰", 7: "2⁷", 10: "2¹⁰", -3: "2⁻³"} {
		if got := PowerOfTwo(e); got != want {
			t.Errorf("%d: %s, want %s", e, got, want)
		}
	}
}

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

func TestIndexes(t *testing.T) {
	for text, x := range map[string]Indexes{"3": {3}, "3,7-9": {3, 7, 8, 9}, "0-1,3": {0, 1, 3},
		"": nil} {
		if got := x.String(); got != text {
			t.Errorf("%v is %q, want %q", []int(x), got, text)
		}
	}
}
