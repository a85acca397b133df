// Command draw prints and draws the time of a simulated message for each number of ranks: the
// minimum of benchmark results, with one line for each file of benchmark output.
//
//	go run ./bench/scaling/draw out.svg FILE...
package main

import (
	"bufio"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// result matches a benchmark result: the binary logarithm of the ranks, and nanoseconds.
var result = regexp.MustCompile(`/P=2\^(\d+)\s.*\s([\d.]+) ns/message`)

// colors are colours by Okabe and Ito, as in all pictures.
var colors = []color.Color{
	color.NRGBA{R: 213, G: 94, A: 255},
	color.NRGBA{G: 158, B: 115, A: 255},
	color.NRGBA{G: 114, B: 178, A: 255},
}

func main() {
	if len(os.Args) < 3 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: draw out.svg FILE...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "draw:", err)
		os.Exit(1)
	}
}

// run draws the files. It fails if one cannot be read or the picture cannot be written.
func run(out string, files []string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "ranks", "ns per simulated message"
	p.Y.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		for x := math.Ceil(low); x <= high; x++ {
			t := plot.Tick{Value: x}
			if int(x)%4 == 0 {
				t.Label = fmt.Sprintf("2^%g", x)
			}
			ticks = append(ticks, t)
		}
		return ticks
	})
	p.Y.Tick.Marker = plot.ConstantTicks{
		{Value: 0.25, Label: "0.25"}, {Value: 0.5, Label: "0.5"}, {Value: 1, Label: "1"},
		{Value: 2, Label: "2"}, {Value: 4, Label: "4"}, {Value: 8, Label: "8"},
		{Value: 16, Label: "16"}, {Value: 32, Label: "32"},
	}
	p.Add(plotter.NewGrid())
	p.Y.Min, p.Y.Max = 0.25, 32
	p.Legend.Top, p.Legend.Padding, p.Legend.YOffs = true, 4, -6
	for _, style := range []*text.Style{
		&p.Legend.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label,
	} {
		style.Font.Variant, style.Font.Size = "Sans", 9
	}
	for i, file := range files {
		points, err := read(file)
		if err != nil {
			return err
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		colour := colors[i%len(colors)]
		line.Color, marks.Color, marks.Shape = colour, colour, draw.CircleGlyph{}
		p.Add(line, marks)
		p.Legend.Add(filepath.Base(file), line, marks)
		for _, point := range points {
			fmt.Printf("%-10s 2^%-3g %6.2f\n", filepath.Base(file), point.X, point.Y)
			p.Y.Max = max(p.Y.Max, point.Y)
		}
	}
	return p.Save(16*vg.Centimeter, 9*vg.Centimeter, out)
}

// read returns the minimum for each number of ranks, in ascending order of ranks.
func read(file string) (points plotter.XYs, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	least := map[float64]float64{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := result.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		log2, _ := strconv.ParseFloat(m[1], 64)
		ns, _ := strconv.ParseFloat(m[2], 64)
		if known, ok := least[log2]; !ok || ns < known {
			least[log2] = ns
		}
	}
	for log2, ns := range least {
		points = append(points, plotter.XY{X: log2, Y: ns})
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return int(a.X - b.X) })
	return points, lines.Err()
}
