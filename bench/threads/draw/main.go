// Command draw prints and draws what threads gain in one trial of flows, and what barriers cost:
// the minima of the results of benchmarks of package network on the standard input.
//
//	go run ./bench/threads/draw speedup.svg barriers.svg <RESULTS
package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/figures"
)

func main() {
	if len(os.Args) != 3 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: draw speedup.svg barriers.svg <RESULTS")
		os.Exit(2)
	}
	if err := run(os.Stdin, os.Args[1], os.Args[2]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "draw:", err)
		os.Exit(1)
	}
}

// run draws the results. It fails if there are none or a picture cannot be written.
func run(results io.Reader, speedup, barriers string) error {
	trials, costs, err := read(results)
	if err != nil {
		return err
	}
	gains := figures.Chart{
		X: figures.ChartAxis{Name: "nodes", Whole: true},
		Y: figures.ChartAxis{Name: "speed-up", Linear: true},
	}
	for _, t := range trials.threads() {
		for _, name := range slices.Sorted(maps.Keys(trials)) {
			line := figures.Line{Label: fmt.Sprintf("%s, %d threads", name, t), Dots: true}
			for _, n := range slices.Sorted(maps.Keys(trials[name])) {
				if gain := trials[name][n][1] / trials[name][n][t]; trials[name][n][t] > 0 {
					line.X, line.Y = append(line.X, float64(2*n*n*n)), append(line.Y, gain)
					fmt.Printf("%-24s %7d nodes %6.2f\n", line.Label, 2*n*n*n, gain)
				}
			}
			gains.Lines = append(gains.Lines, line)
		}
	}
	chart := figures.Chart{
		X: figures.ChartAxis{Name: "additions before the barrier", Whole: true},
		Y: figures.ChartAxis{Name: "ns per barrier"},
	}
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		line := figures.Line{Label: name, Dots: true}
		for _, n := range slices.Sorted(maps.Keys(costs[name])) {
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, costs[name][n])
			fmt.Printf("%-24s %7d additions %8.0f ns\n", name, n, costs[name][n])
		}
		chart.Lines = append(chart.Lines, line)
	}
	if len(gains.Lines) == 0 || len(chart.Lines) == 0 {
		return fmt.Errorf("no results of several threads, or none of barriers")
	}
	if err := write(gains, "threads", speedup); err != nil {
		return err
	}
	return write(chart, "barriers", barriers)
}

// write writes a picture of a chart.
func write(chart figures.Chart, name, out string) error {
	picture := chart.Figure(name)
	content, err := picture.Bytes(strings.TrimPrefix(filepath.Ext(out), "."))
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return os.WriteFile(out, content, 0o644)
}

// times are the least [ns] of each simulator, tree and number of threads.
type times map[string]map[int]map[int]float64

// threads returns the numbers of threads above 1.
func (t times) threads() (all []int) {
	for _, trees := range t {
		for _, threads := range trees {
			for n := range threads {
				if n > 1 && !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

var (
	trial   = regexp.MustCompile(`/(\w+)(?:/latency=0)?/fat-tree:(\d+)x\S*?(?:-(\d+))?\s.*?([\d.]+) ns/op`)
	barrier = regexp.MustCompile(`/(\w+)/additions=(\d+)\S*\s.*?(-?[\d.]+) ns/barrier`)
)

// read returns the minima of trials, and of the cost [ns] of barriers after some additions.
func read(results io.Reader) (trials times, costs map[string]map[int]float64, err error) {
	trials, costs = times{}, map[string]map[int]float64{}
	lines := bufio.NewScanner(results)
	for lines.Scan() {
		if m := trial.FindStringSubmatch(lines.Text()); m != nil {
			n, _ := strconv.Atoi(m[2])
			threads := 1
			if m[3] != "" {
				threads, _ = strconv.Atoi(m[3])
			}
			if trials[m[1]] == nil {
				trials[m[1]] = map[int]map[int]float64{}
			}
			if trials[m[1]][n] == nil {
				trials[m[1]][n] = map[int]float64{}
			}
			least(trials[m[1]][n], threads, m[4])
		}
		if m := barrier.FindStringSubmatch(lines.Text()); m != nil {
			n, _ := strconv.Atoi(m[2])
			if costs[m[1]] == nil {
				costs[m[1]] = map[int]float64{}
			}
			least(costs[m[1]], n, m[3])
		}
	}
	return trials, costs, lines.Err()
}

// least stores a number at a place if there is none that is less.
func least(all map[int]float64, place int, text string) {
	x, _ := strconv.ParseFloat(text, 64)
	if known, ok := all[place]; (!ok || x < known) && x > 0 {
		all[place] = x
	}
}
