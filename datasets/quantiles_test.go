package datasets

import "testing"

// Each quantile of the summary is resolved from its least number of trials on.
func TestResolved(t *testing.T) {
	for p, least := range map[float64]int64{
		0: 10, 0.5: 20, 0.9: 100, 0.95: 200, 0.99: 1000, 0.999: 10000, 1 - 1e-6: 10000000,
	} {
		if !resolved(p, least) || resolved(p, least-1) {
			t.Errorf("the %g-quantile is not resolved from %d trials on", p, least)
		}
	}
	if resolved(1, 1<<50) {
		t.Error("a maximum is resolved")
	}
}
