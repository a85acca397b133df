package montecarlo

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// The wanted numbers are those of numpy.quantile, and of Python's
// statistics.quantiles with method="inclusive".
func TestQuantileIsNumPys(t *testing.T) {
	for _, c := range []struct{ sorted, want []float64 }{
		{[]float64{5}, []float64{5, 5, 5, 5, 5}},
		{[]float64{3, 7}, []float64{3, 5, 6.6, 6.96, 7}},
		{[]float64{1, 2, 4, 8, 16}, []float64{1, 4, 12.8, 15.68, 16}},
		{[]float64{1, 1, 2, 3, 4, 5, 6, 9}, []float64{1, 3.5, 6.9, 8.79, 9}},
	} {
		for i, p := range []float64{0, 0.5, 0.9, 0.99, 1} {
			if got := quantile(c.sorted, p); !near(got, c.want[i]) {
				t.Errorf("quantile %g of %v is %g, want %g", p, c.sorted, got, c.want[i])
			}
		}
	}
}

// Against printed tables of Student's t.
func TestHalfWidth(t *testing.T) {
	for _, c := range []struct {
		n             int
		confidence, t float64
	}{
		{2, 0.95, 12.706205},
		{10, 0.95, 2.262157},
		{10, 0.99, 3.249836},
		{31, 0.90, 1.697261},
	} {
		want := c.t / math.Sqrt(float64(c.n))
		if got := halfWidth(c.n, c.confidence); !near(got, want) {
			t.Errorf("half-width of %d at %g: %.7g, want %.7g", c.n, c.confidence, got, want)
		}
	}
}

func TestSummarise(t *testing.T) {
	s := summarise([]float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, halfWidth(10, 0.95))
	got := []float64{s.Mean, s.StdDev, s.Low, s.High, s.Min, s.P50, s.P90, s.P99, s.Max}
	want := []float64{5.5, 3.0276504, 5.5 - 2.1658504, 5.5 + 2.1658504, 1, 5.5, 9.1, 9.91, 10}
	if !slices.EqualFunc(got, want, near) {
		t.Errorf("mean, standard deviation, interval and quantiles\n%v, want\n%v", got, want)
	}
}

// cautious is what adding the number to the sample gives.
func TestCautious(t *testing.T) {
	sample := []float64{1, 2, 2, 3, 7}
	mean, stddev := stat.MeanStdDev(sample, nil)
	_, want := stat.MeanStdDev(append(sample, mean+4), nil)
	if got := cautious(stddev, len(sample), 4); !near(got, want) {
		t.Errorf("cautious: %g, want %g", got, want)
	}
}
