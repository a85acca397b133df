package cli

import (
	"slices"
	"strings"
	"testing"

	"jitterfly/cli/study"
)

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
