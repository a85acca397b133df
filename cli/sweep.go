package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

type sweepOptions struct {
	input      study.Input
	out        string
	workers    int
	format     string
	keepTrials bool
	dryRun     bool
	quiet      bool
}

func sweepCommand(environ []string) *cobra.Command {
	o := sweepOptions{input: study.Input{Environ: environ, Profile: findProfile}}
	cmd := &cobra.Command{
		Use:   "sweep [STUDY]",
		Short: "Play a study's configurations and print the best T of each",
		Long: `Sweep plays every configuration of a study, the product of all values given for
its keys, and writes summary.parquet and choice.parquet into a directory. It prints the best
T of each: the smallest whose mean completion is within the tolerance of the best T's.

STUDY is a YAML, TOML or JSON file; without one the embedded default study runs. Every key of
a study is also a flag (--latency 1us,100ns), can be given as --set network.latency=100ns, and
is read from the environment (JITTERFLY_NETWORK_LATENCY). A list, and a range such as
2^1..2^16, is an axis.

A sweep that was stopped goes on when the same command is run again; one that has finished is
not computed again, its table is printed.`,
		Example: `  jitterfly sweep
  jitterfly sweep study.yaml --out results/mine --format csv
  jitterfly sweep --ranks 2^4..2^12 --latency 100ns --os-launch stationary --out stationary
  jitterfly sweep --dry-run --ranks 2^24`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.input, err = withFile(o.input, args); err != nil {
				return err
			}
			o.input.Flags = cmd.Flags()
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "results", "directory of the results")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "trials played at a time")
	f.StringVar(&o.format, "format", "table", "how to print the choices: table, csv, json")
	f.BoolVar(&o.keepTrials, "keep-trials", false, "write trials.parquet too: every trial's completion at every T")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the configurations and what they would cost")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.StringArrayVar(&o.input.Set, "set", nil, "set any key of the study: `key=value`")
	study.Flags(f, nil)
	return cmd
}

// withFile adds the study file named by the arguments, or the embedded one.
func withFile(in study.Input, args []string) (study.Input, error) {
	if len(args) == 0 {
		in.Name, in.File, in.Embedded = "default.yaml", datasets.DefaultStudy, true
		return in, nil
	}
	file, err := study.ReadFile(args[0])
	in.Name, in.File = file.Name, file.File
	return in, err
}

func (o *sweepOptions) run(ctx context.Context, out, errs io.Writer) error {
	show, ok := printers[o.format]
	if !ok {
		return fmt.Errorf("--format: %q is not known; known are table, csv, json", o.format)
	}
	if o.workers < 1 {
		return fmt.Errorf("--workers: %d is not at least 1", o.workers)
	}
	memory := availableMemory()
	s, err := study.Read(o.input, memory/4/study.BytesPerConfig)
	if err != nil {
		return err
	}
	cost, err := estimate(s, o.workers, memory)
	if err != nil {
		return err
	}
	if o.dryRun {
		return failed(printPlan(out, s, cost, o.format))
	}
	for _, note := range s.Notes {
		o.note(errs, "%s", note)
	}
	dir, err := datasets.Open(o.out, datasets.Identity{
		Version: Version, Study: s.Hash, Values: s.Values,
		Configurations: len(s.Configs), KeepTrials: o.keepTrials,
	})
	if errors.Is(err, datasets.ErrOtherStudy) {
		return err
	}
	if err != nil {
		return failed(err)
	}
	known := dir.Finished()
	if !known {
		if err := o.play(ctx, s, cost, dir, errs); err != nil {
			return err
		}
	}
	choices, err := dir.Choices()
	if err != nil {
		return failed(err)
	}
	floors, err := dir.Floors()
	if err != nil {
		return failed(err)
	}
	if known {
		o.note(errs, "%s holds the finished study; nothing to compute", o.out)
	}
	return failed(show(out, s, choices, floors))
}

// note tells the person at the terminal something that is not a result.
func (o *sweepOptions) note(errs io.Writer, format string, args ...any) {
	if !o.quiet {
		_, _ = fmt.Fprintf(errs, "jitterfly: "+format+"\n", args...)
	}
}

// flushAbove is how many bytes of records wait at most to be written as a part.
const flushAbove = 32 << 20

// flushDue says whether it is time to write a part: after a second at first, so
// that little is lost, and more rarely as a study goes on, so that parts do not
// become many.
func flushDue(sinceBegin, sinceFlush time.Duration) bool {
	return sinceFlush > max(time.Second, sinceBegin/100)
}

// play plays what the directory does not have yet and finishes it.
func (o *sweepOptions) play(ctx context.Context, s *study.Study, cost cost, dir *datasets.Dir, errs io.Writer) error {
	complete := dir.Complete()
	progress := progress{total: len(s.Configs), what: "configurations"}
	for i, work := range s.Work {
		if complete[i] {
			progress.done.Add(1)
		} else {
			progress.work += work * float64(s.Trials.Min+1)
		}
	}
	if !o.quiet {
		stop := progress.show(errs)
		defer stop()
	}
	collector := dir.Collect()
	begin := time.Now()
	flushed := begin
	err := montecarlo.Run(ctx, &s.Study, montecarlo.Options{
		Workers: cost.workers,
		Skip:    func(i int) bool { return complete[i] },
		Done: func(i int, d montecarlo.Decision) error {
			collector.Add(i, record(s.Points[i], s.Objective.Name, d, o.keepTrials))
			progress.done.Add(1)
			if !flushDue(time.Since(begin), time.Since(flushed)) && collector.Size() < flushAbove {
				return nil
			}
			flushed = time.Now()
			return collector.Flush()
		},
		Progress: &progress.rankRounds,
	})
	if flushErr := collector.Flush(); flushErr != nil {
		return failed(flushErr)
	}
	if errors.Is(err, context.Canceled) {
		return failure{exitStopped, fmt.Errorf("stopped by a signal; %s has %d of %d configurations, run the same command to go on",
			o.out, progress.done.Load(), len(s.Configs))}
	}
	if err != nil {
		return failed(err)
	}
	if err := dir.Finish(); err != nil {
		return failed(err)
	}
	o.note(errs, "played up to %.3g rank-rounds in %s; the tables are in %s", float64(progress.rankRounds.Load()), time.Since(begin).Round(time.Millisecond), o.out)
	return nil
}
