package tests

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
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

// Table compares the table of a document that has the same heading with a table, or writes it there
// with -update.
func Table(t testing.TB, file, table string) {
	t.Helper()
	text := string(Must(os.ReadFile(file))(t))
	heading, _, _ := strings.Cut(table, "\n")
	was := regexp.MustCompile(regexp.QuoteMeta(heading) + `\n(\|.*\n)*`).FindString(text)
	if was == "" {
		t.Fatalf("%s has no table %s", file, heading)
	}
	Golden(t, file, []byte(strings.Replace(text, was, table, 1)))
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
