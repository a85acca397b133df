// Package sweep computes studies in directories of results: it plans, simulates, records and
// decides. The command sweep chooses the T of each configuration, and choose the collective, R and
// T of each deployment, in one process and one shard. The commands of cluster do the steps one
// by one, for many shards.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// Options are the options of the command sweep.
type Options struct {
	Execution
	Input      study.Input
	Out        string // directory of the results
	Format     string // of the printed choices
	KeepTrials bool

	dryRun, verbose bool
	write           string // a study file to write, instead of a sweep
}

const long = `Sweep simulates every configuration of a study, which is the product of the values of
its keys, and writes summary.parquet and choice.parquet into a directory. It prints the best T of
each: the smallest whose mean completion time is within the tolerance of the best.

STUDY is a YAML, TOML or JSON file, or - for the standard input. Every key can also be given as a
flag (--latency 1us,100ns), by --set (--set network.latency=100ns) or in the environment
(JITTERFLY_NETWORK_LATENCY). A list, or a range such as 2^1..2^16, is an axis. The other keys have
the defaults in brackets. Without STUDY, and without keys other than trials and choice, the default
study runs: 2 to 65536 ranks, at two latencies and two detour lengths, with both values of assume.

Trials are added until each T is good with the confidence asked for (--confidence, --tolerance),
up to --trials-max; --trials 30 simulates a fixed number.

A sweep that was stopped resumes when the same command runs again. If it is finished, the command
prints its table, or continues it with a larger --trials-max.

With --write FILE it simulates nothing, and writes a study file in YAML with the keys that flags give,
or without flags the keys that most studies set. Beside it goes ` + study.SchemaFile + `, with which
editors complete and check it. An existing study file is not replaced.`

// Command returns the command sweep, which reads the environment.
func Command(environ []string) *cobra.Command {
	o := Options{Input: DefaultInput(environ)}
	cmd := &cobra.Command{
		Use:   "sweep [STUDY]",
		Short: "Simulate a study's configurations and print the best T of each",
		Long:  long,
		Example: `  jitterfly sweep
  jitterfly sweep study.yaml --out results/mine --format csv
  jitterfly sweep --ranks 2^4..2^12 --latency 100ns --os-launch stationary --out stationary
  jitterfly sweep --write machine.yaml --ranks 2^4..2^10 --noise alps
  jitterfly sweep --dry-run --verbose --ranks 2^24`,
		Args: cobra.MaximumNArgs(1),
		PersistentPreRunE: func(_ *cobra.Command, args []string) error {
			if o.write != "" && len(args) > 0 {
				return errors.New("--write: it begins a new study; leave STUDY out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.write != "" {
				o.Input.Name, o.Input.File, o.Input.Embedded = "sweep.yaml", nil, false
				return writeStudy(o.Input, o.write, cmd.ErrOrStderr())
			}
			o.Errs = cmd.ErrOrStderr()
			return o.Run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.Out, "out", "o", "results", "directory of the results")
	o.AddFlags(f)
	command.Format(cmd, &o.Format, "format of the choices", Printers.Names())
	f.BoolVar(&o.KeepTrials, "keep-trials", false,
		"trials.parquet too: the completion time of every trial at every T")
	f.BoolVar(&o.dryRun, "dry-run", false, "only the configurations and what they would cost")
	f.BoolVarP(&o.verbose, "verbose", "v", false,
		"with --dry-run: which executors would simulate them, too")
	f.StringVar(&o.write, "write", "", "study `file` to begin with, which is written; nothing is simulated")
	f.BoolVar(&o.Input.Strict, "strict", false, study.StrictHelp)
	command.Study(cmd, &o.Input)
	command.Complete(cmd, "out", command.DirectoriesWith(datasets.PlanFile))
	command.Complete(cmd, "write", command.FilesOf("yaml", "yml"))
	return cmd
}

// DefaultInput returns an input that is the embedded default study unless the arguments name another.
func DefaultInput(environ []string) study.Input {
	return study.Input{
		Environ: environ,
		Name:    "default.yaml", File: datasets.DefaultStudy, Embedded: true,
	}
}

// Run computes the study, or what its directory lacks of it, and prints the choices.
func (o *Options) Run(ctx context.Context, out io.Writer) error {
	show := Printers[o.Format]
	if err := o.Check(); err != nil {
		return err
	}
	if o.verbose && !o.dryRun {
		return errors.New("--verbose: it is for --dry-run; give both or none")
	}
	s, err := study.Read(o.Input, MaxConfigs())
	if err != nil {
		return err
	}
	estimate, err := CostOf(s, o.Workers)
	if err != nil {
		return err
	}
	o.Notes(s)
	if o.dryRun {
		return command.Failure(estimatePrinters[o.Format](out, estimated{s, estimate, o.verbose}))
	}
	dir, err := Begin(o.Out, s, 1, o.KeepTrials)
	if err != nil {
		return err
	}
	if dir.Finished() {
		o.Clean(dir)
		return o.Show(out, show, s, dir, dir.Path()+": the study is finished; nothing to compute")
	}
	if err := o.Load(dir, All); err != nil {
		return err
	}
	if err := o.Simulate(ctx, s, estimate.Workers, dir, All); err != nil {
		return err
	}
	return o.Merge(out, show, s, dir)
}

// writeStudy writes the study file of an input, and the schema beside it.
func writeStudy(in study.Input, name string, errs io.Writer) error {
	if ext := strings.ToLower(filepath.Ext(name)); ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s: a study file in YAML ends in .yaml or .yml", name)
	}
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s exists; name another file", name)
	}
	s, err := study.Read(in, MaxConfigs())
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(name), study.SchemaFile)
	if err = datasets.WriteFile(beside, study.Schema()); err == nil {
		err = datasets.WriteFile(name, s.Recorded.File())
	}
	if err != nil {
		return command.Failure(err)
	}
	output.Remark(errs, "wrote %s and %s", name, beside)
	return nil
}
