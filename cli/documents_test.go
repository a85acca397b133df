package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

var update = flag.Bool("update", false, "write what the documents' commands print into them")

// The commands that the documents show run in a fresh directory, in order, with the files that they
// show, and print what they say, except what a line … stands for: without a cache, and without a
// limit of time, so that they print it on every machine.
func TestDocuments(t *testing.T) {
	root := tests.Must(filepath.Abs(".."))(t)
	paths := tests.Must(filepath.Glob(filepath.Join(root, "docs", "*.md")))(t)
	withCommands := 0
	long := map[string]bool{"README.md": true, "docs/applications.md": true,
		"docs/attribution.md": true, "docs/choosing-t.md": true, "docs/deploy.md": true, "docs/fleets.md": true,
		"docs/studies.md": true}
	for _, path := range append(paths, filepath.Join(root, "README.md")) {
		text := tests.Must(os.ReadFile(path))(t)
		if !console.Match(text) {
			continue
		}
		withCommands++
		name, _ := filepath.Rel(root, path)
		t.Run(name, func(t *testing.T) {
			if long[name] && !*update {
				tests.OnlyWhole(t, "scripts run commands of the same kinds")
			}
			withoutCache(t)
			t.Chdir(t.TempDir())
			writeShown(t, text)
			got := runDocument(t, text)
			if *update {
				tests.NoError(t, os.WriteFile(path, got, 0o666))
			}
		})
	}
	if withCommands < 5 {
		t.Errorf("only %d documents have commands", withCommands)
	}
}

// writeShown writes the YAML files that a document shows with their names in a first comment.
func writeShown(t *testing.T, text []byte) {
	t.Helper()
	shown := regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n(.*?)```")
	for _, parts := range shown.FindAllSubmatch(text, -1) {
		tests.NoError(t, os.WriteFile(string(parts[1]), parts[2], 0o666))
	}
}

// console is a block with a command and what it prints.
var console = regexp.MustCompile("(?s)```console\n\\$ go run \\. (.*?)\n(.*?)```")

// runDocument runs the commands in the text's console blocks and returns the
// text with what they print.
func runDocument(t *testing.T, text []byte) []byte {
	ran := 0
	got := console.ReplaceAllFunc(text, func(block []byte) []byte {
		parts := console.FindSubmatch(block)
		command, want := string(parts[1]), string(parts[2])
		ran++
		printed := elided(trimRight(runUntimed(t, strings.Fields(command))), want)
		if printed != want && !*update {
			t.Errorf("%s prints\n%s\nand the document says\n%s", command, printed, want)
		}
		return []byte("```console\n$ go run . " + command + "\n" + printed + "```")
	})
	if all := bytes.Count(text, []byte("\n$ go run . ")); ran != all {
		t.Errorf("%d of %d commands ran: each has a block of its own", ran, all)
	}
	return got
}

// leftOut is a line that stands for lines that a document leaves out.
var leftOut = regexp.MustCompile("(?m)^…\n")

// elided returns printed without the lines that shown leaves out: a line "…" in shown stands for
// lines before the next line of shown, or before the end. If that line is missing, it returns
// printed.
func elided(printed, shown string) string {
	const dots = "…\n"
	parts := leftOut.Split(shown, -1)
	lines := slices.Collect(strings.Lines(printed))
	var kept []string
	for i, part := range parts {
		shown := slices.Collect(strings.Lines(part))
		begin := 0
		switch {
		case i > 0 && len(shown) == 0:
			begin = len(lines)
		case i > 0:
			begin = slices.Index(lines, shown[0])
		}
		if i == len(parts)-1 && begin >= 0 {
			kept = append(kept, lines[begin:]...)
			break
		}
		end := begin + len(shown)
		if begin < 0 || end > len(lines) {
			return printed
		}
		kept = append(append(kept, lines[begin:end]...), dots)
		lines = lines[end:]
	}
	return strings.Join(kept, "")
}

// Lines that a document leaves out may be any, and all others count.
func TestElided(t *testing.T) {
	const printed = "a\nb\nc\nd\ne\n"
	for shown, want := range map[string]string{
		printed:              printed,
		"…\n":                "…\n",
		"a\n…\n":             "a\n…\n",
		"x\n…\n":             "a\n…\n",
		"a\n…\nc\nx\n…\ne\n": "a\n…\nc\nd\n…\ne\n",
		"a\n…\ne\nf\n":       "a\n…\ne\n",
		"a\n…\nx\n":          printed,
		"a …\nb\n…\n":        "a\nb\n…\n",
	} {
		if got := elided(printed, shown); got != want {
			t.Errorf("%q, shown as %q, is %q, not %q", printed, shown, got, want)
		}
	}
}

// trimRight removes the spaces at the ends of lines, which a README does not
// keep.
func trimRight(text string) string {
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}
