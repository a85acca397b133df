package noise

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"jitterfly/cli/internal/output"
	"jitterfly/noise"
	"jitterfly/noise/measured"
)

// confidence is the confidence of the spread that is printed.
const confidence = 0.95

func disturbances(r measured.Result) []string {
	var found []string
	for i, c := range r.Cores {
		if c.Full {
			found = append(found, fmt.Sprintf("core %d: more detours than there is memory for; it was "+
				"measured for %s only, a higher --threshold helps", c.ID,
				output.Seconds(r.Trace.Cores[i].Span)))
		}
		if c.Taken > 0 {
			found = append(found, fmt.Sprintf("core %d: the scheduler gave it to other threads %d times, "+
				"for %.2g%% of the time, which is measured as noise", c.ID, c.Taken, 100*c.Shared))
		}
	}
	return found
}

// printMeasurement prints what a measurement saw, and what it could not see.
func printMeasurement(w io.Writer, o measured.Options, r measured.Result) error {
	var b strings.Builder
	loop := "selfish detour loop"
	if o.Quantum > 0 {
		loop = "fixed work quantum of " + output.Seconds(o.Quantum)
	}
	span := 0.0
	for _, c := range r.Trace.Cores {
		span = max(span, c.Span)
	}
	screen := output.ScreenOf(w)
	b.WriteString(screen.Wrap(fmt.Sprintf("Noise of cores %s, %s, %s:\n\n", measured.Cores(o.Cores),
		output.Seconds(span), loop)))
	b.WriteString(screen.Table(cores(r.Trace)))
	b.WriteString(screen.Wrap(fmt.Sprintf("\n± is the %.0f%% interval of the mean over time, from "+
		"%d parts of it.\n\n", confidence*100, noise.Blocks)))
	b.WriteString(screen.Wrap(hidden(r)))
	_, err := io.WriteString(w, b.String())
	return err
}

// cores returns a table with a row for each core, and one for all.
func cores(t noise.Trace) output.Table {
	rows := output.Table{}
	rows.Add(output.Column{}, "core", "overhead %", "±", "events/s")
	rows.Add(output.Column{Spare: 2}, "min")
	rows.Add(output.Column{Spare: 1}, "median")
	rows.Add(output.Column{}, "mean", "p99")
	rows.Add(output.Column{Spare: 3}, "p99.9")
	rows.Add(output.Column{}, "max")
	add := func(name any, t noise.Trace) {
		s := noise.Summarize(t.Lengths())
		rows.Append(name, percent(t.Overhead()), percent(t.Spread(confidence)), fmt.Sprintf("%.4g", t.Rate()),
			output.Seconds(s.Min), output.Seconds(s.Median), output.Seconds(s.Mean),
			output.Seconds(s.P99), output.Seconds(s.P999), output.Seconds(s.Max))
	}
	for _, c := range t.Cores {
		add(c.ID, t.Of(c.ID))
	}
	if len(t.Cores) > 1 {
		add("all", t)
	}
	return rows
}

// percent formats a share in percent, without the sign.
func percent(share float64) string { return fmt.Sprintf("%.3g", share*100) }

// hidden returns two lines on the noise that is too short to be seen.
func hidden(r measured.Result) string {
	first := r.Cores[0]
	loop, step, share := [2]float64{first.Loop, first.Loop}, 0.0, 0.0
	for _, c := range r.Cores {
		loop[0], loop[1] = min(loop[0], c.Loop), max(loop[1], c.Loop)
		step, share = max(step, c.Step), max(share, c.Hidden)
	}
	takes := slices.Compact([]string{output.Seconds(loop[0]), output.Seconds(loop[1])})
	return fmt.Sprintf("Noise shorter than %s is not detected. The loop takes %s, a step of the %s %s, its "+
		"tick is %s.\nNoise of half that length up to it took %s%% of the time of a core at most, and is in "+
		"none of the numbers.\n", output.Seconds(r.Trace.Resolution), strings.Join(takes, " to "),
		r.Clock.Name, output.Seconds(step), output.Seconds(r.Clock.Tick), percent(share))
}
