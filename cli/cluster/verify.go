package cluster

import (
	"fmt"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/exit"
	"jitterfly/datasets"
)

func verifyCommand() *cobra.Command {
	readData := false
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check every file of a directory of results",
		Long: `Verify compares every file in DIR with the digest that was taken when it was written: the
plan, the inputs, the parts, and of a finished study the tables, their columns and their numbers
of rows. It prints a line for each that is damaged, with what to do, and exits with 1. It
changes nothing.`,
		Example:           "  jitterfly verify results --read-data",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.DirectoriesWith(datasets.PlanFile)),
		RunE: func(cmd *cobra.Command, args []string) error {
			damaged, err := datasets.Verify(args[0], readData)
			if err != nil {
				return exit.Failure(err)
			}
			out := cmd.OutOrStdout()
			for _, reason := range damaged {
				if _, err := fmt.Fprintln(out, reason); err != nil {
					return exit.Failure(err)
				}
			}
			if err := damage(args[0], damaged); err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "%s: every file is as it was written\n", args[0])
			return exit.Failure(err)
		},
	}
	cmd.Flags().BoolVar(&readData, "read-data", false,
		"also decode every record and every row, and compare the tables with each other")
	return cmd
}

// damage returns the error of a directory with damaged files, nil if none is.
func damage(path string, damaged []error) error {
	if len(damaged) == 0 {
		return nil
	}
	return exit.Failure(fmt.Errorf("%s: damaged: %d of its files are not as they were written",
		path, len(damaged)))
}
