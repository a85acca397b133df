package noise

import (
	"math"
	"testing"

	"jitterfly/noise"
)

// The sum of two times has the sum of their means and of their variances, and both tails.
func TestSum(t *testing.T) {
	points := func(shareLength ...float64) (e noise.Empirical) {
		for i := 0; i < len(shareLength); i += 2 {
			e.Points = append(e.Points, noise.Quantile{Share: shareLength[i], Length: shareLength[i+1]})
		}
		return e
	}
	a := points(0, 0, 0.999, 1, 0.9990001, 50, 1, 60)
	b := points(0, 2, 1, 4)
	s := sum(a, b)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	variance := func(e noise.Empirical) float64 { return e.SquaredExcess(0) - e.Mean()*e.Mean() }
	if got, want := s.Mean(), a.Mean()+b.Mean(); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("mean %g, want %g", got, want)
	}
	if got, want := variance(s), variance(a)+variance(b); math.Abs(got/want-1) > 0.02 {
		t.Errorf("variance %g, want %g", got, want)
	}
	// One in a thousand exceeds 50, by 8 on average.
	if got, want := s.Excess(50), 8e-3; math.Abs(got/want-1) > 0.03 {
		t.Errorf("%g beyond 50, want %g", got, want)
	}
	if most := s.Most(); most < 62 || most > 64 {
		t.Errorf("at most %g", most)
	}
}
