package cli

import (
	"bytes"
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
	docs, err := filepath.Abs("../docs")
	if err != nil {
		t.Fatal(err)
	}
	commands, err := os.ReadFile(filepath.Join(docs, "figures", "commands.sh"))
	if err != nil {
		t.Fatal(err)
	}
	fleets, err := os.ReadFile(filepath.Join(docs, "fleets.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeShown(t, fleets)
	if err := os.MkdirAll("docs/figures", 0o777); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(commands)) {
		command, found := strings.CutPrefix(line, "go run . ")
		args := strings.Fields(command)
		if !found || !slices.Contains(args, "timeline") && !tests.Whole() && !*update {
			continue
		}
		runUntimed(t, args)
	}
	drawn, err := filepath.Glob("docs/figures/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) < 5 {
		t.Errorf("only %v are drawn", drawn)
	}
	for _, name := range drawn {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		committed := filepath.Join(docs, "figures", filepath.Base(name))
		if *update {
			if err := os.WriteFile(committed, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(committed); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the command draws: %v", committed, err)
		}
	}
}
