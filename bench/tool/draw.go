package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/internal/units"
)

// result matches a benchmark result: the binary logarithm of the ranks, and nanoseconds.
var result = regexp.MustCompile(`/P=2\^(\d+)[ \t].*[ \t]([\d.]+) ns/message`)

// draw prints and draws the time of a simulated message for each number of ranks: the minimum of
// benchmark results, with one line for each file of benchmark output. It fails if a file cannot be read
// or the picture cannot be written.
func draw(out string, files []string) error {
	chart := figures.Chart{
		X: figures.ChartAxis{Name: "ranks", Whole: true},
		Y: figures.ChartAxis{Name: "ns per simulated message"},
	}
	for i, file := range files {
		ranks, times, err := readTimes(file)
		if err != nil {
			return err
		}
		name := filepath.Base(file)
		chart.Lines = append(chart.Lines, figures.Line{
			Label: name, X: ranks, Y: times, Dots: true, Color: []int{0, 2, 1}[i%3],
		})
		for j, n := range ranks {
			fmt.Printf("%-10s %-6s %6.2f\n", name, units.PowerOfTwo(int(math.Log2(n))), times[j])
		}
	}
	picture := chart.Figure("scaling")
	content, err := picture.Bytes(strings.TrimPrefix(filepath.Ext(out), "."))
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return os.WriteFile(out, content, 0o644)
}

// readTimes returns the minimum for each number of ranks, in ascending order of ranks.
func readTimes(file string) (ranks, times []float64, err error) {
	output, err := os.ReadFile(file)
	least := map[float64]float64{}
	for _, m := range result.FindAllStringSubmatch(string(output), -1) {
		log2, _ := strconv.Atoi(m[1])
		ns, _ := strconv.ParseFloat(m[2], 64)
		n := math.Ldexp(1, log2)
		if known, ok := least[n]; !ok || ns < known {
			least[n] = ns
		}
	}
	ranks = slices.Sorted(maps.Keys(least))
	for _, n := range ranks {
		times = append(times, least[n])
	}
	return ranks, times, err
}
