package reproduce

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/cli/figures"
	"jitterfly/internal/units"
)

var paper000 = Paper{
	ID:      "000",
	Title:   "A proposal and evaluation of all-to-all algorithm for multi-core PC cluster systems",
	Authors: "Naruse, Nakashima, Sumimoto and Kumon",
	Venue:   "2010, in Japanese; claims are translated here",
	Cost:    "4 s on two cores of an Intel Xeon at 2.5 GHz",
	Assumptions: []string{
		"They measured a cluster. In the model remain a server's 2000 MB/s divided among its " +
			"processes, and head-of-line blocking by the factor of their section 3.6, in the steps in which " +
			"all messages leave their servers (3.4).",
		"What a step takes besides its bytes is not given, nor how fast processes of one server " +
			"exchange theirs: 30 µs and 1 GB/s are assumed. With these two send-side aggregation is as " +
			"fast as the 2-level ring at 30 kB, and as the ring at 1 MB, as measured; so neither is " +
			"evidence. Other values give much the same rings.",
		"Numbers of processes on a server between 1 and 8 are taken as 1, 2, 4 and 8, those of servers " +
			"as every fourth.",
		"Of the figures only captions and text are known to us, which have few of their values: " +
			"*stated* marks what the text says about a figure.",
		"Noise of their machine is not known, and there is none here.",
	},
	Studies: []Study{
		{Name: "processes-1"}, {Name: "processes-2"}, {Name: "processes-4"}, {Name: "processes-8"},
		{Name: "aggregation"}, {Name: "npb"}, {Name: "queue"}, {Name: "process-1"}, {Name: "process-8"},
		{Name: "fat-trees"},
	},
	Figures: []Figure{
		{Name: "fig03", Caption: "Figure 3: the ring over servers, 1 MB", Draw: rates000("a2a-ring")},
		{
			Name:    "fig10",
			Caption: "Figure 10: and the 2-level ring",
			SameRow: true,
			Draw:    rates000("a2a-ring", "a2a-2level"),
		},
		{
			Name:    "fig04",
			Caption: "Figures 4 and 6: steps of the ring, 8 servers of 8 processes",
			Draw:    steps000("a2a-ring", "formula", "queue"),
		},
		{
			Name:    "fig09",
			Caption: "Figure 9: steps of the 2-level ring",
			SameRow: true,
			Draw:    steps000("a2a-2level", "2-level, 8"),
		},
		{
			Name:    "fig11",
			Caption: "Figure 11: over messages, 24 servers",
			Draw:    messages000([]int64{1, 2, 4, 8}, "a2a-ring", "a2a-2level"),
		},
		{
			Name:    "fig12",
			Caption: "Figure 12: and send-side aggregation, 24 servers of 8 processes",
			SameRow: true,
			Draw:    messages000([]int64{8}, "a2a-ring", "a2a-2level", "a2a-sa"),
		},
	},
	Claims: slices.Concat(rings000, sizes000, claims(runs000), related000),
}

// The values of the studies' axes.
var (
	servers000   = []int64{4, 8, 12, 16, 20, 24}
	processes000 = []int64{1, 2, 4, 8}
	bytes000     = []int64{10e3, 20e3, 50e3, 100e3, 200e3, 500e3, 1e6}
)

// A shape000 is a key of the configurations of both rings.
type shape000 struct {
	collective                string
	servers, processes, bytes int64
}

// shapes000 returns the configurations of all numbers of processes.
func shapes000(r *Results) map[shape000]*Config {
	all := map[shape000]*Config{}
	for _, n := range processes000 {
		for k, c := range find(r.Of(fmt.Sprintf("processes-%d", n)), func(c *Config) shape000 {
			return shape000{c.Collective, c.Nodes, c.RanksPerNode, c.Bytes}
		}) {
			all[k] = c
		}
	}
	return all
}

// rate returns the rate [MB/s] at which each node receives from others in an all-to-all.
func rate(c *Config) float64 { return c.T[0].Bandwidth / 1e6 }

// rates returns the rates of 1 MB over all numbers of servers, with some processes on each.
func rates(r *Results, collective string, processes ...int64) []float64 {
	shapes := shapes000(r)
	var rates []float64
	for _, n := range processes {
		for _, s := range servers000 {
			rates = append(rates, rate(shapes[shape000{collective, s, n, 1e6}]))
		}
	}
	return rates
}

// gain000 returns the relative gain of the 2-level ring's rate over the ring's.
func gain000(shapes map[shape000]*Config, servers, processes, bytes int64) float64 {
	ring := shapes[shape000{"a2a-ring", servers, processes, bytes}]
	levels := shapes[shape000{"a2a-2level", servers, processes, bytes}]
	return rate(levels)/rate(ring) - 1
}

