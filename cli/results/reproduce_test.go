package results

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/cli/reproduce"
	"jitterfly/cli/sweep"
)

// docs/reproduction.md has, of paper 003, what the program finds of figure 12, and of all
// that needs no study. All of the paper takes minutes; whoever changes results runs
// go run . reproduce --document docs/reproduction.md.
func TestReproduction003(t *testing.T) {
	t.Parallel()
	whole, err := reproduce.Find("003")
	if err != nil {
		t.Fatal(err)
	}
	cheap := *whole
	cheap.Studies, cheap.Figures, cheap.Claims, cheap.Alternatives = nil, nil, nil, nil
	for _, s := range whole.Studies {
		if s.Name == "line-100ns" || s.Name == "line-100ns-drawn" {
			cheap.Studies = append(cheap.Studies, s)
		}
	}
	for _, f := range whole.Figures {
		if f.Name == "fig12" {
			cheap.Figures = append(cheap.Figures, f)
		}
	}
	for _, c := range whole.Claims {
		if strings.HasPrefix(c.Statement, "If only odd") ||
			strings.HasPrefix(c.Statement, "That needs the partners") ||
			strings.HasPrefix(c.Statement, "With two redundant") ||
			strings.Contains(c.Statement, "Fig. 12's caption") {
			cheap.Claims = append(cheap.Claims, c)
		}
	}
	if len(cheap.Studies) != 2 || len(cheap.Figures) != 1 || len(cheap.Claims) != 4 {
		t.Fatalf("there are %d studies, %d figures and %d claims, not 2, 1 and 4",
			len(cheap.Studies), len(cheap.Figures), len(cheap.Claims))
	}
	document, err := os.ReadFile("../../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	section, pictures := reproduced(t, &cheap)
	rows := 0
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| §") {
			rows++
			if !strings.Contains(string(document), line) {
				t.Errorf("docs/reproduction.md does not have\n%s", line)
			}
		}
	}
	if rows != len(cheap.Claims) {
		t.Errorf("%d rows of %d claims:\n%s", rows, len(cheap.Claims), section)
	}
	got, err := os.ReadFile(filepath.Join(pictures, "fig12.svg"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../docs/reproduction/003/fig12.svg")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/reproduction/003/fig12.svg is not what the program draws: %v", err)
	}
}

// docs/reproduction.md has, of paper 000, all that the program finds, and its pictures are
// what it draws: these studies take no more than a second or two.
func TestReproduction000(t *testing.T) {
	t.Parallel()
	paper, err := reproduce.Find("000")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	section, pictures := reproduced(t, paper)
	if !strings.Contains(string(document), section) {
		t.Errorf("docs/reproduction.md does not have\n%s", section)
	}
	for _, f := range paper.Figures {
		got, err := os.ReadFile(filepath.Join(pictures, f.Name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../../docs/reproduction/000/" + f.Name + ".svg")
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/reproduction/000/%s.svg is not what the program draws: %v", f.Name, err)
		}
	}
}

// reproduced simulates a paper, and returns its section and the directory of its pictures.
func reproduced(t *testing.T, p *reproduce.Paper) (section, pictures string) {
	t.Helper()
	dir := t.TempDir()
	o := reproduceOptions{
		Execution: sweep.Execution{Workers: 2, Quiet: true, Errs: io.Discard},
		formats:   []string{"svg"}, out: dir, document: filepath.Join(dir, "reproduction.md"),
	}
	results, err := o.simulate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := o.draw(p, results)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Section(results, picture)
	return string(s.Markdown()), filepath.Join(dir, "reproduction", p.ID)
}

// Every disagreement in the document has its explanation.
func TestReproductionExplains(t *testing.T) {
	document, err := os.ReadFile("../../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	items := strings.ReplaceAll(string(document), "\n  ", " ") // each in one line
	for _, p := range reproduce.Papers() {
		for _, c := range p.Claims {
			for line := range strings.Lines(items) {
				listed := strings.HasPrefix(line, "- **"+p.ID) &&
					strings.Contains(line, c.Where+".** "+c.Statement)
				explained := c.Why != "" && strings.Contains(line, c.Why) ||
					c.Given != "" && strings.Contains(line, "*Given:* "+c.Given)
				if listed && !explained {
					t.Errorf("nothing explains %q", line)
				}
			}
		}
	}
}
