package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

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
