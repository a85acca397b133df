package results

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/datasets"
)

type compareOptions struct {
	at     string
	format string
	whereA []string
	whereB []string
}

// compareCommand returns the command compare.
func compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare the results of two finished sweeps",
		Long: `Compare prints by how much the mean completion times of sweep B differ from sweep A, with
confidence intervals; ~ marks inconclusive rows. A and B are directories of finished sweeps, with
other noise, networks, collectives, seeds or versions of the program. Configurations are matched by
the axes that both have.

If both met the same noise and kept their trials (--keep-trials), trials are compared one by one,
which detects smaller differences.`,
		Example: `  jitterfly compare results/quiet results/stationary
  jitterfly compare results/quiet results/stationary --at 0 --format csv
  jitterfly compare results/both results/both --where-a os-duration=10us --where-b os-duration=100us`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], args[1], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.at, "at", "star",
		"T to compare: star (the choice of each study), or a number")
	f.StringVar(&o.format, "format", "table", "format of the output: "+strings.Join(comparisonPrinters.Names(), ", "))
	f.StringArrayVar(&o.whereA, "where-a", nil,
		"only configurations of A where `axis=value`")
	f.StringArrayVar(&o.whereB, "where-b", nil,
		"only configurations of B where `axis=value`")
	command.Complete(cmd, "at", command.OneOf("star"))
	command.Complete(cmd, "format", command.OneOf(comparisonPrinters.Names()...))
	for _, flag := range []string{"where-a", "where-b"} {
		command.Complete(cmd, flag, command.Where())
	}
	directories := command.DirectoriesWith(datasets.RunFile)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 {
			return nil, command.NoFiles
		}
		return directories(cmd, args, written)
	}
	return cmd
}

func (o *compareOptions) run(dirA, dirB string, out io.Writer) error {
	show, err := comparisonPrinters.Find(o.format)
	if err != nil {
		return err
	}
	at, err := o.parseAt()
	if err != nil {
		return err
	}
	a, err := readSide(dirA, "--where-a", o.whereA, at)
	if err != nil {
		return err
	}
	b, err := readSide(dirB, "--where-b", o.whereB, at)
	if err != nil {
		return err
	}
	c, err := compare(a, b, at)
	if err != nil {
		return err
	}
	return command.Failure(show(out, c))
}

func (o *compareOptions) parseAt() (int, error) {
	if o.at == "star" {
		return star, nil
	}
	t, err := strconv.ParseUint(o.at, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("--at: %q is not star or a number of redundant exchanges", o.at)
	}
	return int(t), nil
}
