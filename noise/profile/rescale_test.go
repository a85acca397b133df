package profile_test

import (
	"math"
	"testing"

	"jitterfly/internal/tests"
	"jitterfly/noise"
	"jitterfly/noise/profile"
)

// Scaled latencies keep their shape, and their mean or median becomes L.
func TestRescaled(t *testing.T) {
	latency := 3e-6
	excess := noise.Empirical{Points: []noise.Quantile{
		{Share: 0, Length: 0}, {Share: 0.5, Length: 1e-6}, {Share: 1, Length: 9e-6},
	}}
	n := profile.Network{Latency: &latency, Noise: &profile.MessageNoise{Duration: excess}}
	for name, middle := range map[string]func(noise.Length) float64{
		"median": profile.Median, "mean": noise.Length.Mean,
	} {
		got := tests.Must(n.Rescaled(1e-6, middle))(t)
		if sum := *got.Latency + middle(got.Noise.Duration); math.Abs(sum-latency) > 1e-12 {
			t.Errorf("the %s is %g", name, sum)
		}
		if ratio := got.Noise.Duration.Quantile(1) / *got.Latency; math.Abs(ratio-9) > 1e-9 {
			t.Errorf("by the %s, the longest is %g times the shortest beyond it", name, ratio)
		}
	}
	if latency != 3e-6 || excess.Points[2].Length != 9e-6 {
		t.Error("the network itself has changed")
	}
	if _, err := (profile.Network{Latency: &latency}).Rescaled(1e-6, profile.Median); err == nil {
		t.Error("nothing was measured")
	}
}
