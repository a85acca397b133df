package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

type planOptions struct {
	input      study.Input
	out        string
	shards     int
	keepTrials bool
	quiet      bool
}

func planCommand(environ []string) *cobra.Command {
	o := planOptions{input: study.Input{Environ: environ, Profile: study.FindProfile}}
	cmd := &cobra.Command{
		Use:   "plan [STUDY]",
		Short: "Divide a study into shards for a cluster",
		Long: `Plan reads a study as sweep does and writes its configurations, divided into N shards, into
a directory. The shards have about the same estimated cost. The directory then needs
nothing from outside: files that the study refers to are copied into it.

"jitterfly cluster run DIR" computes a shard, on any machine that has the directory; "jitterfly cluster merge
DIR" writes the tables, the same bytes as a sweep on one machine writes.`,
		Example: `  jitterfly cluster plan study.yaml --shards 12 --out results
  jitterfly cluster submit slurm results --time 1:00:00`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.input, err = sweep.WithFile(o.input, args); err != nil {
				return err
			}
			return o.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.out, "out", "o", "results", "directory of the plan and the results")
	f.IntVar(&o.shards, "shards", 0, "number of shards to divide the study into")
	f.BoolVar(&o.keepTrials, "keep-trials", false,
		"trials.parquet too: the completion time of every trial at every T")
	f.BoolVar(&o.quiet, "quiet", false, "no output")
	f.BoolVar(&o.input.Strict, "strict", false, study.StrictHelp)
	command.Study(cmd, &o.input)
	command.Complete(cmd, "out", command.AnyDirectory)
	return cmd
}

// exampleShards is the number of shards that an error suggests.
const exampleShards = 8

func (o *planOptions) run(out, errs io.Writer) error {
	s, err := study.Read(o.input, sweep.MaxConfigs())
	if err != nil {
		return err
	}
	if o.shards == 0 {
		return fmt.Errorf("--shards: not given; write into how many shards to divide the %d configurations, as "+
			"--shards %d", len(s.Configurations), min(len(s.Configurations), exampleShards))
	}
	if o.shards < 1 || o.shards > len(s.Configurations) {
		return fmt.Errorf("--shards: write a number from 1 to %d, the number of configurations, "+
			"not %d", len(s.Configurations), o.shards)
	}
	(&sweep.Execution{Quiet: o.quiet, Errs: errs}).Notes(s)
	dir, err := sweep.Begin(o.out, s, o.shards, o.keepTrials)
	if err != nil {
		return err
	}
	plan := dir.Plan()
	if len(plan.Shards) != o.shards {
		return command.Failure(fmt.Errorf("%s: planned with %d shards, which cannot be changed; "+
			"name another directory with --out", o.out, len(plan.Shards)))
	}
	if o.quiet {
		return nil
	}
	byCost := func(a, b datasets.Shard) int { return cmp.Compare(a.Cost, b.Cost) }
	_, err = fmt.Fprintf(out, "%s: %d configurations in %d shards of %.3g to %.3g "+
		"simulated messages\n", o.out, plan.Configurations, len(plan.Shards),
		slices.MinFunc(plan.Shards, byCost).Cost, slices.MaxFunc(plan.Shards, byCost).Cost)
	return command.Failure(err)
}
