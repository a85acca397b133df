package reproduce

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/cli/figures"
	"jitterfly/collectives/network"
)

// paper004 simulates messages as flows, in parallel.
var paper004 = Paper{
	ID:      "004",
	Title:   "A communication network simulator based on message flows and its parallelization",
	Authors: "Suzuki, Takaue, Yazaki and Ishihata",
	Venue:   "B-028, in Japanese; claims are translated here",
	Cost:    "10 s on two cores of an Intel Xeon at 2.5 GHz",
	Assumptions: []string{
		"Its figures are of the simulator's own speed, with several threads, and barriers between the " +
			"steps of one trial. Studies have no wall-clock times, which would differ each time this page " +
			"is written; `docs/performance.md` has ours, with the commands. Of what it simulates, it " +
			"gives the trees, the pattern and the rules.",
		"One ring is drawn for each tree, and its nodes are numbered as the leaves of the tree. " +
			"Lengths and bandwidths only set the unit of time.",
	},
	Studies: []Study{{Name: "fat-trees"}},
	Figures: []Figure{
		{
			Name:    "table3-1",
			Caption: "The trees of Table 3.1: simulated time of ten messages a node around a random ring",
			Draw:    trees004,
		},
	},
	Claims: claims004,
}

// A tree004 is a row of table 3.1.
type tree004 struct {
	name         string
	nodes, links int
}

// table004 is table 3.1.
var table004 = []tree004{
	{
		"fat-tree:8x8x16",
		1024,
		3072,
	}, {"fat-tree:12x12x24", 3456, 10368}, {"fat-tree:20x20x40", 16000, 48000},
	{"fat-tree:24x24x48", 27648, 82944}, {"fat-tree:32x32x64", 65536, 196608},
}

// places004 returns the configurations of the study by their topologies.
func places004(r *Results) map[string]*Config {
	return find(r.Of("fat-trees"), func(c *Config) string { return c.Topology })
}

// shared004 returns the slow-down of ten messages on each tree over one switch.
func shared004(r *Results) []float64 {
	places := places004(r)
	var times []float64
	for _, t := range table004 {
		times = append(
			times, places[t.name].T[0].Mean/places[fmt.Sprintf("crossbar:%d", t.nodes)].T[0].Mean,
		)
	}
	return times
}

// trees004 draws the simulated times.
func trees004(r *Results, name string) figures.Figure {
	places := places004(r)
	tree, alone := figures.Line{
		Label: "fat tree",
		Dots:  true,
	}, figures.Line{
		Label:  "one switch for all",
		Dots:   true,
		Dashed: true,
	}
	for _, t := range table004 {
		nodes := float64(t.nodes)
		tree.X, tree.Y = append(tree.X, nodes), append(tree.Y, 1e3*places[t.name].T[0].Mean)
		alone.X, alone.Y = append(alone.X, nodes), append(
			alone.Y, 1e3*places[fmt.Sprintf("crossbar:%d", t.nodes)].T[0].Mean,
		)
	}
	return figures.Chart{
		Title: "Ten messages of each node, of 1 ms each alone",
		X:     figures.ChartAxis{Name: "nodes", Whole: true},
		Y:     figures.ChartAxis{Name: "ms", Linear: true},
		Lines: []figures.Line{tree, alone},
	}.Figure(name)
}

