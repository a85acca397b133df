package reproduce

import (
	"fmt"
	"math"
	"slices"

	"jitterfly/cli/figures"
	"jitterfly/internal/units"
)

// paper001 receives messages by interrupts instead of polling sockets.
var paper001 = Paper{
	ID: "001",
	Title: "The design and implementation of asynchronous communication mechanism for MPI " +
		"communication model",
	Authors: "Matsuda, Ishikawa, Kudoh and Tezuka",
	Venue:   "2004, in Japanese; claims are translated here",
	Cost:    "10 s on two cores of an Intel Xeon at 2.5 GHz",
	Assumptions: []string{
		"They measured a cluster of 16 nodes, and two of them with connections to a third. Here a rank " +
			"of an all-to-all ring receives from one of its connections at a time, so that its rate is " +
			"the bandwidth of one connection among so many.",
		"Theirs: 941 Mbit/s, 0.5 µs to poll a connection, two polls a message, buffers of 128 KiB. Not " +
			"given, and assumed: 50 µs of latency, 1 µs of an interrupt, 2 GB/s to copy what came too " +
			"early.",
		"Axes of figure 6 are taken as the length of messages and, by lines, the number of " +
			"connections; its values are not in the text.",
		"TCP has at most a window out that the receiver has not read, and polls go on while a message " +
			"flows. How far windows had opened is not given, and decides how long a message stalls.",
		"Of the NAS benchmarks only IS can be simulated: Class A as iterations of computing and an " +
			"all-to-all of 128 KiB, where computing takes what the rate with O2G leaves.",
		"Of the figures only captions and text are known to us, which have few of their values: " +
			"*stated* marks what the text says about a figure.",
	},
	Studies: []Study{
		{Name: "bandwidth"}, {Name: "select"}, {Name: "is"}, {Name: "imbalance", KeepTrials: true}, {Name: "overlap"},
	},
	Figures: []Figure{
		{
			Name:    "fig06-sockets",
			Caption: "Figure 6: bandwidth by the number of connections, sockets",
			Draw:    bandwidth001("polling", "Sockets, by the number of connections"),
		},
		{
			Name:    "fig06-o2g",
			Caption: "Figure 6: O2G; all lines are one",
			SameRow: true,
			Draw:    bandwidth001("async", "O2G, by the number of connections"),
		},
		{Name: "fig07", Caption: "Figure 7: what a poll takes", Draw: select001},
		{
			Name:    "fig05",
			Caption: "Figure 5, IS only: O2G against sockets, by the window of TCP",
			SameRow: true,
			Draw:    is001,
		},
	},
	Claims: claims001,
}

// The values of the studies' axes.
var (
	connections001 = []int64{1, 10, 100, 500, 1000}
	lengths001     = []int64{1e3, 3e3, 10e3, 30e3, 100e3, 300e3, 1e6, 3e6}
	polled001      = []int64{1, 100, 200, 400, 600, 800, 1000}
	windows001     = []int64{1460, 2920, 5840, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10}
)

// A host001 is a key of the configurations of figure 6.
type host001 struct {
	progress           string
	connections, bytes int64
}

// bandwidths returns the rates [MB/s] of figure 6 by the number of connections.
func bandwidths(r *Results, progress string, bytes int64) []float64 {
	hosts := find(r.Of("bandwidth"), func(c *Config) host001 {
		return host001{c.Progress, c.Ranks - 1, c.Bytes}
	})
	var all []float64
	for _, n := range connections001 {
		all = append(all, rate(hosts[host001{progress, n, bytes}]))
	}
	return all
}

// polls returns the time [s] of one poll by the number of connections.
func polls(r *Results) []float64 {
	type poll struct{ connections, polls int64 }
	found := find(r.Of("select"), func(c *Config) poll { return poll{c.Ranks - 1, c.Polls} })
	var all []float64
	for _, n := range polled001 {
		all = append(all, (found[poll{n, 2}].T[0].Mean-found[poll{n, 1}].T[0].Mean)/float64(n))
	}
	return all
}

// hosted returns the configurations of a study by the way of reception and one more value.
func hosted(r *Results, study string, by func(*Config) int64) map[host001]*Config {
	return find(r.Of(study), func(c *Config) host001 {
		return host001{progress: c.Progress, bytes: by(c)}
	})
}

