package figures

import (
	"bytes"
	"compress/zlib"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"jitterfly/collectives/recording"
	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

func TestParseWidth(t *testing.T) {
	for text, points := range map[string]float64{
		"85mm": 240.945, "3.5in": 252, "8.5cm": 240.945, "240pt": 240,
	} {
		if got, err := ParseWidth(text); err != nil || math.Abs(got.Points()-points) > 0.001 {
			t.Errorf("%s is %g points: %v", text, got.Points(), err)
		}
	}
	for _, text := range []string{"", "85", "mm", "-85mm", "1mm", "1000in", "NaNmm", "85px"} {
		if got, err := ParseWidth(text); err == nil {
			t.Errorf("%q is %g points", text, got.Points())
		}
	}
}

// Figures have the width that is asked for, and the height of a page at most, whatever the panels.
func TestWidthInPrint(t *testing.T) {
	for _, millimeters := range []vg.Length{60, 85, 120, 180} {
		d := example(t, 8, all)
		d.Layout = Layout{Width: millimeters * vg.Millimeter, Untitled: true}
		for _, f := range append(drawn(t, d, ranks, latency, 1), drawn(t, d, latency, duration, 1)...) {
			if math.Abs((f.width-d.Width).Points()) > 1e-9 || f.height > 800 {
				t.Errorf("%s at %g mm is %g × %g points", f.Name, millimeters, f.width, f.height)
			}
		}
	}
}

// Labels that are left neither touch nor are unevenly left out, and the first is left.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := decimal(0, 1, math.Pow(10, rapid.Float64Range(0.5, 6).Draw(t, "decades")))
		step := vg.Length(rapid.Float64Range(5, 500).Draw(t, "step"))
		width := textStyle(tickSize, black).Width
		thinned := thin(s.ticks, step, width)
		for i, tick := range thinned {
			if tick.Value != s.ticks[i].Value || tick.Label != "" && tick.Label != s.ticks[i].Label {
				t.Fatalf("tick %v became %v", s.ticks[i], tick)
			}
		}
		left := slices.DeleteFunc(slices.Clone(thinned), plot.Tick.IsMinor)
		if len(left) == 0 || touching(left, 1, step, width) {
			t.Fatalf("labels %v of %v", left, thinned)
		}
	})
	var ticks []plot.Tick
	for label, value := range []float64{0, 0.3, 0.7, 1} {
		ticks = append(ticks, plot.Tick{Value: value, Label: []string{"1", "2", "5", "10"}[label]})
	}
	if got := thin(ticks, 25, textStyle(tickSize, black).Width); got[1].Label+got[2].Label != "" ||
		got[3].Label != "10" {
		t.Errorf("of 1 2 5 10 are left %v", got)
	}
}

// Legends and titles are wrapped, so that nothing is wider than the page.
func TestNothingOverflows(t *testing.T) {
	long := strings.Repeat("a label of many words ", 6)
	legend := []entry{{label: "short"}, {label: long}, {label: "short"}, {label: "also short"}}
	placed, rows := layOut(legend, 200)
	last := -1
	for _, e := range placed {
		for _, line := range e.lines {
			if right := e.x + swatch + 5 + textStyle(labelSize, black).Width(line); right > 200 {
				t.Errorf("%q ends at %g of 200", line, right)
			}
		}
		if e.row < last {
			t.Errorf("%q is in row %d after %d", e.label, e.row, last)
		}
		last = e.row + len(e.lines) - 1
	}
	if rows != last+1 || strings.Join(placed[1].lines, " ") != strings.TrimSpace(long) {
		t.Errorf("%d rows, the last %d, of %q", rows, last, placed[1].lines)
	}
	list := "collective butterfly, detour length 100 µs, latency 1 µs"
	for _, line := range wrapList(list, labelSize, 120) {
		if !slices.Contains(strings.SplitAfter(list, ", "), strings.TrimSuffix(line, ",")+", ") &&
			line != "latency 1 µs" {
			t.Errorf("%q is a line of %q", line, list)
		}
	}
}

