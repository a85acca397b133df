package cli

import (
	"io"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

type mergeOptions struct {
	sweep.Execution
	format string
}

func mergeCommand() *cobra.Command {
	o := mergeOptions{}
	cmd := &cobra.Command{
		Use:   "merge DIR",
		Short: "Write the tables of a plan whose shards are complete",
		Long: `Merge checks every part in DIR against the plan and writes summary.parquet, choice.parquet
and, if trials are kept, trials.parquet: the same bytes as one machine's sweep writes. Then it
prints the best T of each configuration. If something is missing it writes nothing, names the
shards to run, and exits with 3.`,
		Example: "  jitterfly cluster merge results",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Errs = cmd.ErrOrStderr()
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	command.Format(cmd, &o.format, "format of the choices", sweep.Printers.Names())
	f.BoolVar(&o.Quiet, "quiet", false, "no output but the choices and errors")
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func (o *mergeOptions) run(path string, out io.Writer) error {
	show, err := sweep.Printers.Find(o.format)
	if err != nil {
		return err
	}
	dir, s, err := sweep.OpenPlanned(path)
	if err != nil {
		return err
	}
	if dir.Finished() {
		o.Clean(dir)
		return o.Show(out, show, s, dir, dir.Path()+": the study is finished; nothing to merge")
	}
	if err := o.Load(dir, sweep.All); err != nil {
		return err
	}
	return o.Merge(out, show, s, dir)
}
