package tests

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is set by -update: tests write files and tables of documents that follow from the program,
// where they compare them without it.
var Update = flag.Bool("update", false, "write what follows from the program: documents, pictures, readings")

// Golden compares a file with what it should have, or writes that with -update.
func Golden(t testing.TB, name string, want []byte) {
	t.Helper()
	if *Update {
		NoError(t, os.WriteFile(name, want, 0o666))
	}
	got := Must(os.ReadFile(name))(t)
	if diff := Diff(strings.Split(string(got), "\n"), strings.Split(string(want), "\n")); diff != "" {
		t.Errorf("%s (-is +should be; see -update):\n%s", name, diff)
	}
}

// Rows checks that the table of a document with this heading has rows that begin like these, and no others.
func Rows(t testing.TB, file, heading string, rows ...string) {
	t.Helper()
	_, text, _ := strings.Cut(string(Must(os.ReadFile(file))(t)), heading+"\n")
	table, _, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(table, "\n")[1:] // below the rule
	if !slices.EqualFunc(lines, rows, strings.HasPrefix) {
		t.Errorf("%s has under %s\n%s\nand not rows that begin with\n%s", file, heading, table,
			strings.Join(rows, "\n"))
	}
}

// Documented checks that a document has code that begins with each name.
func Documented(t testing.TB, file string, names ...string) {
	t.Helper()
	text := string(Must(os.ReadFile(file))(t))
	for _, name := range names {
		if !regexp.MustCompile("`" + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
			t.Errorf("%s does not describe %s", file, name)
		}
	}
}

// Diff is [cmp.Diff], which takes seconds for large values, and here does not if they are equal.
func Diff(x, y any, options ...cmp.Option) string {
	if reflect.DeepEqual(x, y) {
		return ""
	}
	return cmp.Diff(x, y, options...)
}
