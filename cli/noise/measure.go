// Package noise has the commands for the noise of machines: measure measures this one, import makes
// a profile of what other tools measured, and presets lists the built-in profiles.
package noise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
	"jitterfly/noise"
	"jitterfly/noise/measured"
	"jitterfly/noise/profile"
)

type measureOptions struct {
	measured.Options // without cores where these are all
	mode, out        string
	remarks
}

// Commands returns the commands.
func Commands() []*cobra.Command {
	return []*cobra.Command{measureCommand(), importCommand(), presetsCommand()}
}

func measureCommand() *cobra.Command {
	o := measureOptions{Options: measured.Options{Duration: 10, Quantum: 1e-3}}
	cmd := &cobra.Command{
		Use:   "measure",
		Short: "Measure this machine's noise",
		Long: `Measure watches cores of this machine, all at the same time: on each a thread reads the
processor's clock without pause. Time between two readings beyond the time of the loop is noise.
Measure prints a summary, writes every detour into a Parquet file, and writes a noise profile
next to it, with the same name and .yaml. It needs Linux, and no privileges.

With --mode fwq each reading follows a fixed amount of work, as long as the quantum. There are
fewer readings, and noise that slows work down without interrupting it is measured too.

Measure all cores that a program would use: system services that find a free core do not
disturb the others. Cores that other programs use for more than a tenth of the time are refused,
since that work is not noise of the system.

A component of the profile whose rate is within 10% of an interrupt's, a softirq's or a thread's,
by the kernel's counters, gets that name, as in "local_timer (likely)".

The overhead's ± is Student's 95% interval from ten parts of the time. Two measurements of
the same noise differ by less than 1.4 times that, 95 times in 100.`,
		Example: `  jitterfly measure --duration 1s
  jitterfly measure --cores 0 --duration 1s --out node17.parquet
  jitterfly sweep --ranks 256 --noise node17.yaml
  srun -N 64 --ntasks-per-node 1 jitterfly measure --quiet --out fleet/
  jitterfly measure --mode fwq --quantum 500us --duration 1s --out fwq.parquet`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.mode != "fwq" {
				if cmd.Flags().Changed("quantum") {
					return errors.New("--quantum is for --mode fwq")
				}
				o.Quantum = 0
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	command.Parsed(f, "cores", "all", "cores to measure, such as 0,2-5, or all that this process may run on",
		o.parseCores)
	command.Parsed(f, "duration", "10s", "duration of the measurement, a day at most", o.parseDuration)
	command.Choice(cmd, &o.mode, "mode", "selfish",
		"work between two readings of the clock, nothing or fixed work", []string{"selfish", "fwq"})
	command.Parsed(f, "quantum", "1ms", "duration of the work without noise",
		quantity(&o.Quantum, units.Time, false))
	command.Parsed(f, "threshold", "auto",
		fmt.Sprintf("shortest noise that is recorded; auto is %d steps of the clock", measured.Steps),
		o.parseThreshold)
	f.StringVarP(&o.out, "out", "o", "trace.parquet",
		"`file` for the detours, or for the profile if it ends in .yaml; neither may exist; in a directory, "+
			"as fleet/, it has the names of the node and the cores")
	f.BoolVar(&o.AllowBusy, "allow-busy", false, "no check whether other programs use the cores")
	f.BoolVar(&o.quiet, "quiet", false, "no progress, no warnings")
	command.Complete(cmd, "out", command.FilesOf("parquet", "yaml"))
	return cmd
}

func (o *measureOptions) parseCores(text string) (err error) {
	if o.Cores = nil; text != "all" {
		o.Cores, err = measured.ParseCores(text)
	}
	return err
}

func (o *measureOptions) parseDuration(text string) error {
	if _, err := units.Parse(units.Number, text); err == nil {
		return fmt.Errorf("%q has no unit; write %ss", text, text)
	}
	if d, err := time.ParseDuration(text); err == nil { // minutes and hours too, as of other durations
		text = fmt.Sprint(d.Seconds(), "s")
	}
	return quantity(&o.Duration, units.Time, true)(text)
}

func (o *measureOptions) parseThreshold(text string) error {
	if o.Threshold = 0; text == "auto" {
		return nil
	}
	return quantity(&o.Threshold, units.Time, false)(text)
}

func (o *measureOptions) run(ctx context.Context, out, errs io.Writer) error {
	allowed, err := measured.Allowed()
	if err != nil {
		return command.Failure(err)
	}
	if o.Cores == nil {
		o.Cores = allowed
	}
	if err := o.Check(allowed); err != nil {
		return err
	}
	if err := o.prepareFiles(); err != nil {
		return err
	}
	o.remark(errs, measured.Warnings(o.Cores)...)
	saved := func() {}
	o.Begun = func() { saved = command.Saving(ctx) } // a signal ends the measurement alone
	result, err := o.measure(ctx, len(o.Cores) == len(allowed), errs)
	defer func() { saved() }()
	if err != nil {
		return refusal(err)
	}
	stopped := !result.Complete && ctx.Err() != nil // not by a signal that comes later
	o.remark(errs, disturbances(result)...)
	digest, err := datasets.WriteTrace(o.traceFile(), datasets.Version, result.Trace)
	if err != nil {
		return command.Failure(err)
	}
	lines, err := o.fit(result, digest)
	if err != nil {
		return err
	}
	if err := printMeasurement(out, o.Options, result, lines); err != nil {
		return command.Failure(err)
	}
	if stopped {
		return command.With(command.Stopped, fmt.Errorf("stopped by a signal; %s has the %s until then",
			o.traceFile(), output.Seconds(result.Trace.Cores[0].Span)))
	}
	o.remark(errs, "wrote the detours to "+o.traceFile()+" and the profile to "+o.profileFile())
	return nil
}

// traceFile returns the name of the file for the detours: --out, or where that is the name of
// the profile, the one beside it.
func (o *measureOptions) traceFile() string {
	if o.out == o.profileFile() {
		return withEnding(o.out, traceEnding)
	}
	return o.out
}

func (o *measureOptions) profileFile() string {
	if filepath.Ext(o.out) == ".yml" {
		return o.out
	}
	return withEnding(o.out, ".yaml")
}

// refusal returns the error of a measurement with the code to exit with.
func refusal(err error) error {
	switch {
	case errors.Is(err, measured.ErrNothing):
		return command.With(command.Stopped, err)
	case errors.Is(err, measured.ErrBusy):
		return fmt.Errorf("%w; --allow-busy measures the core anyway", err)
	case errors.Is(err, measured.ErrSaturated):
		return err
	}
	return command.Failure(err)
}

// measureTool is the name of this command in profiles.
const measureTool = "jitterfly measure"

// fit writes the profile of a measurement, whose trace is in a file with the digest, and returns lines that
// say what it consists of.
func (o *measureOptions) fit(r measured.Result, digest string) (lines []string, err error) {
	p := measured.FitTrace(r.Trace, baseName(o.out))
	tool := measureTool + ", " + o.mode + ", for " + units.Exact(units.Time, o.Duration)
	p.Provenance = append(origin(tool, filepath.Base(o.traceFile())), p.Provenance...)
	names := nameComponents(&p, r.Causes)
	lines = verdict(p)
	if unfit(p) {
		for _, c := range p.OS {
			if c.Kind == profile.Periodic {
				lines = append(lines, "periodic: "+c.Words())
			}
		}
		p.OS = replayOf(o.traceFile(), digest)
		lines = append(lines, "so the profile replays the trace")
	}
	if names != "" {
		p.Provenance = append(p.Provenance, profile.Note{Key: "likely names", Text: names})
		lines = append(lines, "likely names, by equal rates: "+names)
	}
	return lines, writeProfile(io.Discard, o.profileFile(), p)
}

// measure measures, and shows progress unless all cores are measured.
func (o *measureOptions) measure(ctx context.Context, all bool, errs io.Writer) (measured.Result, error) {
	cores, duration := units.Indexes(o.Cores).String(), output.Seconds(o.Duration)
	switch {
	case all:
		o.remark(errs, "measuring cores "+cores+" for "+duration+
			", without showing progress: no core is left for that")
	case !o.quiet:
		begin := time.Now()
		share := func() float64 { return min(1, time.Since(begin).Seconds()/o.Duration) }
		stop := output.ShowProgress(errs, share, func(elapsed time.Duration) string {
			return fmt.Sprintf("measuring cores %s, %s of %s", cores, elapsed.Round(time.Second), duration)
		})
		defer stop()
	}
	return measured.Measure(ctx, o.Options)
}

// prepareFiles names the files after the node if --out is a directory. It fails if a file exists or
// could not be written later: a measurement cannot be repeated.
func (o *measureOptions) prepareFiles() (err error) {
	if o.out == "-" {
		return errors.New("--out: a measurement is written to files, not to standard output; " +
			"name one, or write ./-")
	}
	if strings.HasSuffix(o.out, "/") || isDirectory(o.out) {
		if o.out, err = inFleet(o.out, units.Indexes(o.Cores).String()); err != nil {
			return err
		}
	}
	for _, name := range []string{o.traceFile(), o.profileFile()} {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s exists; name another file with --out, or a directory such as fleet/", name)
		}
		if err := datasets.CanWrite(name); err != nil {
			return fmt.Errorf("--out: cannot write into %s: %w", filepath.Dir(name), err)
		}
	}
	return nil
}

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

// printMeasurement prints what a measurement saw, what it could not see, and lines on its profile.
func printMeasurement(w io.Writer, o measured.Options, r measured.Result, lines []string) error {
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
	b.WriteString(screen.Wrap(fmt.Sprintf("Noise of cores %s, %s, %s:\n\n", units.Indexes(o.Cores),
		output.Seconds(span), loop)))
	b.WriteString(screen.Table(cores(r.Trace)))
	b.WriteString(screen.Wrap(fmt.Sprintf("\n± is the %.0f%% interval of the mean over time, from "+
		"%d parts of it.\n\n", confidence*100, noise.Blocks)))
	b.WriteString(screen.Wrap(hidden(r)))
	fmt.Fprintf(&b, "\n%s\n", strings.Join(lines, "\n"))
	_, err := io.WriteString(w, b.String())
	return err
}

// cores returns a table with a row for each core, and one for all.
func cores(t noise.Trace) output.Table {
	rows := output.Columns("core", "overhead %", "±", "events/s", "~~min", "~median", "mean", "p99",
		"~~~p99.9", "max")
	add := func(name any, t noise.Trace) {
		lengths := t.Lengths()
		if len(lengths) == 0 {
			lengths = []float64{0}
		}
		at := func(share float64) string { return output.Seconds(vector.Quantile(lengths, share)) }
		rows.Append(name, percent(t.Overhead()), percent(t.Spread(confidence)), fmt.Sprintf("%.4g", t.Rate()),
			at(0), at(0.5), output.Seconds(stat.Mean(lengths, nil)), at(0.99), at(0.999), at(1))
	}
	for _, c := range t.Cores {
		add(c.ID, noise.Trace{Cores: []noise.Core{c}})
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

// A component gets the name of a cause whose rate is within matching of its own, if that was
// counted leastCounts times: the rate of fewer counts without memory is off by more than that.
const (
	matching    = 0.1
	leastCounts = 100
)

// likely marks a name that a component has since a cause is as frequent.
const likely = " (likely)"

// nameComponents gives each component the name of the cause that is as frequent, and returns what
// it was matched with; "" without a match. Interrupts go before threads, these before softirqs,
// which begin in interrupts, and all before the count of all threads together.
func nameComponents(p *profile.Profile, causes []measured.Cause) string {
	n := naming{components: p.OS, causes: slices.Clone(causes), named: map[int]bool{}}
	n.match(measured.Interrupts)
	n.match(measured.Threads)
	n.woken()
	n.match(measured.Interrupts)
	n.match(measured.Softirqs)
	n.match(measured.Schedules)
	return strings.Join(n.matched, ", ")
}

// A naming matches components with causes by their rates.
type naming struct {
	components []profile.Component
	causes     []measured.Cause
	named      map[int]bool // causes that have a component
	matched    []string
}

// match names components that have no name after causes of a counter, the closest rates first.
func (n *naming) match(counter measured.Counter) {
	type pair struct {
		component, cause int
		rate, off        float64
	}
	var pairs []pair
	for i, c := range n.components {
		for j, by := range n.causes {
			rate, off := deviation(c, by.Rates)
			if by.Counter == counter && by.Counts >= leastCounts && off <= matching {
				pairs = append(pairs, pair{i, j, rate, off})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.off, b.off) })
	for _, p := range pairs {
		c, name := &n.components[p.component], n.causes[p.cause].Name
		if c.Name == "" && !n.named[p.cause] {
			c.Name, n.named[p.cause] = name+likely, true
			n.matched = append(n.matched, fmt.Sprintf("%s %.4g/s by %s", name, p.rate, counter))
		}
	}
}

// woken subtracts the rates of named threads from the rates of timers: their timer's interrupt is
// in the detour of the thread that it wakes.
func (n *naming) woken() {
	for i := range n.causes {
		timer := &n.causes[i]
		if timer.Counter != measured.Interrupts || !strings.Contains(timer.Name, "timer") {
			continue
		}
		timer.Rates = slices.Clone(timer.Rates)
		for j, thread := range n.causes {
			for core := range timer.Rates {
				if n.named[j] && thread.Counter == measured.Threads {
					timer.Rates[core] -= thread.Rates[core]
				}
			}
		}
	}
}

// deviation returns the rate of a cause that is closest to the component's, and its relative
// difference from that: a period belongs to each core that has it, and the rate of a Poisson
// component is the mean over all cores. It is infinite if the component has no rate.
func deviation(c profile.Component, rates []float64) (rate, off float64) {
	off = math.Inf(1)
	var interval float64
	switch c.Kind {
	case profile.Periodic:
		interval = c.Period
	case profile.Poisson:
		interval, rates = c.Interval, []float64{stat.Mean(rates, nil)}
	}
	for _, r := range rates {
		if d := math.Abs(r*interval - 1); interval > 0 && d < off {
			rate, off = r, d
		}
	}
	return rate, off
}
