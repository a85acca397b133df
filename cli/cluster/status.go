package cluster

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
)

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "Show the progress of the shards of a plan",
		Long: `Status reads and checks every file in DIR and prints how many configurations each
incomplete shard has. It sees what has been written: running shards write about each second what
is complete. If files are damaged it exits with 1; verify names them.`,
		Example:           "  jitterfly status results",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.DirectoriesWith(datasets.PlanFile)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := openLoaded(args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := printStatus(cmd.OutOrStdout(), dir); err != nil {
				return exit.Failure(err)
			}
			damaged, err := datasets.Verify(dir.Path(), false)
			if len(damaged) > 0 {
				err = fmt.Errorf("%s: damaged; jitterfly verify %s names what", dir.Path(), dir.Path())
			}
			return exit.Failure(err)
		},
	}
}

// printStatus prints the incomplete shards, or what to do if there are none.
func printStatus(w io.Writer, dir *datasets.Dir) error {
	shards := dir.Progress()
	done := 0
	t := output.Table{}
	t.Add(output.Column{}, "shard", "configurations", "of", "cost")
	for i, p := range shards {
		done += p.Done
		if p.Missing() > 0 {
			cost := fmt.Sprintf("%.3g", dir.Plan().Shards[i].Cost)
			t.Append(i, p.Done, p.Total, cost)
		}
	}
	missing := dir.Missing()
	text := output.ScreenOf(w).Table(t)
	switch {
	case dir.Finished():
		text = "merged: the tables are written\n"
	case len(missing) == 0:
		text = "ready to merge: jitterfly merge " + dir.Path() + "\n"
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d configurations, %d of %d shards complete\n%s",
		dir.Path(), done, dir.Plan().Configurations,
		len(shards)-len(missing), len(shards), text)
	return err
}
