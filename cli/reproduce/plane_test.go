package reproduce

import (
	"math"
	"slices"
	"testing"
)

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      Verdict
	}{
		{2, 3, Holds}, {1, 5, Holds}, {0, 0.9, Fails}, {5.1, 7, Fails}, {0, 2, Inconclusive},
		{4, 6, Inconclusive}, {0, 9, Inconclusive}, {math.NaN(), math.NaN(), Inconclusive},
	} {
		if got := (estimate{low: test.low, high: test.high}).within(1, 5); got != test.want {
			t.Errorf("from %g to %g: %v, want %v", test.low, test.high, got, test.want)
		}
	}
}

func TestAllWithin(t *testing.T) {
	for _, test := range []struct {
		bounds []float64
		want   Verdict
	}{
		{nil, Inconclusive}, {[]float64{2, 3, 2, 4}, Holds}, {[]float64{2, 3, 0, 4, 2, 3}, Inconclusive},
		{[]float64{0, 4, 2, 3}, Inconclusive}, {[]float64{0, 4, 6, 7}, Fails},
	} {
		var estimates []estimate
		for i := 0; i < len(test.bounds); i += 2 {
			estimates = append(estimates, estimate{low: test.bounds[i], high: test.bounds[i+1]})
		}
		if got := allWithin(estimates, 1, 5); got != test.want {
			t.Errorf("%v: %v, want %v", test.bounds, got, test.want)
		}
	}
}

func TestParsePart(t *testing.T) {
	in := parsePart("P≥2^7 P<1024 x>0.0099 x≤0.5")
	for _, c := range []struct {
		ranks int64
		x     float64
		want  bool
	}{
		{128, 0.5, true}, {127, 0.5, false}, {1023, 0.01, true}, {1024, 0.01, false},
		{128, 0.0099, false}, {128, 0.51, false},
	} {
		if in(c.ranks, c.x) != c.want {
			t.Errorf("%d ranks at %g: %v", c.ranks, c.x, !c.want)
		}
	}
	if at := parsePart("x≈0.01"); !at(2, 0.0109) || at(2, 0.0111) {
		t.Error("≈ is not within 10%")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong condition is accepted")
		}
	}()
	parsePart("ranks>7")
}

func TestSpearman(t *testing.T) {
	xs := []float64{1, 2, 3, 4, 5}
	for _, test := range []struct {
		ys   []float64
		want float64
	}{
		{[]float64{1, 4, 9, 16, 25}, 1}, {[]float64{5, 4, 3, 2, 1}, -1},
		{[]float64{1, 1, 2, 2, 3}, 0.9486832980505138},
	} {
		if got := spearman(xs, test.ys); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v: %g, want %g", test.ys, got, test.want)
		}
	}
	if got := spearman(xs, []float64{7, 7, 7, 7, 7}); !math.IsNaN(got) {
		t.Errorf("of a constant: %g", got)
	}
	if got := ranksOf([]float64{3, 1, 3}); !slices.Equal(got, []float64{1.5, 0, 1.5}) {
		t.Errorf("ranks %v", got)
	}
}
