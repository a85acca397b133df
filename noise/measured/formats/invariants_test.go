package formats

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"jitterfly/internal/tests"
	"jitterfly/noise"
)

// inconsistent says which of its own promises a measurement breaks.
func inconsistent(m Measurement) string {
	for _, c := range m.Trace.Cores {
		if why := inconsistentCore(c); why != "" {
			return why
		}
	}
	if r := m.Trace.Resolution; !(r >= 0 && r < MaxLength) {
		return fmt.Sprintf("a resolution of %g s", r)
	}
	for _, s := range m.Sources {
		for _, c := range s.Cores {
			off := math.Abs(c.Span - s.Cores[0].Span)
			if why := inconsistentCore(c); why != "" || s.Name == "" || off > 1e-9*c.Span {
				return fmt.Sprintf("source %q: %s", s.Name, why)
			}
		}
	}
	for _, h := range m.Histograms {
		if why := inconsistentHistogram(h); why != "" {
			return why
		}
	}
	for _, c := range m.Curves {
		if len(c.Points) == 0 || c.Pattern == "" || c.Operation == "" {
			return fmt.Sprintf("an empty curve %v", c)
		}
		for _, p := range c.Points {
			if !(p.Size >= 0 && p.Seconds >= 0 && p.Seconds <= MaxLength && p.Least >= 0 &&
				p.Most >= 0 && p.Samples >= 0) {
				return fmt.Sprintf("a point %v", p)
			}
			for i, q := range p.Quantiles {
				if i > 0 && !(q.Share > p.Quantiles[i-1].Share &&
					q.Length >= p.Quantiles[i-1].Length) {
					return fmt.Sprintf("quantiles %v", p.Quantiles)
				}
			}
		}
	}
	for _, p := range m.LogGP {
		for _, x := range []float64{p.Size, p.L, p.Os, p.Or, p.Gs, p.G, p.Deviation} {
			if x < 0 || math.IsInf(x, 0) {
				return fmt.Sprintf("a parameter of %g", x)
			}
		}
	}
	for _, text := range m.Notes {
		if strings.ContainsAny(text, "\n\r") {
			return "a note of several lines"
		}
	}
	return ""
}

func inconsistentCore(c noise.Core) string {
	end := 0.0
	for i, d := range c.Detours {
		if !(d.Start >= 0 && d.Length > 0) || i > 0 && d.Start <= end {
			return fmt.Sprintf("detour %d of core %d is %v, after one that ends at %v", i, c.ID, d,
				end)
		}
		end = d.End()
	}
	if !(c.Span > 0 && end <= c.Span && c.Overhead() < 1) {
		return fmt.Sprintf("core %d ends at %v, after a span of %v", c.ID, end, c.Span)
	}
	return ""
}

func inconsistentHistogram(h Histogram) string {
	n := h.Over
	for i, b := range h.Bins {
		if !(b.Count > 0 && b.From >= 0 && b.From <= b.To && b.To <= 2*MaxLength) || i > 0 &&
			b.From < h.Bins[i-1].To {
			return fmt.Sprintf("bin %d of %s is %v", i, h.Column, b)
		}
		n += b.Count
	}
	if len(h.Bins) > 0 && n != h.Samples || h.Samples < 0 || h.Over < 0 {
		return fmt.Sprintf("%s has %d samples, its bins %d", h.Column, h.Samples, n)
	}
	if !(h.Span >= 0 && h.Least >= 0 && h.Mean >= 0 && h.Most >= 0) {
		return fmt.Sprintf("%s reports %v", h.Column, h)
	}
	return ""
}

// exampleFolders have output of tools: examples of formats, and files that others published or reported.
var exampleFolders = []string{"testdata", "testdata/recorded", "testdata/reported"}

// exampleFiles returns the paths of all output of tools in a folder, whatever its ending is.
func exampleFiles(t testing.TB, folder string) (paths []string) {
	t.Helper()
	entries := tests.Must(os.ReadDir(folder))(t)
	for _, e := range entries {
		about := e.Name() == "README.md" || e.Name() == "python.csv" // and no output of a tool
		if e.Type().IsRegular() && !about {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// examples returns the contents of the files of testdata by their paths, without packed ones, which
// are long.
func examples(t testing.TB) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, folder := range exampleFolders {
		for _, path := range exampleFiles(t, folder) {
			if filepath.Ext(path) != ".gz" {
				texts[path] = tests.Must(os.ReadFile(path))(t)
			}
		}
	}
	return texts
}

// Files of testdata with fields, lines and ends changed give an error of one line,
// or a measurement that keeps its promises.
func TestMangledFiles(t *testing.T) {
	evil := []string{
		"", "0", "-0", "-1", "1", "2", "1.5", "nan", "-nan", "inf", "1e308", "1e-308", "0x10",
		"18446744073709551615", "999999999999", "1e6", "100%", "#", ":", "-", "T:",
	}
	texts := map[string][]string{}
	for path, text := range examples(t) {
		texts[path] = strings.SplitAfter(string(text), "\n")
	}
	files := slices.Sorted(maps.Keys(texts))
	rapid.Check(t, func(t *rapid.T) {
		lines := slices.Clone(texts[rapid.SampledFrom(files).Draw(t, "file")])
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			j := rapid.IntRange(0, len(lines)-1).Draw(t, "other")
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				lines[i] = lines[j]
			case 1:
				lines[i], lines[j] = lines[j], lines[i]
			case 2:
				lines[i] = lines[i][:rapid.IntRange(0, len(lines[i])).Draw(t, "cut")]
			default:
				f := strings.SplitAfter(lines[i], " ")
				if rapid.Bool().Draw(t, "tabs") {
					f = strings.SplitAfter(lines[i], "\t")
				}
				f[rapid.IntRange(0, len(f)-1).Draw(t, "field")] = rapid.SampledFrom(evil).Draw(t,
					"evil") + " "
				lines[i] = strings.Join(f, "") + "\n"
			}
		}
		check(t, []byte(strings.Join(lines, "")))
	})
}

// FuzzRead looks for files that break the reader, or whose measurement breaks its
// own promises.
func FuzzRead(f *testing.F) {
	for _, text := range examples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { check(t, text) })
}

// check reads a file and holds what comes of it against its promises.
func check(t interface{ Errorf(string, ...any) }, text []byte) {
	m, err := read(bytes.NewReader(text), "fuzz", limits{1 << 12, 1 << 12, 1 << 10, 1 << 20}, -1)
	if err != nil {
		if text := err.Error(); !strings.HasPrefix(text, "fuzz:") ||
			strings.ContainsAny(text, "\n\r") {
			t.Errorf("the error %q is not one line that begins with the place", text)
		}
		return
	}
	if why := inconsistent(m); why != "" {
		t.Errorf("%s", why)
	}
	for _, c := range m.Curves {
		for _, p := range c.Points {
			if e, ok := p.Excess(); ok && (e.Check() != nil || e.Points[0].Length != 0) {
				t.Errorf("the excess of %v is %v", p, e)
			}
		}
	}
}
