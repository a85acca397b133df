package reproduce

import (
	"fmt"
	"slices"

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
	Cost: "under five minutes on two cores of a server, and about 20 with `--full`",
	Assumptions: []string{
		"**Packets** are simulated flit by flit ([packets.md](packets.md)), as in their simulator, " +
			"BookSim: packets of 100 flits, two virtual channels with buffers of 20 flits, or what " +
			"a figure has, a cycle for a link or a credit, one flit of an input port in a cycle. " +
			"Claims are judged on packets; what **flows** say, which " +
			"share links equally and have no channels and no buffers, stands beside it.",
		"**Means.** Single simulations are chaotic: a start that is a tenth of a message later changes " +
			"them by a percent. Nodes start at times drawn from a tenth of a message; times are means of " +
			"six trials, at sides 13 and 17 of two or three, with intervals of 95 %. Side 15 and more trials " +
			"are for `--full`. Flows keep step, so that events of 1 ps, a millionth of a message, break " +
			"it; they have all sides.",
		"**Local synchronisation** is read as `local-count`: a node sends its message of phase p when it " +
			"has received as many messages as there were phases, whichever those are. Waiting for the " +
			"messages of all earlier phases (`local`) makes tori and meshes 4 to 6 % slower in Figure 5 " +
			"and 11 % in Figure 7, where four controllers are then faster than two.",
		"**Figure 7** is read as with synchronisation where it gives 1.18 on meshes and 1.28 on tori: " +
			"their mean is the 1.23 that is stated for that.",
		"**Figure 3.** 289 channels stand for as many as nodes at all sides, since those that no packet " +
			"takes change nothing.",
		"**Readings** of their algorithms: N is the side; \"x ≠ 0 and y ≠ 0\" in A2AND means *or*; in " +
			"step 2 of A2AT j < i, as the diagonals are step 1's.",
		"Of the figures only captions and text are known to us, which have few of their values: " +
			"*stated* marks what the text says about a figure.",
	},
	Studies: []Study{
		{Name: "theory"},
		{Name: "mesh"},
		{Name: "torus"},
		{Name: "few", Full: more002},
		{Name: "few-large", Full: large002},
		{Name: "many", Full: more002},
		{Name: "many-large", Full: large002},
		{Name: "crossbar", Full: more002},
		{Name: "controllers", Full: more002},
		{Name: "controllers-large", Full: large002},
		{Name: "four-large", Full: []string{
			"trials=8", "topology=torus:13x13,torus:15x15,torus:17x17",
		}},
		{Name: "strict", Full: more002},
		{Name: "buffers", Full: more002},
		{Name: "buffers-large", Full: []string{
			"packet.buffer=50,100,200,300,400,600,800,1000", "sync=none,local-count,local",
		}},
	},
	Figures: []Figure{
		{
			Name: "fig03",
			Caption: "Figure 3: a virtual channel for each destination, buffers of 2 flits, one controller, " +
				"without synchronisation",
			Draw: lines002("V = destinations, B = 2, without synchronisation", pairs002(many002, "none")),
		},
		{
			Name:    "fig04",
			Caption: "Figure 4: two virtual channels, one controller, without synchronisation",
			SameRow: true,
			Draw:    lines002("V = 2, B = 20, without synchronisation", pairs002(few002, "none")),
		},
		{
			Name:    "fig05",
			Caption: "Figure 5: two virtual channels, one controller, with local synchronisation",
			Draw:    lines002("V = 2, B = 20, with local synchronisation", pairs002(few002, "local")),
		},
		{
			Name: "fig06",
			Caption: "Figure 6: A2AT on tori over the length of buffers; local is local-count, and " +
				"strict waits for all earlier phases",
			SameRow: true,
			Draw:    buffers002,
		},
		{
			Name:    "fig07",
			Caption: "Figure 7: A2AT with 2 and 4 controllers, buffers of 200 flits",
			Draw:    lines002("A2AT with NCT 2 and 4, B = 200", several002(deep002)),
		},
		{
			Name:    "flows",
			Caption: "What flows say: Figures 5 and 7",
			SameRow: true,
			Draw: lines002("Flows, A2AT", append(several002(flows002),
				grid002{flows002, "torus", "a2at", 1, "local"}, grid002{flows002, "mesh", "a2at", 1, "local"})),
		},
	},
	Claims: slices.Concat(theory002, flits002, controllers002),
}

