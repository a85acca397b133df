package output

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Numbers of bytes keep all digits, also if they are not whole in a larger unit.
func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 8: "8 B", 1023: "1023 B", 4096: "4 KiB", 16420: "16420 B", 1234567: "1234567 B", 3 << 20: "3 MiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// No text that a name may have is a formula in a spreadsheet, and numbers remain numbers.
func TestCSVHasNoFormulas(t *testing.T) {
	var b strings.Builder
	rows := func(yield func([]any) bool) {
		yield([]any{"=1+1", "+1", "-x", "@sum", "a=b", -1.5, int64(-2)})
	}
	if err := CSV(&b, []string{"a", "b", "c", "d", "e", "f", "g"}, rows); err != nil ||
		b.String() != "a,b,c,d,e,f,g\n'=1+1,'+1,'-x,'@sum,a=b,-1.5,-2\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

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
