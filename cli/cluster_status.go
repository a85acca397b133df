package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
)

type statusOptions struct {
	missing  bool
	readData bool
}

func statusCommand() *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Show the progress of a plan's shards, and check every file",
		Long: `Status prints how many configurations each incomplete shard has. It sees what has been
written: running shards write about each second what is complete.

It compares every file in DIR with the digest that was taken when it was written: the plan, the
inputs, the parts, and of a finished study the tables, their columns and their numbers of rows. It
prints a line for each that is damaged, with what to do, and exits with 1. It changes nothing.`,
		Example: `  jitterfly cluster status results --read-data
  sbatch --array="$(jitterfly cluster status results --missing)" job.sh`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.First(1, command.DirectoriesWith(datasets.PlanFile)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.missing {
				return printMissing(args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&o.missing, "missing", false,
		"print only the shards that are not complete, as job arrays take them: 3,7-9")
	cmd.Flags().BoolVar(&o.readData, "read-data", false,
		"also decode every record and every row, and compare the tables with each other")
	return cmd
}

// printMissing prints the shards that are not complete, nothing if all are.
func printMissing(path string, out, errs io.Writer) error {
	dir, err := openLoaded(path, errs)
	if err != nil {
		return err
	}
	if missing := dir.Missing(); len(missing) > 0 {
		_, err = fmt.Fprintln(out, missing)
	}
	return command.Failure(err)
}

func (o *statusOptions) run(path string, out io.Writer) error {
	dir, err := openLoaded(path, io.Discard) // what cannot be used is among the damaged
	if errors.Is(err, datasets.ErrNoPlan) {
		return err
	}
	damaged, failed := datasets.Verify(path, o.readData)
	if failed != nil {
		return command.Failure(failed)
	}
	text := ""
	if err == nil {
		text = statusOf(dir, output.ScreenOf(out))
	}
	for _, reason := range damaged {
		text += reason.Error() + "\n"
	}
	if len(damaged) == 0 {
		text += "every file is as it was written\n"
	}
	_, err = io.WriteString(out, text)
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("%s: damaged: %d of its files are not as they were written", path, len(damaged))
	}
	return command.Failure(err)
}

// statusOf returns the incomplete shards, or what to do if all are complete.
func statusOf(dir *datasets.Dir, screen *output.Screen) string {
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
	text := screen.Table(t)
	switch {
	case dir.Finished():
		text = "merged: the tables are written\n"
	case len(missing) == 0:
		text = "ready to merge: jitterfly cluster merge " + dir.Path() + "\n"
	}
	return fmt.Sprintf("%s: %d of %d configurations, %d of %d shards complete\n%s",
		dir.Path(), done, dir.Plan().Configurations,
		len(shards)-len(missing), len(shards), text)
}
