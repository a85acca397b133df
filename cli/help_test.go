package cli

import (
	"bytes"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// Every flag of a command that takes the keys of a study has a heading, and ten or fewer come
// first.
func TestFlagsHaveHeadings(t *testing.T) {
	studies := 0
	for _, c := range commands(newRoot(nil, &bytes.Buffer{}, &bytes.Buffer{})) {
		c.InitDefaultHelpFlag()
		groups := flagGroups(c.LocalFlags())
		if groups[groupMostUsed] == nil {
			continue
		}
		studies++
		count := 0
		for heading, flags := range groups {
			flags.VisitAll(func(f *pflag.Flag) {
				if count++; !slices.Contains(headings(), heading) {
					t.Errorf("%s: --%s has the heading %q", c.CommandPath(), f.Name, heading)
				}
			})
		}
		all := 0
		c.LocalFlags().VisitAll(func(*pflag.Flag) { all++ })
		if count != all {
			t.Errorf("%s: help has %d of %d flags", c.CommandPath(), count, all)
		}
		first := 0
		groups[groupMostUsed].VisitAll(func(*pflag.Flag) { first++ })
		if first > 12 {
			t.Errorf("%s: %d flags come first", c.CommandPath(), first)
		}
		for _, heading := range []string{"Noise", "Redundancy", "Trials", "General"} {
			if groups[heading] == nil {
				t.Errorf("%s: nothing has the heading %s", c.CommandPath(), heading)
			}
		}
	}
	if studies < 5 {
		t.Errorf("only %d commands take the keys of a study", studies)
	}
}