// Exponents are raised and smaller, in the same characters in every format.
func TestSuperscripts(t *testing.T) {
	c := new(recorder.Canvas)
	style := textStyle(10, black)
	style.Handler.Draw(c, "2¹⁰ ranks", style, vg.Point{})
	var texts []string
	var sizes, heights []vg.Length
	for _, action := range c.Actions {
		if fill, ok := action.(*recorder.FillString); ok {
			texts = append(texts, fill.String)
			sizes, heights = append(sizes, fill.Size), append(heights, fill.Point.Y)
		}
	}
	if strings.Join(texts, "|") != "2|10| ranks" {
		t.Fatalf("drawn are %q", texts)
	}
	if sizes[1] >= sizes[0] || heights[1] <= heights[0] || heights[2] != heights[0] {
		t.Errorf("sizes %v, heights %v", sizes, heights)
	}
	if style.Width("2¹⁰") >= style.Width("210") || style.Width("2¹⁰") <= style.Width("2") {
		t.Error("the width is not that of what is drawn")
	}
}

// PDF has its fonts, all characters of quantities, and colours that their alpha does not darken.
func TestPDF(t *testing.T) {
	content := func(f Figure) (file []byte, drawn string) {
		file = tests.Must(f.Bytes("pdf"))(t)
		var all bytes.Buffer
		for _, part := range bytes.Split(file, []byte("stream\n"))[1:] {
			if r, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
				_, _ = io.Copy(&all, r)
			}
		}
		return file, all.String()
	}
	file, drawn := content(example(t, 8, all).Completion(ranks)[0])
	if !bytes.Contains(file, []byte("/FontFile2")) {
		t.Error("no font is embedded")
	}
	if !strings.Contains(drawn, "(10 \xb5s)") {
		t.Error("no text is 10 µs")
	}
	band := Figure{width: 9, height: 9, draw: func(c draw.Canvas) {
		c.FillPolygon(translucent(blue, 70), []vg.Point{{}, {X: 9}, {Y: 9}})
	}}
	if _, drawn := content(band); !strings.Contains(drawn, "0.000 0.447 0.698 rg") {
		t.Errorf("a translucent blue is drawn as %s", drawn)
	}
}

// A map has numbers in all its cells or in none, and each T has the colour of the legend.
func TestCellsOfWholeNumbers(t *testing.T) {
	c := cells{
		values: [][]float64{{1, 2}, {3, math.NaN()}}, text: Measures[2].distinct(nil, scale{}),
	}
	if c.textSize(30, 30) != tickSize || c.textSize(5, 30) != 0 {
		t.Error("the texts of the cells have another size than there is room for")
	}
	c.values[1][1] = 12345
	if size := c.textSize(15, 30); size != 0 {
		t.Errorf("a cell without room for its text does not prevent texts of size %g", size)
	}
	b := colorBar{color: viridis, steps: 96}
	b.wholes(0, 12)
	seen := map[color.NRGBA]bool{}
	for v := range 13 {
		seen[b.of(float64(v))] = true
		if b.of(float64(v)) != b.color(b.step(v)) {
			t.Errorf("T = %d has not the colour of the legend", v)
		}
	}
	if len(seen) != 13 || len(b.scale.ticks) != 13 {
		t.Errorf("%d colours and %d labels of 13 numbers", len(seen), len(b.scale.ticks))
	}
	b.wholes(0, 100)
	if len(b.scale.ticks) > mostTicks+1 {
		t.Errorf("%d labels of 101 numbers", len(b.scale.ticks))
	}
}

// More panels than a page has are on further pages, all of them.
func TestPages(t *testing.T) {
	panels := func() (all []*plot.Plot) {
		for range 100 {
			all = append(all, newPlot("", scale{top: 1}, scale{top: 1}))
		}
		return all
	}
	pg := page{name: "many", width: 100, least: 100, height: shape(100, 100)}
	for width, pages := range map[vg.Length]int{0: 9, 300: 13} { // 12 on each, or 2 times 4
		pg.Width, pg.panels = width, panels()
		figures := pg.figures()
		if len(figures) != pages || figures[1].Name != "many-2" {
			t.Errorf("%d pages of width %g, the second %s", len(figures), width, figures[1].Name)
		}
	}
}

