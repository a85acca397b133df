package cli

import (
	"bytes"
	"context"
	"jitterfly/cli/internal/exit"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands in the last block of docs/figures.md draw the pictures that the
// documents show.
func TestPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws the pictures of the documents")
	}
	docs, err := filepath.Abs("../docs")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(docs, "figures.md"))
	if err != nil {
		t.Fatal(err)
	}
	fleets, err := os.ReadFile(filepath.Join(docs, "fleets.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeShown(t, fleets)
	if err := os.Mkdir("docs", 0o777); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1)
	for line := range strings.Lines(string(blocks[len(blocks)-1][1])) {
		args := strings.Fields(strings.TrimPrefix(line, "go run . "))
		var errs bytes.Buffer
		if code := run(context.Background(), args, nil, &bytes.Buffer{}, &errs); code != exit.Done {
			t.Fatalf("%s: exit %d, %s", line, code, errs.String())
		}
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
