package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// The picture of the packages in CONTRIBUTING.md has them all, and every import goes to a
// row further down.
func TestPackagesAreAsPictured(t *testing.T) {
	row := map[string]int{}
	for i, line := range strings.Split(picture(t), "\n") {
		for _, name := range strings.Fields(strings.Split(line, "│")[0]) {
			if _, ok := row[name]; ok {
				t.Errorf("%s is in two rows", name)
			}
			row[name] = i
		}
	}
	imports := importsOf(t)
	for name, of := range imports {
		from, ok := row[name]
		if !ok {
			t.Errorf("%s is in no row", name)
		}
		for _, other := range of {
			if to, ok := row[other]; ok && to <= from {
				t.Errorf("%s imports %s, which is not below it", name, other)
			}
		}
	}
	for name := range row {
		if imports[name] == nil {
			t.Errorf("%s is no package", name)
		}
	}
}

// Some libraries are known to one package only.
func TestLibrariesOfOnePackage(t *testing.T) {
	only := map[string]string{
		"github.com/parquet-go/parquet-go": "datasets",
	}
	for name, of := range importsOf(t) {
		for library, user := range only {
			if slices.Contains(of, library) != (name == user) {
				t.Errorf("%s: importing %s is for %s", name, library, user)
			}
		}
	}
}

// picture returns the first block of code in CONTRIBUTING.md that begins with the program.
func picture(t *testing.T) string {
	t.Helper()
	text := tests.Must(os.ReadFile("../CONTRIBUTING.md"))(t)
	_, rest, ok := strings.Cut(string(text), "```\njitterfly ")
	picture, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("CONTRIBUTING.md has no picture of the packages")
	}
	return "jitterfly " + picture
}

// importsOf returns the imports of every package of the program, tests left out, by path in the
// module; the module itself is "jitterfly".
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "../...")
	imports := map[string][]string{}
	for line := range strings.Lines(string(tests.Must(list.Output())(t))) {
		names := strings.Fields(strings.ReplaceAll(" "+line, " jitterfly/", " "))
		if !strings.HasPrefix(names[0], "bench/") {
			imports[names[0]] = names[1:]
		}
	}
	return imports
}

// named matches the name of what a package declares, as docs/design.md writes it.
var named = regexp.MustCompile("`([a-z/]+)\\.([A-Za-z]+(?:\\.[A-Za-z]+)?)`")

// The walks of docs/design.md pass functions that exist.
func TestDesignNamesWhatExists(t *testing.T) {
	text := tests.Must(os.ReadFile("../docs/design.md"))(t)
	n := 0
	for _, m := range named.FindAllStringSubmatch(string(text), -1) {
		dir, name := filepath.Join("..", m[1]), m[2]
		info, err := os.Stat(dir)
		if name == "parquet" {
			continue
		}
		if err != nil || !info.IsDir() { // a file
			if _, err := os.Stat(dir + "." + name); err != nil {
				t.Errorf("%s.%s: neither a package nor a file", m[1], name)
			}
			continue
		}
		if n++; !declares(t, dir, name) {
			t.Errorf("%s does not declare %s", m[1], name)
		}
	}
	if n < 30 {
		t.Errorf("docs/design.md names %d functions", n)
	}
}

// declares reports whether a package declares a name; a method's begins with its type.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	pattern := `(?m)^((func|type|var|const) |\t)` + name + `( |\(|\[)`
	if of, method, ok := strings.Cut(name, "."); ok {
		pattern = `(?m)^func \((\w+ )?\*?` + of + `(\[\w+\])?\) ` + method + `\(`
	}
	for _, name := range tests.Must(filepath.Glob(filepath.Join(dir, "*.go")))(t) {
		source := tests.Must(os.ReadFile(name))(t)
		if !strings.HasSuffix(name, "_test.go") && regexp.MustCompile(pattern).Match(source) {
			return true
		}
	}
	return false
}
