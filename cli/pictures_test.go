package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// The commands in docs/figures/commands.sh draw the pictures that the
// documents show: timelines, and if tests run whole also charts, which need studies.
func TestPictures(t *testing.T) {
	docs := tests.Must(filepath.Abs("../docs"))(t)
	commands := tests.Must(os.ReadFile(filepath.Join(docs, "figures", "commands.sh")))(t)
	fleets := tests.Must(os.ReadFile(filepath.Join(docs, "fleets.md")))(t)
	t.Chdir(t.TempDir())
	writeShown(t, fleets)
	tests.NoError(t, os.MkdirAll("docs/figures", 0o777))
	for line := range strings.Lines(string(commands)) {
		command, found := strings.CutPrefix(line, "go run . ")
		args := strings.Fields(command)
		if !found || !slices.Contains(args, "timeline") && !tests.Whole() && !*tests.Update {
			continue
		}
		runUntimed(t, args)
	}
	drawn := tests.Must(filepath.Glob("docs/figures/*.svg"))(t)
	if len(drawn) < 5 {
		t.Errorf("only %v are drawn", drawn)
	}
	for _, name := range drawn {
		got := tests.Must(os.ReadFile(name))(t)
		committed := filepath.Join(docs, "figures", filepath.Base(name))
		tests.Golden(t, committed, got)
	}
}
