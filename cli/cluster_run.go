package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

type runOptions struct {
	sweep.Execution
	environ []string
	shard   int
	given   bool // the shard
}

func runCommand(environ []string) *cobra.Command {
	o := runOptions{environ: environ}
	cmd := &cobra.Command{
		Use:   "run DIR",
		Short: "Compute one shard of a plan",
		Long: `Run simulates the configurations of one shard that DIR lacks. It may be stopped, killed,
and run again, also while another process runs the same shard: what is complete is kept, and
results are the same.

Without --shard the scheduler gives the shard: by the index of a task in a job array (of Slurm, PBS,
Grid Engine, LSF, AWS Batch or a Kubernetes Indexed Job) or by the rank of a process (under
srun, Open MPI or another launcher with PMI or PMIx). Grid Engine and LSF count from 1, so that
their task 1 is shard 0. A rank counts only if it is one of several.`,
		Example: `  jitterfly cluster run results --shard 3
  srun -n 12 jitterfly cluster run results`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Errs, o.given = cmd.ErrOrStderr(), cmd.Flags().Changed("shard")
			return o.run(cmd.Context(), args[0])
		},
	}
	f := command.Flags(cmd)
	f.IntVar(&o.shard, "shard", 0, "number of the shard, from 0 [the scheduler's]")
	o.AddFlags(f)
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func (o *runOptions) run(ctx context.Context, path string) error {
	if err := o.Check(); err != nil {
		return err
	}
	dir, err := sweep.Open(path)
	if err != nil {
		return err
	}
	where := "--shard"
	if !o.given {
		if o.shard, where, err = schedulerIndex(o.environ); err != nil {
			return err
		}
	}
	if n := len(dir.Plan().Shards); o.shard < 0 || o.shard >= n {
		return fmt.Errorf("%s: shard %d is outside the plan: %s has shards 0 to %d",
			where, o.shard, path, n-1)
	}
	if dir.Finished() {
		o.Clean(dir)
		o.Note("%s: the study is finished; nothing to compute", path)
		return nil
	}
	dir, s, err := sweep.OpenPlanned(path)
	if err != nil {
		return err
	}
	estimate, err := sweep.CostOf(s, o.Workers)
	if err != nil {
		return err
	}
	if err := o.Load(dir, o.shard); err != nil {
		return err
	}
	if dir.Progress()[o.shard].Missing() == 0 {
		o.Note("%s: shard %d is complete; nothing to compute", path, o.shard)
		return nil
	}
	return o.Simulate(ctx, s, estimate.Workers, dir, o.shard)
}
