package cli

import (
	"bytes"
	"context"
	"flag"
	"jitterfly/cli/internal/exit"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the documents' commands print into them")

// The commands that the documents show run in a fresh directory, in order, with
// the files that they show, and print what they say.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the studies of the documents")
	}
	for _, name := range []string{
		"README.md", "docs/choosing-t.md", "docs/first-study.md", "docs/measure.md", "docs/figures.md",
		"docs/compare.md", "docs/studies.md", "docs/applications.md", "docs/deploy.md", "docs/attribution.md",
		"docs/fleets.md",
	} {
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("..", name))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			writeShown(t, text)
			got := runDocument(t, text)
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// writeShown writes the YAML files that a document shows with their names in a first comment.
func writeShown(t *testing.T, text []byte) {
	t.Helper()
	shown := regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n(.*?)```")
	for _, parts := range shown.FindAllSubmatch(text, -1) {
		if err := os.WriteFile(string(parts[1]), parts[2], 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// runDocument runs the commands in the text's console blocks and returns the
// text with what they print.
func runDocument(t *testing.T, text []byte) []byte {
	console := regexp.MustCompile("(?s)```console\n\\$ go run \\. (.*?)\n(.*?)```")
	ran := 0
	got := console.ReplaceAllFunc(text, func(block []byte) []byte {
		parts := console.FindSubmatch(block)
		command, want := string(parts[1]), string(parts[2])
		ran++
		var out, errs bytes.Buffer
		args := strings.Fields(command)
		if code := run(context.Background(), args, nil, &out, &errs); code != exit.Done {
			t.Errorf("%s: exit %d, %s", command, code, errs.String())
		}
		printed := trimRight(out.String())
		if printed != want && !*update {
			t.Errorf("%s prints\n%s\nand the document says\n%s", command, printed, want)
		}
		return []byte("```console\n$ go run . " + command + "\n" + printed + "```")
	})
	if ran < 2 {
		t.Errorf("only %d commands were found", ran)
	}
	return got
}

// trimRight removes the spaces at the ends of lines, which a README does not
// keep.
func trimRight(text string) string {
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}
