package output

import (
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
