package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	imports := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "tools" || name == "bench" || name == "gen" ||
				strings.HasPrefix(name, ".") && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, "../")))
		if name == "." {
			name = "jitterfly"
		}
		if imports[name] == nil {
			imports[name] = []string{}
		}
		for _, spec := range file.Imports {
			other, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[name] = append(imports[name], strings.TrimPrefix(other, "jitterfly/"))
		}
		return nil
	})
	tests.NoError(t, err)
	return imports
}

// named matches the name of what a package declares, as docs/design.md writes it.
var named = regexp.MustCompile("`([a-z/]+)\\.([A-Za-z]+(?:\\.[A-Za-z]+)?)`")

// The walks of docs/design.md pass functions that exist.
func TestDesignNamesWhatExists(t *testing.T) {
	text := tests.Must(os.ReadFile("../docs/design.md"))(t)
	declared, n := map[string]map[string]bool{}, 0
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
		if declared[dir] == nil {
			declared[dir] = declarations(t, dir)
		}
		if n++; !declared[dir][name] {
			t.Errorf("%s does not declare %s", m[1], name)
		}
	}
	if n < 30 {
		t.Errorf("docs/design.md names %d functions", n)
	}
}

// declarations returns the names that a package declares; a method's begins with its type.
func declarations(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files := tests.Must(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	names := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := tests.Must(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[receiver(n)+n.Name.Name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names[name.Name] = true
				}
			}
			return true
		})
	}
	return names
}

// receiver returns the type of a method with a dot, or nothing.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