// percent returns a share as a percentage.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// largest000 returns a function for the rate of the largest system, 24 servers of 8 processes.
func largest000(collective string) func(r *Results) float64 {
	return func(r *Results) float64 {
		return rate(shapes000(r)[shape000{collective, 24, 8, 1e6}])
	}
}

// against compares a number with one that was measured.
func against(
	published float64, format string, of func(r *Results) float64,
) func(*Results) (string, Verdict) {
	return func(r *Results) (string, Verdict) {
		v := of(r)
		return fmt.Sprintf(format, v), near(v, v, published)
	}
}

// rates000 draws the rates of rings over servers.
func rates000(collectives ...string) func(r *Results, name string) figures.Figure {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: "Bandwidth of a server, by its processes; 1 MB",
			X:     figures.ChartAxis{Name: "servers", Linear: true, Whole: true},
			Y:     figures.ChartAxis{Name: "MB/s", Linear: true, To: 2000},
		}
		for i, collective := range collectives {
			for j, n := range processes000 {
				l := figures.Line{
					Label:  label000(collective, n),
					Y:      rates(r, collective, n),
					Dashed: i > 0,
					Color:  j + 1,
					Dots:   true,
				}
				for _, s := range servers000 {
					l.X = append(l.X, float64(s))
				}
				chart.Lines = append(chart.Lines, l)
			}
		}
		return chart.Figure(name)
	}
}

// label000 returns the name of a line: the algorithm and the number of processes on a server.
func label000(collective string, processes int64) string {
	name := map[string]string{"a2a-ring": "ring", "a2a-2level": "2-level", "a2a-sa": "SA"}[collective]
	return fmt.Sprintf("%s, %d", name, processes)
}

// messages000 draws the rates of 24 servers over lengths of messages.
func messages000(
	processes []int64, collectives ...string,
) func(r *Results, name string) figures.Figure {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: "Bandwidth of a server, by its processes; 24 servers",
			X:     figures.ChartAxis{Name: "message (kB)", Dimension: units.Number},
			Y:     figures.ChartAxis{Name: "MB/s", Linear: true, To: 2000},
		}
		shapes := shapes000(r)
		for i, collective := range collectives {
			for j, n := range processes {
				l := figures.Line{
					Label:  label000(collective, n),
					Dashed: i > 0 && len(processes) > 1,
					Color:  j + 1,
					Dots:   true,
				}
				if len(processes) == 1 {
					l.Color = i + 1
				}
				for _, bytes := range bytes000 {
					l.X = append(l.X, float64(bytes)/1e3)
					l.Y = append(l.Y, rate(shapes[shape000{collective, 24, n, bytes}]))
				}
				chart.Lines = append(chart.Lines, l)
			}
		}
		return chart.Figure(name)
	}
}

// steps000 draws the times of the steps of an all-to-all, blocked by the formula and, if there is
// a second label, by queues with memory.
func steps000(collective string, labels ...string) func(r *Results, name string) figures.Figure {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: "Time of each step, of step 8",
			X:     figures.ChartAxis{Name: "step", Linear: true, Whole: true},
			Y:     figures.ChartAxis{Name: "relative time", Linear: true, To: 1.5},
		}
		for i, label := range labels {
			l := figures.Line{Label: label, Color: i + 1, Dashed: i > 0, Y: stepsOf(r, collective)}
			if i > 0 {
				l.Y = relative(queued000(r, shape000{collective, 8, 8, 1e6}))
			}
			for step := range l.Y {
				l.X = append(l.X, float64(step+1))
			}
			_, most := extremes(l.Y)
			chart.Y.To = math.Max(chart.Y.To, most)
			chart.Lines = append(chart.Lines, l)
		}
		return chart.Figure(name)
	}
}

// stepsOf returns the times of an all-to-all's steps on 8 servers of 8 processes, relative to
// step 8.
func stepsOf(r *Results, collective string) []float64 {
	return relative(shapes000(r)[shape000{collective, 8, 8, 1e6}])
}

// relative returns the times of the steps of a configuration, relative to step 8.
func relative(c *Config) []float64 {
	times := steps(c)
	first := times[7]
	for i := range times {
		times[i] /= first
	}
	return times
}

// queued000 returns the configuration of a shape that is blocked by queues with memory.
func queued000(r *Results, shape shape000) *Config {
	return find(r.Of("queue"), func(c *Config) shape000 {
		return shape000{c.Collective, c.Nodes, c.RanksPerNode, c.Bytes}
	})[shape]
}
