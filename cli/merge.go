package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/study"
	"jitterfly/datasets"
)

type mergeOptions struct {
	playing
	format string
}

func mergeCommand() *cobra.Command {
	o := mergeOptions{}
	cmd := &cobra.Command{
		Use:   "merge DIR",
		Short: "Make the tables of a plan of which all shards have run",
		Long: `Merge checks every part in DIR against the plan and writes summary.parquet, choice.parquet and, if
trials are kept, trials.parquet: the same bytes as one machine's sweep writes. Then it prints the best T of each
configuration. If something is missing it writes nothing, names the shards that have to run, and exits with 3.`,
		Example: "  jitterfly merge results",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.errs = cmd.ErrOrStderr()
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.format, "format", "table", "how to print the choices: "+strings.Join(printerNames(), ", "))
	f.BoolVar(&o.quiet, "quiet", false, "say nothing but the choices and errors")
	completeFlag(cmd, "format", oneOf(printerNames()...))
	cmd.ValidArgsFunction = first(directoriesWith(datasets.PlanFile))
	return cmd
}

func (o *mergeOptions) run(path string, out io.Writer) error {
	show, err := findPrinter(o.format)
	if err != nil {
		return err
	}
	dir, s, err := openPlanned(path)
	if err != nil {
		return err
	}
	if dir.Finished() {
		return o.show(out, show, s, dir, "holds the finished study; nothing to merge")
	}
	if err := o.load(dir, all); err != nil {
		return err
	}
	return o.merge(out, show, s, dir)
}

// openPlanned opens a directory that has a plan, and reads its study. Whoever names
// a directory without one has named the wrong one.
func openPlanned(path string) (*datasets.Dir, *study.Study, error) {
	dir, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	if !dir.Finished() {
		if err := dir.For(Version); err != nil {
			return nil, nil, failed(err)
		}
	}
	s, err := planned(dir)
	return dir, s, failed(err)
}

// open opens a directory that has a plan.
func open(path string) (*datasets.Dir, error) {
	dir, err := datasets.Open(path)
	if err == nil || errors.Is(err, datasets.ErrNoPlan) {
		return dir, err
	}
	return nil, failed(err)
}

// merge makes the tables of a directory that has everything, and prints the
// choices.
func (p *playing) merge(out io.Writer, show printer, s *study.Study, dir *datasets.Dir) error {
	s.DropConfigs()
	err := dir.Finish(func(i int) datasets.Axes { return axesOf(s.Points[i]) })
	if incomplete := new(datasets.Incomplete); errors.As(err, incomplete) {
		return failure{exitIncomplete, err}
	}
	if err != nil {
		return failed(err)
	}
	return p.show(out, show, s, dir, "has the tables")
}

// show prints the choices of a finished directory, and notes something of it.
func (p *playing) show(out io.Writer, show printer, s *study.Study, dir *datasets.Dir, note string) error {
	s.DropConfigs()
	results, err := datasets.ReadResults(dir.Path())
	if err != nil {
		return failed(err)
	}
	bounds := make([]float64, len(results.Measures))
	for i, of := range results.Measures {
		bounds[i] = of[0].Floor
	}
	p.note("%s %s", dir.Path(), note)
	return failed(show(out, s, results.Choices, bounds))
}
