package montecarlo

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// Against printed tables of Student's t.
func TestIntervalIsStudents(t *testing.T) {
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
		if got := newInterval(c.n, c.confidence, &Shape{}); !near(got.lower, want) {
			t.Errorf("half-width of %d at %g: %.7g, want %.7g", c.n, c.confidence, got.lower, want)
		}
	}
}

func TestSummarise(t *testing.T) {
	i := newInterval(10, 0.95, &Shape{})
	sample := []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}
	s := summarise(sample, sample, &i, 0, []float64{0, 0.5, 0.9, 0.99, 1})
	got := append([]float64{s.Mean, s.StdDev, s.Low}, s.Quantiles...)
	want := []float64{5.5, 3.0276504, 5.5 - 2.1658504, 1, 5.5, 9.1, 9.91, 10}
	if !slices.EqualFunc(got, want, near) {
		t.Errorf("mean, standard deviation, interval and quantiles\n%v, want\n%v", got, want)
	}
}

// The upper end is Student's of the sample and one trial more, later by a hit.
func TestIntervalHasOneMoreTrial(t *testing.T) {
	sample := []float64{1, 2, 2, 3, 7}
	mean, stddev := stat.MeanStdDev(sample, nil)
	i := newInterval(5, 0.95, &Shape{Hit: 4})
	low, high := i.of(mean, stddev, 2.5)
	more, moreDev := stat.MeanStdDev(append(sample, mean+4), nil)
	if want := more + 2.570582*moreDev/math.Sqrt(6); !near(high, want) || low != 2.5 {
		t.Errorf("from %g to %g, want from 2.5 to %g", low, high, want)
	}
}

// Of lengths without a bound that is judged by which both parts together cost least.
func TestHitOfUnboundedLengths(t *testing.T) {
	s := Shape{Hit: 2, Tail: func(length float64) float64 { return 10 * math.Exp(-length) }}
	for _, n := range []int{1, 100, 1e6} {
		most, tail := s.hit(n)
		best := max(2, math.Log(10*float64(n)/3)) // where 3/n = 10 exp(−length)
		if math.Abs(most/best-1) > 0.1 || tail != s.Tail(most) {
			t.Errorf("%d trials: a hit of %g and %g more, want about %g", n, most, tail, best)
		}
	}
	if most, tail := (&Shape{Hit: 3}).hit(10); most != 3 || tail != 0 {
		t.Errorf("a longest hit of 3: %g and %g more", most, tail)
	}
}
