package program

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jitterfly/internal/rng"
	"jitterfly/noise"
)

// What is left of a detour that a call returns in is over before computing begins. Of the rest, work
// w meets one of length d in a share w/p of periods p, so that it takes d·w/p longer on average.
func TestExtraBeginsOutsideOfDetours(t *testing.T) {
	const period, duration = 1e-3, 100e-6
	for _, work := range []float64{50e-6, 400e-6} {
		os := &noise.Periodic{Period: period, Duration: duration, Start: noise.Random}
		extra, variance := extras(os, work, 64, 1000, rng.NewKey(1, "extras"))
		met := work / period
		if mean := stat.Mean(extra, nil); math.Abs(mean/(duration*met)-1) > 0.05 {
			t.Errorf("work of %g s takes %g s longer, want %g s", work, mean, duration*met)
		}
		want := duration * duration * met * (1 - met)
		if math.Abs(variance/want-1) > 0.05 {
			t.Errorf("work of %g s: variance %g s², want %g s²", work, variance, want)
		}
	}
}
