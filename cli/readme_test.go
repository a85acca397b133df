package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the README's commands print into it")

// TestREADME runs the README's commands in a fresh directory, in order, with
// the study file that it shows, and compares what they print.
func TestREADME(t *testing.T) {
	const name = "../README.md"
	readme, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	study := regexp.MustCompile("(?s)```yaml\n# study.yaml\n(.*?)```").FindSubmatch(readme)
	if study == nil {
		t.Fatal("the README shows no study.yaml")
	}
	if err := os.WriteFile("study.yaml", study[1], 0o666); err != nil {
		t.Fatal(err)
	}
	ran := 0
	console := regexp.MustCompile("(?s)```console\n\\$ go run \\. (.*?)\n(.*?)```")
	got := console.ReplaceAllFunc(readme, func(block []byte) []byte {
		parts := console.FindSubmatch(block)
		command, want := string(parts[1]), string(parts[2])
		ran++
		var out, errs bytes.Buffer
		if code := run(context.Background(), strings.Fields(command), nil, &out, &errs); code != exitDone {
			t.Errorf("%s: exit %d, %s", command, code, errs.String())
		}
		printed := trimRight(out.String())
		if printed != want && !*update {
			t.Errorf("%s prints\n%s\nand the README says\n%s", command, printed, want)
		}
		return []byte("```console\n$ go run . " + command + "\n" + printed + "```")
	})
	if ran < 4 {
		t.Errorf("only %d of the README's commands were found", ran)
	}
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// trimRight removes the spaces at the ends of lines, which a README does not
// keep.
func trimRight(text string) string {
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}
