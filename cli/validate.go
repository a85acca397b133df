package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	machine "jitterfly/cli/noise"
	"jitterfly/internal/units"
	"jitterfly/noise"
	"jitterfly/noise/measured/formats"
)

type validateOptions struct {
	format, out, profile string
	tolerance            float64
	trials               int
	seed                 uint64
}

// validateCommand returns the command validate.
func validateCommand() *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate FILE",
		Short: "Compare measured allreduces with simulated ones",
		Long: `Validate reads what the benchmark of the MPI library measured (mpi/bench), simulates the same
operations under the same noise, and prints by how much the mean and the quantiles differ, with 95%
confidence intervals. A predicted time is a measured time without noise plus a simulated delay. The
times without noise come from operations measured without injected detours or, in a file without
such operations, from the fastest tenth.

A statistic agrees if the whole interval of measured/predicted is within the tolerance, and differs
if the whole interval is outside; the exit code is then 1. Other statistics need more operations.

Of loops of computing and allreduces it also prints what redundancy saves, on average and in one loop
(10% to 90% of loops), since phases of detours last for a whole loop.`,
		Example: `  jitterfly research validate bench.csv
  jitterfly research validate bench.csv --tolerance 0.05 --out bench.svg
  jitterfly research validate machine.csv --noise node17.yaml --format csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
	}
	f := command.Flags(cmd)
	command.Share(f, &o.tolerance, "tolerance", 0.1,
		"maximum relative difference of measured and predicted times")
	f.StringVar(&o.profile, "noise", "",
		"`profile` or preset of the machine's own noise")
	f.IntVar(&o.trials, "trials", 20000, "simulated operations of each kind, or iterations")
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	f.StringVarP(&o.out, "out", "o", "", "`file` of a picture of the distributions: .svg, .png or .pdf [none]")
	command.Format(cmd, &o.format, "format of the output", validationPrinters.Names())
	command.Complete(cmd, "out", command.FilesOf(figures.Formats()...))
	command.Complete(cmd, "noise", command.FilesOf("yaml", "yml"))
	cmd.ValidArgsFunction = command.First(1, command.FilesOf("csv"))
	return cmd
}

func (o *validateOptions) run(cmd *cobra.Command, name string) error {
	if err := o.check(); err != nil {
		return err
	}
	bench, err := readBench(name)
	if err != nil {
		return err
	}
	os, network, err := o.noise(name, bench, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	p := predictor{bench, os, network, o.trials, o.seed}
	v, err := validate(cmd.Context(), p, o.tolerance)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := validationPrinters[o.format](cmd.OutOrStdout(), v); err != nil {
		return command.Failure(err)
	}
	if o.out != "" {
		f := v.figure(filepath.Base(name))
		if err := f.Write(o.out); err != nil {
			return command.Failure(err)
		}
	}
	if n := v.count(differs); n > 0 {
		return command.Failure(fmt.Errorf("%d of %d statistics of %s differ from the prediction by more "+
			"than %s", n, len(v.rows), name, output.Level(o.tolerance)))
	}
	return nil
}

// check fails if one of the flags is wrong, or the picture cannot replace what has its name.
func (o *validateOptions) check() error {
	switch {
	case !(o.tolerance > 0):
		return fmt.Errorf("--tolerance: %s is not above 0%%", output.Level(o.tolerance))
	case o.trials < 100:
		return fmt.Errorf("--trials: %d are too few; write at least 100", o.trials)
	case o.out == "":
		return nil
	case !slices.Contains(figures.Formats(), strings.TrimPrefix(filepath.Ext(o.out), ".")):
		return fmt.Errorf("--out: %s does not end in .%s", o.out,
			strings.Join(figures.Formats(), ", ."))
	}
	return figures.Replaceable(o.out)
}

func readBench(name string) (*formats.Bench, error) {
	m, err := machine.ReadMeasured(name, os.Stdin, -1)
	if errors.Is(err, formats.ErrFormat) {
		return nil, fmt.Errorf("%s: not a benchmark; validate reads the file that mpi/bench writes with "+
			"--out", name)
	}
	if err != nil {
		return nil, err
	}
	if m.Bench == nil {
		return nil, fmt.Errorf("%s: this is the output of %s; validate reads the output of mpi/bench",
			name, m.Tool)
	}
	return m.Bench, nil
}

// noise returns the noise that the benchmark met, and prints a remark if its profile is edited.
func (o *validateOptions) noise(name string, b *formats.Bench, errs io.Writer,
) (noise.OS, noise.Network, error) {
	start := noise.Synchronized
	if b.Random || b.Machine {
		start = noise.Random
	}
	switch {
	case !b.Machine && o.profile != "":
		return nil, nil, fmt.Errorf("--noise: %s has injected detours, which the file describes; "+
			"leave --noise out", name)
	case !b.Machine:
		os := noise.Periodic{Period: b.Period, Duration: b.Duration, Start: start}
		return os, noise.None{}, nil
	case o.profile == "":
		return nil, nil, errors.New("--noise: " + name + " has the machine's own noise; " +
			"measure the noise with jitterfly measure and name the profile")
	}
	m, os, err := command.Noise(o.profile, start, errs)
	return os, m.Network.Model(), err
}

// validationPrinters are the ways to print a validation, by the values of --format.
var validationPrinters = output.Printers(validationText, validationRows)

func validationText(screen *output.Screen, v *validation) string {
	loops := slices.ContainsFunc(v.rows, func(r validatedRow) bool { return r.Iterations > 0 })
	t := output.Table{}
	t.Axes("bytes", "R", "T")
	if v.leads() {
		t.Axes("leaders")
	}
	if loops {
		t.Axes("iterations", "computing")
	}
	t.Add("statistic", "~without noise", "measured", "predicted", "ratio", "95% interval", "verdict")
	for _, r := range v.rows {
		cells := []any{units.Format(units.Size, r.Bytes, 6), r.Sources, r.Copies}
		if v.leads() {
			cells = append(cells, led(r.Scheme))
		}
		if loops {
			cells = append(cells, r.Iterations, output.Seconds(r.Compute))
		}
		t.Append(append(cells, r.statistic, output.Seconds(r.quiet), output.Seconds(r.measured),
			output.Seconds(r.predicted), fmt.Sprintf("%.3f", r.ratio()),
			fmt.Sprintf("%.3f–%.3f", r.low, r.high), r.verdict)...)
	}
	return screen.Wrap(v.title()+"\n\n") + screen.Table(t) + screen.Wrap("\n"+v.summary()+"\n") +
		screen.Lines(slices.Concat(v.savings(), v.overheads(), v.notes))
}

// leads returns whether operations by leaders are compared.
func (v *validation) leads() bool {
	return slices.ContainsFunc(v.rows, func(r validatedRow) bool { return r.Leaders > 0 })
}

// led returns the cell of a scheme's leaders.
func led(s formats.Scheme) string {
	switch {
	case s.Leaders == 0:
		return "–"
	case s.Share:
		return fmt.Sprintf("%d, share", s.Leaders)
	}
	return strconv.Itoa(s.Leaders)
}

// title says what was measured.
func (v *validation) title() string {
	b := v.bench
	text := fmt.Sprintf("%d ranks", b.Ranks)
	if v.leads() {
		text += fmt.Sprintf(" on nodes of %d", b.RanksPerNode)
	}
	if b.Machine {
		text += ", the noise of the machine"
	} else {
		text += fmt.Sprintf(", detours of %s every %s", output.Seconds(b.Duration), output.Seconds(b.Period))
	}
	if b.Held > 0 {
		text += ", messages delayed by " + output.Seconds(b.Held)
	}
	text += fmt.Sprintf("; α = %s, c = %s", output.Seconds(b.Latency), output.Seconds(b.SendOverhead))
	if v.leads() {
		text += fmt.Sprintf(", %s inside a node", output.Seconds(b.NodeLatency))
	}
	return text + "."
}

func (v *validation) summary() string {
	return fmt.Sprintf("%d of %d statistics agree within %s, %d differ, %d need more operations.",
		v.count(agrees), len(v.rows), output.Level(v.tolerance), v.count(differs), v.count(unresolved))
}

// overheads says how much longer the library takes than the allreduce of MPI without noise.
func (v *validation) overheads() []string {
	if v.bench.Held > 0 {
		return nil // MPI does not hold its own messages
	}
	native := map[work]float64{}
	var lines []string
	for _, g := range groups(v.bench.Operations) {
		noisy, quiet := timesOf(g.operations)
		key := workOf(g.Scheme)
		median := quantile(0.5)(baseline(noisy, quiet))
		switch {
		case g.Sources == 0:
			native[key] = median
		case g.Sources == 1 && g.Copies == 0 && native[key] > 0:
			lines = append(lines, fmt.Sprintf("%s: %s without noise, %.2f× MPI's own allreduce (%s).",
				schemeName(g.Scheme), output.Seconds(median), median/native[key], output.Seconds(native[key])))
		}
	}
	return lines
}

func validationRows(v *validation, _ bool) (header []string, rows output.Rows) {
	var all [][]any
	for _, r := range v.rows {
		saved := v.saved(r.Scheme)
		all = append(all, []any{v.bench.Ranks, r.Bytes, r.Sources, r.Copies, r.Leaders,
			r.Share, r.Iterations, r.Compute, r.operations, r.statistic, r.quiet, r.measured,
			r.predicted, r.ratio(), r.low, r.high, string(r.verdict), saved.mean, saved.measured,
			saved.low, saved.high})
	}
	return []string{"ranks", "bytes", "sources", "redundancy", "leaders", "share", "iterations",
		"compute_s", "operations", "statistic", "quiet_s", "measured_s", "predicted_s", "ratio", "ratio_low",
		"ratio_high", "verdict", "saved_s", "saved_measured_s", "saved_p10_s", "saved_p90_s"}, slices.Values(all)
}

// mostPictured is the number of groups that a picture can distinguish.
const mostPictured = 5

// figure returns a picture of the distributions: which share of the operations takes longer than
// a time, measured and predicted.
func (v *validation) figure(name string) figures.Figure {
	c := figures.Chart{
		Title: "Operations of " + name + " that take longer, measured and (dashed) predicted",
		X:     figures.ChartAxis{Name: "time of an operation", Dimension: units.Time},
		Y:     figures.ChartAxis{Name: "share that takes longer"},
	}
	for i, g := range v.groups[:min(mostPictured, len(v.groups))] {
		for _, of := range []struct {
			sorted []float64
			label  string
		}{{g.noisy, ""}, {g.predicted, ", predicted"}} {
			l := figures.Line{
				Label: fmt.Sprintf("R = %d, T = %d%s, %s%s", g.Sources, g.Copies, leaders(g.Scheme),
					units.Format(units.Size, g.Bytes, 3), of.label),
				Dashed: of.label != "", Color: i,
			}
			l.X, l.Y = tail(of.sorted, len(g.noisy))
			c.Lines = append(c.Lines, l)
		}
	}
	return c.Figure("validation")
}

// tail returns times and the shares of sorted times that exceed them, down to ten of the
// operations.
func tail(sorted []float64, operations int) (times, shares []float64) {
	n := len(sorted)
	for i, points := 0, 200; i < n; i += max(1, n/points) {
		share := float64(n-i) / float64(n)
		if share*float64(operations) < 10 {
			break
		}
		if share < 0.2 {
			points = 5000
		}
		times, shares = append(times, sorted[i]), append(shares, share)
	}
	return times, shares
}
