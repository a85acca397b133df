package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jitterfly/cli/study"
	"jitterfly/internal/tests"
)

// Every flag of a command that takes the keys of a study has a heading, and at most 16 come
// first, in its help. --help-all lists the others, or names the key.
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
		if first > 16 {
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

// Help of every command is at most 80 columns wide, also with all flags, and begins with a sentence
// and examples. The help of import has at most 40 lines.
func TestHelpFits(t *testing.T) {
	linesOf := func(c *cobra.Command, flag string) []string {
		text := printed(t, strings.Fields(c.CommandPath() + " " + flag)[1:]...)
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	for _, c := range commands(newRoot(nil, &bytes.Buffer{}, &bytes.Buffer{})) {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		lines := linesOf(c, "--help")
		if c.Example != "" && lines[2] != "Examples:" {
			t.Errorf("%s: help begins with %q", c.CommandPath(), lines[:3])
		}
		if c.Name() == "import" && len(lines) > 40 {
			t.Errorf("import: %d lines", len(lines))
		}
		if takesKeys(c.LocalFlags()) {
			lines = append(lines, linesOf(c, "--"+allFlag)...)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
	}
}

// Every flag of choose is in its help with all flags, or is a rare key's, which is named there; a
// rare key's flag is accepted still.
func TestHelpAll(t *testing.T) {
	short, all := printed(t, "choose", "--help"), printed(t, "choose", "--help-all")
	choose, _, err := newRoot(nil, &bytes.Buffer{}, &bytes.Buffer{}).Find([]string{"choose"})
	tests.NoError(t, err)
	choose.LocalFlags().VisitAll(func(f *pflag.Flag) {
		listed := strings.Contains(all, " --"+f.Name+" ")
		if listed == f.Hidden {
			t.Errorf("--%s is listed: %v", f.Name, listed)
		}
		if !slices.Contains(mostUsed, f.Name) && strings.Contains(short, "  --"+f.Name+" ") {
			t.Errorf("--%s is in the short help", f.Name)
		}
	})
	words := strings.Fields(all)
	for _, k := range study.Keys {
		if k.Rare && !slices.ContainsFunc(words, func(w string) bool { return strings.Trim(w, ",.") == k.Path }) {
			t.Errorf("%s is not named", k.Path)
		}
	}
	printed(t, "sweep", "--collective", "a2a-ring", "--ranks", "4", "--controllers", "1", "--dry-run")
}

// Whatever names a key's values have are offered, as its flag's and with --set.
func TestKeysComplete(t *testing.T) {
	t.Parallel()
	for _, k := range study.Keys {
		for _, words := range [][]string{{"--" + k.Flag, ""}, {"--set", k.Path + "="}} {
			text := printed(t, append([]string{"__complete", "sweep"}, words...)...)
			lines := strings.Split(strings.TrimSpace(text), "\n")
			for _, name := range k.Names {
				if !slices.Contains(lines, words[1]+name) {
					t.Errorf("%q offers no %s:\n%s", words, name, text)
				}
			}
			if k.Names == nil && !strings.Contains(text, k.Help) {
				t.Errorf("%q does not say what it is:\n%s", words, text)
			}
		}
	}
}
