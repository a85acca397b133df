package profile

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// The documentation has the table of kinds.
func TestKindsAreDocumented(t *testing.T) {
	tests.Table(t, "../../docs/model/core.md", kindsTable())
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

// kindsTable returns a table of the kinds in Markdown.
func kindsTable() string {
	var b strings.Builder
	b.WriteString("| kind | keys | the detours of a rank |\n|---|---|---|\n")
	for _, k := range kinds {
		var keys []string
		for _, p := range k.parameters {
			key := "`" + p.key + "`"
			if p.optional {
				key += " (optional)"
			}
			keys = append(keys, key)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.kind, strings.Join(keys, ", "), k.about)
	}
	return b.String()
}
