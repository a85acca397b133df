package output

import (
	"math"
	"testing"
)

func TestRegret(t *testing.T) {
	for bound, want := range map[float64]string{
		0: "0%", 0.00801: "≤ 0.9%", 0.159: "≤ 16%", 1.01: "≤ 110%", 10: "≤ 1000%",
		10.1: "no bound", 590: "no bound", math.Inf(1): "no bound",
	} {
		if got := Regret(bound); got != want {
			t.Errorf("%g: %s, want %s", bound, got, want)
		}
	}
}
