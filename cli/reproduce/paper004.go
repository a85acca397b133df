package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jitterfly/cli/figures"
	"jitterfly/collectives/topology"
)

// paper004 is the paper that simulates messages as flows, in parallel.
var paper004 = Paper{
	ID: "004",
	draws: map[string]drawing{
		"table3-1": trees004,
	},
	judges: map[string]judge{
		"nodes": tabled(func(c *Config) float64 { return float64(c.Ranks) }),
		"links": tabled(func(c *Config) float64 {
			place, err := topology.Parse(c.Topology)
			if err != nil {
				return math.NaN()
			}
			return float64(place.Links()) / 2
		}),
		"messages": func(r *Results, c *Claim) (string, Verdict) {
			var sent []float64
			for _, config := range r.Of("fat-trees") {
				sent = append(sent, config.T[0].Messages/float64(config.Ranks))
			}
			return spread("%g", sent), verdict(
				slices.Min(sent) == c.expected() && slices.Max(sent) == c.expected())
		},
		"whole slow-down": func(r *Results, _ *Claim) (string, Verdict) {
			times, off := shared004(r), 0.0
			for _, t := range times {
				off = max(off, math.Abs(t-math.Round(t)))
			}
			return spread("%.4g×", times), verdict(off < 1e-9)
		},
		"slow-down": func(r *Results, _ *Claim) (string, Verdict) {
			times := shared004(r)
			return spread("%.4g×", times) + " slower than without sharing", verdict(slices.Min(times) > 1)
		},
		"wall-clock time": unsimulated("not in results"),
	},
}

// A tree004 is a tree of table 3.1.
type tree004 struct {
	name  string
	nodes int
}

// table004 are the trees of table 3.1.
var table004 = []tree004{
	{"fat-tree:8x8x16", 1024}, {"fat-tree:12x12x24", 3456},
	{"fat-tree:20x20x40", 16000}, {"fat-tree:24x24x48", 27648},
	{"fat-tree:32x32x64", 65536},
}

// placed004 returns the configuration of a topology.
func placed004(r *Results, topology string) *Config {
	return r.config("fat-trees", func(c *Config) bool { return c.Topology == topology })
}

// times004 returns the times [s] of ten messages on the trees, and on one switch for as many nodes.
func times004(r *Results) (trees, switches []float64) {
	for _, t := range table004 {
		trees = append(trees, placed004(r, t.name).T[0].Mean)
		switches = append(switches, placed004(r, fmt.Sprintf("crossbar:%d", t.nodes)).T[0].Mean)
	}
	return trees, switches
}

// shared004 returns the slow-down of ten messages on each tree over one switch.
func shared004(r *Results) []float64 {
	times, switches := times004(r)
	for i := range times {
		times[i] /= switches[i]
	}
	return times
}

// trees004 draws the simulated times.
func trees004(r *Results, name string) figures.Figure {
	tree := figures.Line{Label: "fat tree", Dots: true}
	alone := figures.Line{Label: "one switch for all", Dots: true, Dashed: true}
	trees, switches := times004(r)
	for i, t := range table004 {
		tree.X, tree.Y = append(tree.X, float64(t.nodes)), append(tree.Y, 1e3*trees[i])
		alone.X, alone.Y = append(alone.X, float64(t.nodes)), append(alone.Y, 1e3*switches[i])
	}
	return figures.Chart{
		Title: "Ten messages of each node, of 1 ms each alone",
		X:     figures.ChartAxis{Name: "nodes", Whole: true},
		Y:     figures.ChartAxis{Name: "ms", Linear: true}, Lines: []figures.Line{tree, alone},
	}.Figure(name)
}

// tabled judges a number of each of the five trees.
func tabled(of func(*Config) float64) judge {
	return func(r *Results, c *Claim) (string, Verdict) {
		same, ours := true, []string(nil)
		for i, t := range table004 {
			n := of(placed004(r, t.name))
			ours = append(ours, fmt.Sprintf("%.0f", n))
			same = same && n == c.Expected[i]
		}
		return strings.Join(ours, ", "), verdict(same)
	}
}
