package results

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/noise"
	"jitterfly/program"
)

type options struct {
	format, by, out, profile string
}

// programCommand returns the command program.
func programCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "program DIR",
		Short: "Show what a recorded MPI program does, and what it waits for",
		Long: `Program reads a recording that the MPI library has made (JITTERFLY_MPI_RECORD=DIR). It shows how long
ranks are in collectives and how long they wait there for the last rank, which places in the program
call them, how long ranks compute before them, and which ranks arrive last.

It divides the waiting among imbalance that stays (a rank that has more to do), imbalance that
changes, and, with --noise, the noise of the machine. jitterfly choose --program DIR estimates what
redundancy saves.`,
		Example: `  jitterfly program recording
  jitterfly program recording --noise alps --out program.html
  jitterfly program recording --by rank --format csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	f.StringVar(&o.profile, "noise", "", "a `profile` of the machine's noise, or a preset")
	command.Format(cmd, &o.format, "output format", printers.Names())
	f.StringVar(&o.by, "by", "site", "rows of csv and json: "+strings.Join(tables.Names(), ", "))
	f.StringVarP(&o.out, "out", "o", "", "`file` of a page with pictures [none]")
	command.Complete(cmd, "out", command.FilesOf("html"))
	command.Complete(cmd, "noise", command.FilesOf("yaml", "yml"))
	command.Complete(cmd, "by", command.OneOf(tables.Names()...))
	cmd.ValidArgsFunction = command.First(1, command.AnyDirectory)
	return cmd
}

func (o *options) run(dir string, out, errs io.Writer) error {
	show, err := printers.Find(o.format)
	if err != nil {
		return err
	}
	if _, ok := tables[o.by]; !ok {
		return fmt.Errorf("--by: %w", output.Unknown(o.by, tables.Names()))
	}
	if o.out != "" {
		if err := replaceable(o.out); err != nil {
			return err
		}
	}
	var os noise.OS
	if o.profile != "" {
		if _, os, err = command.Noise(o.profile, noise.Random, errs); err != nil {
			return err
		}
	}
	p, err := program.Read(dir)
	if err != nil {
		return err
	}
	a := &answer{Program: p, dir: dir, by: o.by, profile: o.profile, split: p.Split(os)}
	if err := show(out, a); err != nil {
		return command.Failure(err)
	}
	if o.out == "" {
		return nil
	}
	var page bytes.Buffer
	if err := a.writePage(&page); err != nil {
		return command.Failure(err)
	}
	if err := datasets.WriteFile(o.out, page.Bytes()); err != nil {
		return command.Failure(err)
	}
	output.Remark(errs, "wrote %s", o.out)
	return nil
}

// An answer is what a recording shows, with the noise of the machine.
type answer struct {
	*program.Program
	dir string
	by  string
	// profile is the name of the profile of the machine's noise, empty if it is not given.
	profile string
	split   program.Waiting
}
