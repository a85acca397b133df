package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
)

// Whatever names a key's values have are offered, as its flag's and with --set.
func TestKeysComplete(t *testing.T) {
	t.Parallel()
	for _, k := range study.Keys {
		for _, words := range [][]string{{"--" + k.Flag, ""}, {"--set", k.Path + "="}} {
			var out, errs bytes.Buffer
			args := append([]string{"__complete", "sweep"}, words...)
			if code := run(context.Background(), args, nil, &out, &errs); code != command.Done {
				t.Fatalf("%q: exit %d, %s", words, code, errs.String())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			for _, name := range k.Names {
				if !slices.Contains(lines, words[1]+name) {
					t.Errorf("%q offers no %s:\n%s", words, name, out.String())
				}
			}
			if k.Names == nil && !strings.Contains(out.String(), k.Help) {
				t.Errorf("%q does not say what it is:\n%s", words, out.String())
			}
		}
	}
}
