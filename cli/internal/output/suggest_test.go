package output

import (
	"math"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	names := []string{"latency", "node-latency", "ranks", "ranks-per-node", "trials",
		"trials-min", "out"}
	for mistyped, want := range map[string][]string{
		"latancy": {"latency"},
		"Latency": {"latency"},
		"rank":    {"ranks", "ranks-per-node"},
		"trails":  {"trials"},
		"trial":   {"trials", "trials-min"},
		"otu":     {"out"},
		"xyzzy":   nil,
		"o":       nil,
	} {
		if got := Similar(mistyped, names); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", mistyped, got, want)
		}
	}
}

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