// The critical path leaves what a rank does on it visible: it is a frame around it, and a line
// only from one rank to another.
func TestCriticalPathHidesNothing(t *testing.T) {
	recorded(t, func(rec *recording.Recording) {
		b := bars{Recording: rec, path: rec.CriticalPath().Points}
		at := func(p recording.Point) vg.Point {
			return vg.Point{X: vg.Length(p.Time * 1e9), Y: 10 * vg.Length(p.Track)}
		}
		c := new(recorder.Canvas)
		canvas := draw.NewCanvas(c, 1e6, 1e4)
		b.drawPath(&canvas, at, 6)
		for _, action := range c.Actions {
			stroke, ok := action.(*recorder.Stroke)
			if !ok {
				continue
			}
			for i := 1; i < len(stroke.Path); i++ {
				from, to := stroke.Path[i-1].Pos, stroke.Path[i].Pos
				if track := 10 * math.Round(float64(from.Y)/10); from.Y == to.Y && from.X != to.X &&
					math.Abs(float64(from.Y)-track) < 3 {
					t.Fatalf("a line from %v to %v crosses the bar at %g", from, to, track)
				}
			}
		}
	})
}

func svg(t *testing.T, f Figure) string {
	t.Helper()
	content := tests.Must(f.Bytes("svg"))(t)
	return string(content)
}

// A chart's axis is logarithmic if values differ much; points outside its domain are skipped.
func TestChart(t *testing.T) {
	c := Chart{
		Title: "title", X: ChartAxis{Name: "ranks", Whole: true},
		Y:     ChartAxis{Name: "time", Dimension: units.Time},
		Lines: []Line{{Label: "one", X: []float64{2, 16, 256}, Y: []float64{1e-6, 1e-5, 1e-3}, Dots: true}},
	}
	picture := svg(t, c.Figure("chart"))
	for _, text := range []string{"title", ">ranks<", ">time<", ">100 µs<", ">one<"} {
		if !strings.Contains(picture, text) {
			t.Errorf("the picture lacks %s", text)
		}
	}
	c.Lines[0].Y[0] = 5e-4
	c.Lines[0].Y[1] = 7e-4
	if strings.Contains(svg(t, c.Figure("chart")), ">100 µs<") {
		t.Error("an axis of similar values is logarithmic")
	}
}

// Pictures and traces are replaced, whoever has renamed them; other files are not, even pictures.
func TestReplaceable(t *testing.T) {
	dir := t.TempDir()
	empty := Figure{Name: "empty", width: 100, height: 100, draw: func(draw.Canvas) {}}
	files := map[string][]byte{}
	for _, format := range Formats() {
		content := tests.Must(empty.Bytes(format))(t)
		files["ours."+format] = content
		files["theirs."+format] = bytes.ReplaceAll(content, []byte(mark), []byte("picture of mine--"))
	}
	image, err := png.Decode(bytes.NewReader(files["ours.png"]))
	if err != nil || image.Bounds().Dx() < 100 {
		t.Error("it is no PNG:", err)
	}
	files["ours.json"] = new(trace).encode("Trial 0")
	files["theirs.json"], files["theirs"] = []byte(`{"otherData": {}}`), nil
	for name, content := range files {
		name = filepath.Join(dir, name)
		tests.NoError(t, os.WriteFile(name, content, 0o666))
		ours := strings.HasPrefix(filepath.Base(name), "ours")
		if err := Replaceable(name); (err == nil) != ours {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Replaceable(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{dir, os.DevNull} {
		if err := Replaceable(name); err == nil {
			t.Errorf("%s can be replaced", name)
		}
	}
}