// more002 are more trials, and large002 the sides from 13 with more trials.
var (
	more002  = []string{"trials=30"}
	large002 = []string{
		"trials=8",
		"topology=mesh:13x13,mesh:15x15,mesh:17x17,torus:13x13,torus:15x15,torus:17x17",
	}
)

// pairs002 returns both algorithms on both grids, with one controller.
func pairs002(e engine002, sync string) []grid002 {
	return []grid002{
		{e, "torus", "a2at", 1, sync}, {e, "torus", "a2and", 1, sync},
		{e, "mesh", "a2at", 1, sync}, {e, "mesh", "a2and", 1, sync},
	}
}

// several002 are A2AT with several controllers.
func several002(e engine002) []grid002 {
	return []grid002{
		{e, "torus", "a2at", 2, "none"}, {e, "torus", "a2at", 4, "none"}, {e, "mesh", "a2at", 2, "none"},
		{e, "torus", "a2at", 2, "local"}, {e, "torus", "a2at", 4, "local"},
		{e, "mesh", "a2at", 2, "local"},
	}
}

// lines002 draws timings over the sides.
func lines002(title string, grids []grid002) func(r *Results, name string) figures.Figure {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: title,
			X:     figures.ChartAxis{Name: "side", Linear: true, Whole: true, From: 4, To: 18},
			Y:     figures.ChartAxis{Name: "time / N(N+1)(N−1)/3", Linear: true},
		}
		for i, g := range grids {
			l := figures.Line{Label: name002(g, len(grids) == 4), Dots: true, Dashed: i%2 == 1}
			if len(grids) == 4 {
				l.Color = i/2 + 1
			} else {
				l.Dashed, l.Color = g.sync == "local", i%3+1
				if g.controllers == 1 {
					l.Color = i - 2
				}
			}
			times := simulated(r, g)
			for _, side := range times.sides() {
				l.X, l.Y = append(l.X, float64(side)), append(l.Y, times[side].mean)
				l.Low, l.High = append(l.Low, times[side].low), append(l.High, times[side].high)
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

// lengths002 are the lengths of buffers [flits] of Figure 6, of which not all sides have all.
var lengths002 = []int64{20, 50, 100, 200, 300, 400, 600, 800, 1000}

// overBuffers returns the timings of A2AT with one controller on a torus over the length of
// buffers.
func overBuffers(r *Results, side int, sync string) map[int64]estimate {
	times := map[int64]estimate{}
	for _, length := range lengths002 {
		g := grid002{engine002{channels: 2, buffer: length}, "torus", "a2at", 1, sync}
		if t, ok := simulated(r, g)[side]; ok {
			times[length] = t
		}
	}
	return times
}

// buffers002 draws timings over the length of buffers.
func buffers002(r *Results, name string) figures.Figure {
	chart := figures.Chart{
		Title: "A2AT on tori, V = 2",
		X:     figures.ChartAxis{Name: "flits of a buffer", Whole: true},
		Y:     figures.ChartAxis{Name: "time / N(N+1)(N−1)/3", Linear: true},
	}
	for i, g := range []struct {
		side int
		sync string
	}{{11, "none"}, {11, "local"}, {11, "strict"}, {17, "none"}, {17, "local"}} {
		l := figures.Line{
			Label: fmt.Sprintf("side %d, %s", g.side, g.sync), Dots: true, Dashed: g.side == 17,
			Color: i%3 + 1,
		}
		times := overBuffers(r, g.side, g.sync)
		for _, length := range lengths002 {
			if t, ok := times[length]; ok {
				l.X, l.Y = append(l.X, float64(length)), append(l.Y, t.mean)
				l.Low, l.High = append(l.Low, t.low), append(l.High, t.high)
			}
		}
		chart.Lines = append(chart.Lines, l)
	}
	return chart.Figure(name)
}
