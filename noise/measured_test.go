package noise_test

import (
	"math"
	"slices"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// As many values exceed each limit as were measured, whether the tail is dense or has jumps.
func TestMeasuredTail(t *testing.T) {
	var values []float64
	for i := range 100000 {
		values = append(values, 1+0.2*rng.Unit(rng.NewKey(1, "tail").Counter().Word(i)))
	}
	for i := range 300 {
		values = append(values, 2*math.Pow(300/float64(i+1), 0.3))
	}
	values = append(values, 194, 204, 208.5, 212.7, 217.8, 230.4)
	slices.Sort(values)
	e := noise.Measured(values, nil, 0.001)
	if err := e.Check(); err != nil || len(e.Points) > 64 {
		t.Fatalf("%d points: %v", len(e.Points), err)
	}
	n := float64(len(values))
	mean := 0.0
	for _, v := range values {
		mean += v / n
	}
	if math.Abs(e.Mean()/mean-1) > 1e-9 {
		t.Errorf("mean %g, want %g", e.Mean(), mean)
	}
	for _, limit := range []float64{1.5, 2.5, 5, 20, 150, 200, 210, 225} {
		above, _ := slices.BinarySearch(values, limit)
		want, share := n-float64(above), 0.0
		for i, b := range e.Points[1:] {
			a := e.Points[i]
			if b.Length > limit {
				share += (b.Share - a.Share) * min(1, (b.Length-limit)/(b.Length-a.Length))
			}
		}
		if math.Abs(share*n/want-1) > 0.05 {
			t.Errorf("%.2f values exceed %g, want %g", share*n, limit, want)
		}
	}
	if got := e.Quantile(1); math.Abs(got/230.4-1) > 1e-3 {
		t.Errorf("the longest is %g", got)
	}
}

// Counts are as good as repetitions.
func TestMeasuredCounts(t *testing.T) {
	got := noise.Measured([]float64{1, 2, 4}, []float64{2, 1, 1}, 0.01)
	want := noise.Measured([]float64{1, 1, 2, 4}, nil, 0.01)
	if !slices.Equal(got.Points, want.Points) {
		t.Errorf("%v, want %v", got, want)
	}
}
