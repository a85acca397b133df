package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

type sweepOptions struct {
	playing
	input      study.Input
	out        string
	format     string
	keepTrials bool
	dryRun     bool
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
			o.input.Flags, o.errs = cmd.Flags(), cmd.ErrOrStderr()
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "results", "directory of the results")
	o.flags(f)
	f.StringVar(&o.format, "format", "table", "how to print the choices: "+strings.Join(printerNames(), ", "))
	f.BoolVar(&o.keepTrials, "keep-trials", false, "write trials.parquet too: every trial's completion at every T")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the configurations and what they would cost")
	f.StringArrayVar(&o.input.Set, "set", nil, "set any key of the study: `key=value`")
	study.Flags(f, nil)
	completeStudy(cmd)
	completeFlag(cmd, "out", directoriesWith(datasets.PlanFile))
	completeFlag(cmd, "format", oneOf(printerNames()...))
	cmd.ValidArgsFunction = first(studyFiles())
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

func (o *sweepOptions) run(ctx context.Context, out io.Writer) error {
	show, err := findPrinter(o.format)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
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
		o.note("%s", note)
	}
	dir, err := o.begin(s, 1)
	if err != nil {
		return err
	}
	if dir.Finished() {
		return o.show(out, show, s, dir, "holds the finished study; nothing to compute")
	}
	if err := o.load(dir, all); err != nil {
		return err
	}
	if err := o.play(ctx, s, cost, dir, all); err != nil {
		return err
	}
	return o.merge(out, show, s, dir)
}