// isGains returns the speed-up of IS by O2G, by the window.
func isGains(r *Results) []float64 {
	found := hosted(r, "is", func(c *Config) int64 { return c.Window })
	o2g := found[host001{progress: "async"}].T[0].Mean
	var all []float64
	for _, w := range windows001 {
		all = append(all, found[host001{progress: "polling", bytes: w}].T[0].Mean/o2g)
	}
	return all
}

// isGain returns the speed-up of IS by O2G with a window.
func isGain(r *Results, window int64) float64 {
	return isGains(r)[slices.Index(windows001, window)]
}

// losses001 returns how many times as long iterations of an unequal program take with O2G as over
// sockets.
func losses001(r *Results, collective string) []estimate {
	type program struct {
		collective, progress string
		bytes                int64
		imbalance            float64
	}
	found := find(r.Of("imbalance"), func(c *Config) program {
		return program{c.Collective, c.Progress, c.Bytes, c.Imbalance}
	})
	var losses []estimate
	for _, bytes := range []int64{10e3, 100e3, 1e6} {
		for _, imbalance := range []float64{0.05, 0.2, 0.5} {
			o2g := found[program{collective, "async", bytes, imbalance}]
			sockets := found[program{collective, "polling", bytes, imbalance}]
			losses = append(losses, paired(o2g.Trials[0], sockets.Trials[0]))
		}
	}
	return losses
}

// slower counts losses above 1.
func slower(losses []estimate) (n int) {
	for _, loss := range losses {
		if loss.mean > 1 {
			n++
		}
	}
	return n
}

// hidden returns which share of the time of an all-to-all is hidden behind computing.
func hidden(r *Results, progress string, window int64) float64 {
	type overlapped struct {
		progress, overlap string
		window            int64
	}
	found := find(r.Of("overlap"), func(c *Config) overlapped {
		return overlapped{c.Progress, c.Overlap, c.Window}
	})
	before, both := found[overlapped{progress, "none", window}], found[overlapped{progress, "all", window}]
	return (before.T[0].Mean - both.T[0].Mean) / (before.T[0].Mean - before.Compute)
}

// bandwidth001 draws one part of figure 6.
func bandwidth001(progress, title string) func(r *Results, name string) figures.Figure {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: title,
			X:     figures.ChartAxis{Name: "message (kB)", Dimension: units.Number},
			Y:     figures.ChartAxis{Name: "MB/s", Linear: true, To: 120},
		}
		for i, n := range connections001 {
			l := figures.Line{Label: fmt.Sprintf("%d", n), Dots: true}
			for _, bytes := range lengths001 {
				l.X, l.Y = append(l.X, float64(bytes)/1e3), append(l.Y, bandwidths(r, progress, bytes)[i])
			}
			chart.Lines = append(chart.Lines, l)
		}
		return chart.Figure(name)
	}
}

// select001 draws figure 7.
func select001(r *Results, name string) figures.Figure {
	l := figures.Line{Label: "one poll of all", Dots: true}
	for i, seconds := range polls(r) {
		l.X, l.Y = append(l.X, float64(polled001[i])), append(l.Y, 1e6*seconds)
	}
	return figures.Chart{
		Title: "Time of a poll",
		X:     figures.ChartAxis{Name: "connections", Linear: true},
		Y:     figures.ChartAxis{Name: "µs", Linear: true},
		Lines: []figures.Line{l},
	}.Figure(name)
}

// is001 draws the part of figure 5 that can be simulated.
func is001(r *Results, name string) figures.Figure {
	l := figures.Line{Label: "O2G, of the speed of sockets", Dots: true}
	for i, times := range isGains(r) {
		l.X, l.Y = append(l.X, float64(windows001[i])/1024), append(l.Y, times)
	}
	_, most := extremes(l.Y)
	return figures.Chart{
		Title: "IS, Class A, on 16 nodes",
		X:     figures.ChartAxis{Name: "window (KiB)", Dimension: units.Number},
		Y:     figures.ChartAxis{Name: "relative performance", Linear: true, To: math.Max(3.5, most)},
		Lines: []figures.Line{l},
	}.Figure(name)
}
