package cluster

import (
	"fmt"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/exit"
	"jitterfly/datasets"
)

func missingCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "missing DIR",
		Short: "Name the shards of a plan that are not complete",
		Long: `Missing reads and checks every part in DIR and prints the shards that are not complete, in
the form that schedulers take for the indexes of a job array: 3,7-9. It prints nothing if all
are complete.`,
		Example:           `  sbatch --array="$(jitterfly missing results)" job.sh`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.DirectoriesWith(datasets.PlanFile)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := openLoaded(args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			missing := dir.Missing()
			if len(missing) == 0 {
				return nil
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), missing)
			return exit.Failure(err)
		},
	}
}
