package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

type planOptions struct {
	sweepOptions
	shards int
}

func planCommand(environ []string) *cobra.Command {
	o := planOptions{sweepOptions: sweepOptions{input: study.Input{Environ: environ, Profile: findProfile}}}
	cmd := &cobra.Command{
		Use:   "plan [STUDY]",
		Short: "Divide a study into shards for a cluster",
		Long: `Plan reads a study as sweep does and writes what is to be computed, and by which of N shards, into a directory. The
shards cost about the same, as far as can be told before. The directory then needs nothing from outside: files that the
study refers to are copied into it.

Each shard is computed by "jitterfly run DIR", anywhere that sees the directory; "jitterfly merge DIR" makes the tables
of all. They are the same, byte for byte, as those of a sweep on one machine.`,
		Example: `  jitterfly plan study.yaml --shards 12 --out results
  jitterfly submit slurm results --time 1:00:00`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.input, err = withFile(o.input, args); err != nil {
				return err
			}
			o.input.Flags, o.errs = cmd.Flags(), cmd.ErrOrStderr()
			return o.run(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.out, "out", "o", "results", "directory of the plan and the results")
	f.IntVar(&o.shards, "shards", 0, "how many tasks to divide the study into")
	f.BoolVar(&o.keepTrials, "keep-trials", false, "write trials.parquet too: every trial's completion at every T")
	f.BoolVar(&o.quiet, "quiet", false, "print nothing")
	f.StringArrayVar(&o.input.Set, "set", nil, "set any key of the study: `key=value`")
	study.Flags(f, nil)
	completeStudy(cmd)
	completeFlag(cmd, "out", anyDirectory)
	cmd.ValidArgsFunction = first(studyFiles())
	return cmd
}

func (o *planOptions) run(out io.Writer) error {
	memory := availableMemory()
	s, err := study.Read(o.input, memory/4/study.BytesPerConfig)
	if err != nil {
		return err
	}
	if o.shards < 1 || o.shards > len(s.Configs) {
		return fmt.Errorf("--shards: write a number from 1 to %d, the number of configurations, not %d", len(s.Configs), o.shards)
	}
	for _, note := range s.Notes {
		o.note("%s", note)
	}
	dir, err := o.begin(s, o.shards)
	if err != nil {
		return err
	}
	plan := dir.Plan()
	if len(plan.Shards) != o.shards {
		return failed(fmt.Errorf("%s: planned with %d shards, which cannot be changed; name another directory with --out", o.out, len(plan.Shards)))
	}
	if o.quiet {
		return nil
	}
	byCost := func(a, b datasets.Shard) int { return cmp.Compare(a.Cost, b.Cost) }
	_, err = fmt.Fprintf(out, "%s: %d configurations in %d shards of %.3g to %.3g rank-rounds\n", o.out, plan.Configurations, len(plan.Shards),
		slices.MinFunc(plan.Shards, byCost).Cost, slices.MaxFunc(plan.Shards, byCost).Cost)
	return failed(err)
}

// begin finds or makes the directory of the study.
func (o *sweepOptions) begin(s *study.Study, shards int) (*datasets.Dir, error) {
	dir, err := begin(o.out, s, shards, o.keepTrials)
	if err == nil || errors.Is(err, datasets.ErrOtherStudy) {
		return dir, err
	}
	return nil, failed(err)
}
