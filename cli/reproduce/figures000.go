package reproduce

import (
	"fmt"
	"slices"

	"jitterfly/cli/figures"
	"jitterfly/internal/units"
)

// rates000 draws the rates of 1 MB over servers.
func rates000(collectives ...string) drawing {
	return curves000("Bandwidth of a server, by its processes; 1 MB",
		figures.ChartAxis{Name: "servers", Linear: true, Whole: true}, 1, servers000, processes000,
		func(collective string, n, servers int64) shape000 {
			return shape000{collective, servers, n, 1e6}
		}, collectives...)
}

// messages000 draws the rates of 24 servers over lengths of messages.
func messages000(processes []int64, collectives ...string) drawing {
	return curves000("Bandwidth of a server, by its processes; 24 servers",
		figures.ChartAxis{Name: "message (kB)", Dimension: units.Number}, 1e3, bytes000, processes,
		func(collective string, n, bytes int64) shape000 {
			return shape000{collective, 24, n, bytes}
		}, collectives...)
}

// curves000 draws a rate for each algorithm and number of processes over the values of an axis, in
// a unit.
func curves000(
	title string, axis figures.ChartAxis, unit float64, values, processes []int64,
	at func(collective string, processes, value int64) shape000, collectives ...string,
) drawing {
	return func(r *Results, name string) figures.Figure {
		y := figures.ChartAxis{Name: "MB/s", Linear: true, To: 2000}
		chart := figures.Chart{Title: title, X: axis, Y: y}
		for i, collective := range collectives {
			for j, n := range processes {
				l := figures.Line{Label: label000(collective, n), Dots: true, Color: i + 1}
				if len(processes) > 1 {
					l.Dashed, l.Color = i > 0, j+1
				}
				for _, v := range values {
					l.X = append(l.X, float64(v)/unit)
					l.Y = append(l.Y, rate(at(collective, n, v).blocked(r)))
				}
				chart.Lines = append(chart.Lines, l)
			}
		}
		return chart.Figure(name)
	}
}

// label000 returns the name of a line: the algorithm and the number of processes on a server.
func label000(collective string, processes int64) string {
	name := map[string]string{"a2a-ring": "ring", "a2a-levels": "2-level", "a2a-sa": "SA"}[collective]
	return fmt.Sprintf("%s, %d", name, processes)
}

// steps000 draws the times of the steps of an all-to-all, blocked by the formula and, if there is
// a second label, by queues with memory.
func steps000(collective string, labels ...string) drawing {
	return func(r *Results, name string) figures.Figure {
		chart := figures.Chart{
			Title: "Time of each step, of step 8",
			X:     figures.ChartAxis{Name: "step", Linear: true, Whole: true},
			Y:     figures.ChartAxis{Name: "relative time", Linear: true, To: 1.5},
		}
		for i, label := range labels {
			l := figures.Line{Label: label, Color: i + 1, Dashed: i > 0, Y: stepsOf(r, collective)}
			if i > 0 {
				l.Y = relative(r.config("queue", shape000{collective, 8, 8, 1e6}.is))
			}
			for step := range l.Y {
				l.X = append(l.X, float64(step+1))
			}
			chart.Y.To = max(chart.Y.To, slices.Max(l.Y))
			chart.Lines = append(chart.Lines, l)
		}
		return chart.Figure(name)
	}
}
