package profile

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/rng"
	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// The documentation has the table of kinds.
func TestKindsAreDocumented(t *testing.T) {
	tests.Rows(t, "../../docs/model/core.md", "| kind | keys | the detours of a rank |", kindRows()...)
}

// Every kind is described by the values of its keys, and none is left in braces.
func TestWords(t *testing.T) {
	for i, want := range []string{"tick: 3.2 µs every 4 ms", "mean ", "mean ", "10 µs in 1% of steps"} {
		c := alpsProfile.OS[i]
		if i == 0 {
			c.Name = "tick"
		}
		if got := c.Words(); len(got) < len(want) || got[:len(want)] != want ||
			regexp.MustCompile("[{}]").MatchString(got) {
			t.Errorf("component %d is %q, want %q", i, got, want)
		}
	}
	node := alpsProfile.OS[3]
	if node.Scope = Node; node.Words() != "10 µs in 1% of steps, on all ranks of a node together" {
		t.Errorf("on a node: %q", node.Words())
	}
}

// kindRows returns the beginnings of the rows of the kinds in Markdown.
func kindRows() (rows []string) {
	for _, k := range kinds {
		var keys []string
		for _, p := range k.parameters(&Component{}) {
			key := "`" + p.key + "`"
			if p.optional {
				key += " (optional)"
			}
			keys = append(keys, key)
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | ", k.kind, strings.Join(keys, ", ")))
	}
	return rows
}

// Every kind has an example, which is a component without fault, and is none without a key that its row
// requires. Its source, if it has one, takes its share of the time, and shortened the same share of each
// detour's length.
func TestExamplesOfKinds(t *testing.T) {
	examples := map[Kind]Component{
		Periodic:  {Period: 1e-3, Duration: noise.Exponential{Average: 50e-6}},
		Poisson:   {Interval: 1e-3, Duration: noise.Lognormal{Median: 50e-6, Sigma: 0.5}},
		Bernoulli: {Probability: 0.1, Duration: noise.Constant(1e-6)},
		Replay:    {Trace: "trace.parquet"},
	}
	check := func(c Component) error { return Profile{Name: "p", OS: []Component{c}}.Check() }
	for _, k := range kinds {
		c, ok := examples[k.kind]
		if !ok {
			t.Fatalf("the kind %s has no example here", k.kind)
		}
		c.Kind = k.kind
		if err := check(c); err != nil {
			t.Errorf("%s: %v", k.kind, err)
		}
		for _, p := range k.parameters(&c) {
			rest := slices.DeleteFunc(c.entries(k), func(e entry) bool { return e.key == p.key })
			var d document
			if d.component(kindNode(k.kind, rest), ""); d.err == nil && !p.optional {
				t.Errorf("%s without %s is a component", k.kind, p.key)
			}
		}
		if k.source != nil {
			checkSource(t, k.kind, k.source(c))
		}
	}
}

// checkSource compares the detours of a source with its rate and mean length, and with those of the
// source shortened.
func checkSource(t *testing.T, kind Kind, source noise.Generator) {
	t.Helper()
	const span, factor = 20, 0.25
	all := noise.DrawTrace(source, rng.NewKey(1, "kinds"), span)
	share := 0.0
	for _, d := range all {
		share += d.Length / span
	}
	if want := source.Rate() * source.Length().Mean(); math.Abs(share/want-1) > 0.05 {
		t.Errorf("%s takes %.4f of the time, want %.4f", kind, share, want)
	}
	if off := float64(len(all)) / (span * source.Rate()); math.Abs(off-1) > 0.05 {
		t.Errorf("%s has %.3f times as many detours as its rate says", kind, off)
	}
	want := all
	for i := range want {
		want[i].Length *= factor
	}
	got := noise.DrawTrace(source.Shortened(factor), rng.NewKey(1, "kinds"), span)
	for i := range got {
		if math.Abs(got[i].Length/want[i].Length-1) < 1e-12 {
			got[i].Length = want[i].Length
		}
	}
	if diff := tests.Diff(want, got); diff != "" {
		t.Errorf("%s shortened to %g (-want +got):\n%s", kind, factor, diff)
	}
}
