package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"jitterfly/internal/tests"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
)

// What the documents and notebooks link to in this repository is there: files, and
// headings in them.
func TestLinks(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && slices.Contains([]string{".git", "testdata", "results", "dist"}, entry.Name()) {
			return filepath.SkipDir
		}
		if err != nil || !slices.Contains([]string{".md", ".ipynb"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range link.FindAllSubmatch(fenced.ReplaceAll(text, nil), -1) {
			if target := string(found[1]); !strings.Contains(target, "://") {
				checked++
				checkLink(t, path, target)
			}
		}
		return err
	})
	tests.NoError(t, err)
	if checked < 20 {
		t.Errorf("only %d links were found", checked)
	}
}

func checkLink(t *testing.T, path, target string) {
	file, anchor, _ := strings.Cut(target, "#")
	to := path
	if file != "" {
		to = filepath.Join(filepath.Dir(path), file)
	}
	text, err := os.ReadFile(to)
	if info, e := os.Stat(to); e == nil && info.IsDir() {
		err = nil
	}
	if err != nil {
		t.Errorf("%s links to %s: %v", path, target, err)
		return
	}
	if anchor != "" && !slices.Contains(anchors(text), anchor) {
		t.Errorf("%s links to %s: %s has no such heading", path, target, to)
	}
}

// anchors are those that GitHub gives to the headings of a document.
func anchors(text []byte) []string {
	var all []string
	for _, found := range heading.FindAllSubmatch(fenced.ReplaceAll(text, nil), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, string(found[1])))
	}
	return all
}
