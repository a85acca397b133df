package reproduce

import (
	"fmt"
	"math"

	"jitterfly/cli/figures"
)

// paper002 proposes an order of the messages of an all-to-all on meshes and tori, and measures
// it in a simulator of flits.
var paper002 = Paper{
	ID: "002",
	Title: "Evaluation of optimal all-to-all communication algorithm on mesh network and torus " +
		"network",
	Authors: "Takaue, Yazaki, Ajima, Shimizu and Ishihata",
	Venue: "IPSJ SIG Technical Report 2010-HPC-126 No. 15, 2010, in Japanese; claims are " +
		"translated here",
	Cost: "40 s",
	Assumptions: []string{
		"**Flows** stand for flits: each link is shared equally by all messages on it. So there is no " +
			"round-robin that favours those from nearby (their *global unfairness*), no virtual channel " +
			"and no buffer. A number of their simulator holds if ours is within 10 % of it.",
		"**Latency** is theirs: messages of 100 flits, a cycle for each router on the way and for each " +
			"end.",
		"**Out of step.** In routers packets wait for each other by chance. Flows that should be at " +
			"once are, and the particular order then stays for good, though a relative change of 10^−12 " +
			"gives another time on meshes, and on tori without synchronisation too. " +
			"So events of 1 ps, a millionth of a message, one in every 10 µs of each message's transit, " +
			"break it. Times are the mean of eight trials with intervals of 95 %, and averages are over " +
			"the sides 5, 7, … 17.",
		"**Readings** of their algorithms: N is the side; \"x ≠ 0 and y ≠ 0\" in A2AND means *or*; in " +
			"step 2 of A2AT j < i, as the diagonals are step 1's.",
		"**Several controllers with local synchronisation**, which the text leaves open: a node begins " +
			"the next group of as many messages when all of this one have been sent and received.",
		"Of the figures only captions and text are known to us, which have few of their values: " +
			"*stated* marks what the text says about a figure.",
	},
	Studies: []Study{{Name: "theory"}, {Name: "mesh"}, {Name: "torus"}},
	Figures: []Figure{
		{
			Name: "fig03",
			Caption: "Figures 3 and 4: one controller, without synchronisation (flows have no virtual " +
				"channels)",
			Draw: lines002("NCT 1, without synchronisation", pairs002("none")),
		},
		{
			Name:    "fig05",
			Caption: "Figure 5: one controller, with local synchronisation",
			SameRow: true,
			Draw:    lines002("NCT 1, with local synchronisation", pairs002("local")),
		},
		{
			Name:    "fig07",
			Caption: "Figure 7: A2AT with 2 and 4 controllers",
			Draw:    lines002("A2AT with NCT 2 and 4", several002),
		},
	},
	Claims: append(theory002, flits002...),
}

// sides002 are the sides of the grids.
var sides002 = []int{5, 7, 9, 11, 13, 15, 17}

// A grid002 is a key of the configurations of one side.
type grid002 struct {
	kind, collective string
	controllers      int64
	sync             string
}

// theory returns the time [s] of A2AT with one controller by table 1.
func theory(side int) float64 {
	k := float64(side)
	return k * (k + 1) * (k - 1) / 3 * 1e-6
}

// A timing is the mean time of trials, relative to the theory, with its confidence interval.
type timing struct{ mean, low, high float64 }

// of returns the ratio of two timings, whose errors are independent.
func (t timing) of(u timing) timing {
	half := math.Hypot((t.high-t.low)/2/t.mean, (u.high-u.low)/2/u.mean)
	return timing{t.mean / u.mean, t.mean / u.mean * math.Exp(-half), t.mean / u.mean * math.Exp(half)}
}

// timings returns the timings of a study on all sides.
func timings(configs []Config, g grid002) []timing {
	type place struct {
		topology string
		grid002
	}
	found := find(configs, func(c *Config) place {
		return place{c.Topology, grid002{g.kind, c.Collective, c.Controllers, c.Sync}}
	})
	var times []timing
	for _, side := range sides002 {
		m := found[place{fmt.Sprintf("%s:%dx%d", g.kind, side, side), g}].T[0]
		unit := theory(side)
		times = append(times, timing{m.Mean / unit, m.Low / unit, m.High / unit})
	}
	return times
}

// routed returns the timings with latency, on all sides.
func routed(r *Results, g grid002) []timing { return timings(r.Of(g.kind), g) }

// mid returns the average of timings. Its interval is the widest possible, as if their errors
// were the same.
func mid(times ...timing) timing {
	var t timing
	n := float64(len(times))
	for _, u := range times {
		t.mean, t.low, t.high = t.mean+u.mean/n, t.low+u.low/n, t.high+u.high/n
	}
	return t
}

// ratios returns the ratios of timings to others.
func ratios(times, others []timing) []timing {
	all := make([]timing, len(times))
	for i := range times {
		all[i] = times[i].of(others[i])
	}
	return all
}

// means returns the means of timings.
func means(times []timing) []float64 {
	all := make([]float64, len(times))
	for i, t := range times {
		all[i] = t.mean
	}
	return all
}

// String returns the mean with its interval.
func (t timing) String() string {
	if t.high-t.low < 0.001*t.mean {
		return fmt.Sprintf("%.3f", t.mean)
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", t.mean, t.low, t.high)
}

// pairs002 returns both algorithms on both grids, with one controller.
func pairs002(sync string) []grid002 {
	return []grid002{
		{"torus", "a2at", 1, sync}, {"torus", "a2and", 1, sync},
		{"mesh", "a2at", 1, sync}, {"mesh", "a2and", 1, sync},
	}
}

// several002 are A2AT with several controllers.
var several002 = []grid002{
	{"torus", "a2at", 2, "none"}, {"torus", "a2at", 4, "none"}, {"mesh", "a2at", 2, "none"},
	{"torus", "a2at", 2, "local"}, {"torus", "a2at", 4, "local"}, {"mesh", "a2at", 2, "local"},
}

// lines002 draws timings over the sides.
func lines002(title string, grids []grid002) func(r *Results, name string) figures.Figure {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: title,
			X:     figures.ChartAxis{Name: "side", Linear: true, Whole: true, From: 4, To: 18},
			Y:     figures.ChartAxis{Name: "time / N(N+1)(N−1)/3", Linear: true, To: 1.4},
		}
		for i, g := range grids {
			l := figures.Line{Label: name002(g, len(grids) == 4), Dots: true, Dashed: i%2 == 1}
			if len(grids) == 4 {
				l.Color = i/2 + 1
			} else {
				l.Dashed, l.Color = g.sync == "local", i%3+1
			}
			for k, t := range routed(r, g) {
				l.X, l.Y = append(l.X, float64(sides002[k])), append(l.Y, t.mean)
				l.Low, l.High = append(l.Low, t.low), append(l.High, t.high)
			}
			chart.Lines = append(chart.Lines, l)
		}
		return chart.Figure(name)
	}
}

// name002 returns the name of a line: its algorithm, or its controllers and synchronisation.
func name002(g grid002, algorithms bool) string {
	if algorithms {
		return map[string]string{"a2at": "A2AT", "a2and": "A2AND"}[g.collective] + ", " + g.kind
	}
	sync := ""
	if g.sync == "local" {
		sync = ", local"
	}
	return fmt.Sprintf("%s, NCT %d%s", g.kind, g.controllers, sync)
}
