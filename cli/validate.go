package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/figures"
	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/datasets"
	"jitterfly/noise"
	"jitterfly/noise/measured/formats"
)

type validateOptions struct {
	format, out, profile string
	tolerance            float64
	trials               int
	seed                 uint64
}

// validateCommand returns the command validate.
func validateCommand() *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate FILE",
		Short: "Compare measured allreduces with simulated ones",
		Long: `Validate reads what the benchmark of the MPI library measured (mpi/bench), simulates the same
operations under the same noise, and prints by how much the mean and the quantiles differ, with 95%
confidence intervals. A predicted time is a measured time without noise plus a simulated delay. The
times without noise come from operations measured without injected detours or, in a file without
such operations, from the fastest tenth.

A statistic agrees if the whole interval of measured/predicted is within the tolerance, and differs
if the whole interval is outside; the exit code is then 1. Other statistics need more operations.

Of loops of computing and allreduces it also prints what redundancy saves, on average and in one loop
(10% to 90% of loops), since phases of detours last for a whole loop.`,
		Example: `  jitterfly research validate bench.csv
  jitterfly research validate bench.csv --tolerance 0.05 --out bench.svg
  jitterfly research validate machine.csv --noise node17.yaml --format csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
	}
	f := command.Flags(cmd)
	output.ShareVar(f, &o.tolerance, "tolerance", 0.1, "maximum relative difference of measured and predicted times")
	f.StringVar(&o.profile, "noise", "",
		"`profile` or preset of the machine's own noise")
	f.IntVar(&o.trials, "trials", 20000, "simulated operations of each kind, or iterations")
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	f.StringVarP(&o.out, "out", "o", "", "`file` of a picture of the distributions: .svg, .png or .pdf [none]")
	command.Format(cmd, &o.format, "format of the output", validationPrinters.Names())
	command.Complete(cmd, "out", command.FilesOf(figures.Formats()...))
	command.Complete(cmd, "noise", command.FilesOf("yaml", "yml"))
	cmd.ValidArgsFunction = command.First(1, command.FilesOf("csv"))
	return cmd
}

func (o *validateOptions) run(cmd *cobra.Command, name string) error {
	if err := o.check(); err != nil {
		return err
	}
	bench, err := readBench(name)
	if err != nil {
		return err
	}
	os, network, err := o.noise(name, bench, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	p := predictor{bench, os, network, o.trials, o.seed}
	v, err := validate(cmd.Context(), p, o.tolerance)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := validationPrinters[o.format](cmd.OutOrStdout(), v); err != nil {
		return command.Failure(err)
	}
	if o.out != "" {
		f := v.figure(filepath.Base(name))
		if err := f.Write(o.out); err != nil {
			return command.Failure(err)
		}
	}
	if n := v.count(differs); n > 0 {
		return command.Failure(fmt.Errorf("%d of %d statistics of %s differ from the prediction by more "+
			"than %s", n, len(v.rows), name, output.Level(o.tolerance)))
	}
	return nil
}

// check fails if one of the flags is wrong, or the picture cannot replace what has its name.
func (o *validateOptions) check() error {
	switch _, err := validationPrinters.Find(o.format); {
	case err != nil:
		return err
	case !(o.tolerance > 0):
		return fmt.Errorf("--tolerance: %s is not above 0%%", output.Level(o.tolerance))
	case o.trials < 100:
		return fmt.Errorf("--trials: %d are too few; write at least 100", o.trials)
	case o.out == "":
		return nil
	case !slices.Contains(figures.Formats(), strings.TrimPrefix(filepath.Ext(o.out), ".")):
		return fmt.Errorf("--out: %s does not end in .%s", o.out,
			strings.Join(figures.Formats(), ", ."))
	}
	return figures.Replaceable(o.out)
}

func readBench(name string) (*formats.Bench, error) {
	var in io.Reader = os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, datasets.FileError(name, err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	m, err := formats.Read(in, name)
	if errors.Is(err, formats.ErrFormat) {
		return nil, fmt.Errorf("%s: not a benchmark; validate reads the file that mpi/bench writes with "+
			"--out", name)
	}
	if err != nil {
		return nil, err
	}
	if m.Bench == nil {
		return nil, fmt.Errorf("%s: this is the output of %s; validate reads the output of mpi/bench",
			name, m.Tool)
	}
	return m.Bench, nil
}

// noise returns the noise that the benchmark met, and prints a remark if its profile is edited.
func (o *validateOptions) noise(name string, b *formats.Bench, errs io.Writer,
) (noise.OS, noise.Network, error) {
	start := noise.Synchronized
	if b.Random || b.Machine {
		start = noise.Random
	}
	switch {
	case !b.Machine && o.profile != "":
		return nil, nil, fmt.Errorf("--noise: %s has injected detours, which the file describes; "+
			"leave --noise out", name)
	case !b.Machine:
		os := noise.Periodic{Period: b.Period, Duration: b.Duration, Start: start}
		return os, noise.None{}, nil
	case o.profile == "":
		return nil, nil, errors.New("--noise: " + name + " has the machine's own noise; " +
			"measure the noise with jitterfly measure and name the profile")
	}
	m, os, err := command.Noise(o.profile, start, errs)
	return os, m.Network.Model(), err
}
