package measured

import (
	"math"
	"strings"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// A histogram keeps its rate and its overhead.
func TestLengths(t *testing.T) {
	h := Histogram{Values: []float64{5 * us, 0, 1 * us, 50 * us},
		Counts: []float64{300, 9000, 690, 10}, Span: 10}
	p := FitLengths(h, "histogram")
	if len(p.OS) != 1 || p.OS[0].Kind != profile.Poisson || len(p.Caveats) != 1 {
		t.Fatalf("%+v", p)
	}
	if want := 690*us + 1500*us + 500*us; math.Abs(p.Rate()-100) > 1e-9 ||
		math.Abs(p.Overhead()*10-want) > 1e-12 {
		t.Errorf("rate %g, overhead %g, want 100 and %g", p.Rate(), p.Overhead(), want/10)
	}
	d := p.OS[0].Duration.(noise.Empirical)
	for share, want := range map[float64]float64{0.3: 1, 0.65: 1, 0.75: 5, 0.95: 5, 0.995: 50} {
		if got := d.Quantile(share); math.Abs(got/(want*us)-1) > 0.03 {
			t.Errorf("quantile %g is %g, want %g µs", share, got, want)
		}
	}
}

func TestLengthsErrors(t *testing.T) {
	h := Histogram{Values: []float64{1}, Counts: []float64{2}, Span: 1}
	tests.Fails(t, "detours take 200% of the time")(FitLengths(h, "histogram").Check())
}

func TestLengthsOfSilence(t *testing.T) {
	p := FitLengths(Histogram{Values: []float64{0}, Counts: []float64{1000}, Span: 1}, "silent")
	if p.Check() != nil || len(p.OS) != 0 || len(p.Caveats) != 1 ||
		!strings.Contains(p.Caveats[0], "fewer than 3/s") {
		t.Errorf("%+v", p)
	}
}
