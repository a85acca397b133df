package vector

import (
	"math"
	"slices"
	"testing"
)

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
			if got := Quantile(c.sorted, p); math.Abs(got-c.want[i]) > 1e-6*c.want[i] {
				t.Errorf("quantile %g of %v is %g, want %g", p, c.sorted, got, c.want[i])
			}
		}
	}
}

func TestOrder(t *testing.T) {
	keys := []float64{3, 1, 2, 1, 3}
	if got := Order(len(keys), func(i int) float64 { return keys[i] }); !slices.Equal(got, []int{1, 3, 2, 0, 4}) {
		t.Error(got)
	}
}