// claims004 are the claims of the paper.
var claims004 = []Claim{
	{
		Where:     "§3.1, Table 3.1",
		Statement: "Nodes of the five trees.",
		Published: "1024, 3456, 16000, 27648, 65536",
		Judge: tabled(
			func(t tree004) int { return t.nodes }, func(c *Config) int { return int(c.Ranks) },
		),
		Given: "the topology: its three numbers are those of Table 3.1.",
	},
	{
		Where:     "§3.1, Table 3.1",
		Statement: "Links of the five trees.",
		Published: "3072, 10368, 48000, 82944, 196608",
		Reading:   "cables, each of which is two links here.",
		Judge: tabled(func(t tree004) int { return t.links }, func(c *Config) int {
			topology, err := network.ParseTopology(c.Topology)
			if err != nil {
				return 0
			}
			return topology.Links() / 2
		}),
		Given: "the topology: its three numbers are those of Table 3.1.",
	},
	{
		Where: "§3.1", Statement: "Messages that each node sends.", Published: "10",
		Judge: func(r *Results) (string, Verdict) {
			var each []float64
			for _, c := range r.Of("fat-trees") {
				each = append(each, c.T[0].Messages/float64(c.Ranks))
			}
			low, high := extremes(each)
			return spread("%g", each), verdict(low == 10 && high == 10)
		},
		Given: "the schedule: a study of ten messages of each node.",
	},
	{
		Where: "§2.1",
		Statement: "Flows over a link share its bandwidth equally, and each runs at the smallest share " +
			"on its route.",
		Published: "the model",
		Reading: "as all messages are of one length, they take a whole number of times as long as " +
			"without sharing: as many as there are on the fullest link of the last.",
		Judge: func(r *Results) (string, Verdict) {
			times, apart := shared004(r), 0.0
			for _, t := range times {
				apart = max(apart, math.Abs(t-math.Round(t)))
			}
			return spread("%.4g", times) + " times", verdict(apart < 1e-9)
		},
		Given: "the model of flows (`sharing: equal`).",
	},
	{
		Where:     "§1",
		Statement: "In systems of thousands of nodes the network is a bottleneck.",
		Published: "the motive",
		Reading:   "on every tree messages delay each other, though its bisection bandwidth is full.",
		Judge: func(r *Results) (string, Verdict) {
			times := shared004(r)
			return spread("%.4g", times) + " times as long as without sharing", verdict(
				slices.Min(times) > 1,
			)
		},
		Given: "of the random ring's messages several share a link of any tree whose routes do not " +
			"look at what others send.",
	},
	{
		Where:     "§1",
		Statement: "Following flows takes far less time than following packets.",
		Published: "the motive",
		Judge:     timed,
		Why: "It is wall-clock time, which is not in results. The A2AT all-to-all of 100 flits on tori " +
			"of 9 × 9 and 17 × 17 takes our flow engine 0.25 s and our packet engine 6.8 s " +
			"(`docs/performance.md`).",
	},
	{
		Where: "§3.1, Fig. 3.1",
		Statement: "With OpenMP's barriers 8 threads slow the smallest tree down; the larger ones gain " +
			"the same.",
		Published: "0.5 times",
		Judge:     timed,
		Why: whyTimed + " A barrier that sleeps is what it had, and `BenchmarkSuzuki/sleeping` times " +
			"that loop.",
	},
	{
		Where: "§3.2, Fig. 3.2",
		Statement: "Speed of a barrier that waits busily, as a multiple of OpenMP's, where there is " +
			"little work between barriers.",
		Published: "20 times",
		Judge:     timed,
		Why:       whyTimed,
	},
	{
		Where:     "§3.3, Fig. 3.3",
		Statement: "Speed-up with 2, 4 and 8 threads.",
		Published: "1.5, 2.5 and at most 4 times",
		Judge:     timed,
		Why:       whyTimed,
	},
	{
		Where:     "§3.3, Fig. 3.3",
		Statement: "Speed-up of the smallest tree with 8 threads.",
		Published: "1.5 times",
		Judge:     timed,
		Why:       whyTimed,
	},
	{
		Where:     "§4",
		Statement: "A method without barriers is needed to scale further.",
		Published: "the outlook",
		Judge:     timed,
		Why: "Ours are two, neither without any. Threads simulate whole trials, and meet at the end. " +
			"Where there are fewer trials, they meet four times in a moment at which many messages " +
			"begin or end, and not at all in small ones, instead of seven times whenever one ends " +
			"(`docs/performance.md`).",
	},
}

// tabled judges a column of table 3.1.
func tabled(published func(tree004) int, of func(*Config) int) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		places, ours, same := places004(r), "", true
		for i, t := range table004 {
			if i > 0 {
				ours += ", "
			}
			n := of(places[t.name])
			ours += fmt.Sprint(n)
			same = same && n == published(t)
		}
		return ours, verdict(same)
	}
}

// timed judges claims about wall-clock times.
func timed(*Results) (string, Verdict) { return "not in results", Unclear }

// whyTimed is why wall-clock times cannot be judged.
const whyTimed = "It is wall-clock time, on eight cores, which is not in results. Their loop and both " +
	"barriers are benchmarks here, which `bench/threads/run.sh` draws like Figs. 3.1 to 3.3; " +
	"`docs/performance.md` says what can be told on two cores."
