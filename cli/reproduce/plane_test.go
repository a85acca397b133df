package reproduce

import (
	"math"
	"slices"
	"testing"

	"jitterfly/datasets"
)

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      Verdict
	}{
		{2, 3, Holds}, {1, 5, Holds}, {0, 0.9, Fails}, {5.1, 7, Fails}, {0, 2, Unclear},
		{4, 6, Unclear}, {0, 9, Unclear}, {math.NaN(), math.NaN(), Unclear},
	} {
		if got := within(test.low, test.high, 1, 5); got != test.want {
			t.Errorf("from %g to %g: %v, want %v", test.low, test.high, got, test.want)
		}
	}
}

func TestEvery(t *testing.T) {
	interval := func(c *Config) (float64, float64) { return c.T[0].Low, c.T[0].High }
	at := func(bounds ...float64) []*Config {
		var configs []*Config
		for i := 0; i < len(bounds); i += 2 {
			configs = append(configs, &Config{T: []datasets.Measures{{Low: bounds[i], High: bounds[i+1]}}})
		}
		return configs
	}
	for _, test := range []struct {
		configs []*Config
		want    Verdict
	}{
		{at(), Unclear}, {at(2, 3, 2, 4), Holds}, {at(2, 3, 0, 4, 2, 3), Unclear},
		{at(0, 4, 2, 3), Unclear}, {at(0, 4, 6, 7), Fails},
	} {
		if got := every(test.configs, interval, 1, 5); got != test.want {
			t.Errorf("%d configurations: %v, want %v", len(test.configs), got, test.want)
		}
	}
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
