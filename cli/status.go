package cli

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"jitterfly/datasets"
)

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "Say how far the shards of a plan are",
		Long: `Status reads and checks every part in DIR and prints how many configurations each shard has that is not
complete. It sees what has been written: running shards write now and then.`,
		Example:           "  jitterfly status results",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: first(directoriesWith(datasets.PlanFile)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := openLoaded(args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return failed(printStatus(cmd.OutOrStdout(), dir))
		},
	}
}

func missingCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "missing DIR",
		Short: "Name the shards of a plan that are not complete",
		Long: `Missing reads and checks every part in DIR and prints the shards that are not complete, as schedulers take
the indexes of a job array: 3,7-9. It prints nothing if all are there.`,
		Example:           `  sbatch --array="$(jitterfly missing results)" job.sh`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: first(directoriesWith(datasets.PlanFile)),
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
			return failed(err)
		},
	}
}

// openLoaded opens a directory that has a plan and finds what it has of all shards.
func openLoaded(path string, errs io.Writer) (*datasets.Dir, error) {
	dir, err := open(path)
	if err != nil || dir.Finished() {
		return dir, err
	}
	return dir, (&playing{errs: errs}).load(dir, all)
}

func printStatus(w io.Writer, dir *datasets.Dir) error {
	shards := dir.Progress()
	done := 0
	t := newTable()
	t.AppendHeader(table.Row{"shard", "configurations", "of", "cost"})
	for i, p := range shards {
		done += p.Done
		if p.Missing() > 0 {
			t.AppendRow(table.Row{i, p.Done, p.Total, fmt.Sprintf("%.3g", dir.Plan().Shards[i].Cost)})
		}
	}
	missing := dir.Missing()
	text := t.Render()
	switch {
	case dir.Finished():
		text = "the tables are there"
	case len(missing) == 0:
		text = "to be merged: jitterfly merge " + dir.Path()
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d configurations, %d of %d shards complete\n%s\n",
		dir.Path(), done, dir.Plan().Configurations, len(shards)-len(missing), len(shards), text)
	return err
}
