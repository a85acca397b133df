package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/vector"
	"jitterfly/montecarlo"
	"jitterfly/montecarlo/attribution"
)

type attributeOptions struct {
	sweep.Execution
	input      study.Input
	out        string // directory of trials and of the answer
	program    string // directory of a recording
	calls      int    // of the program; 0 without one
	format     string
	time       time.Duration
	resolution float64
	cores      int
	spare      int
	shorten    []string              // NAME=FACTOR
	objective  attribution.Statistic // of the study
}

// attributeCommand returns the command attribute, which reads the environment.
func attributeCommand(environ []string) *cobra.Command {
	o := attributeOptions{input: study.Input{
		Environ: environ, Choose: true,
		Defaults: map[string]string{study.Sources.Path: "1,2,3"},
	}}
	cmd := &cobra.Command{
		Use:   "attribute [STUDY]",
		Short: "Rank sources of noise by their cost, and remedies by their gain",
		Long: `Attribute simulates the same trials with and without each source of noise: the
components of a profile or noise.os, its unusual classes of nodes, the noise of the
network, and the imbalance of an application.
It prints what each source costs alone, what its removal brings, and its share of what all cost, at
the plain collective and at the R and T that choose recommends. Shares are Shapley values, and sum to
the whole cost.

Then it tries remedies: to remove a source, to align it on all nodes, to shorten it (--shorten), to
leave a core of each node to the noise that can move (--cores, --spare), and to use redundancy. It
takes the best one, then the best after that, until none gains 1%.

Over several numbers of ranks it prints which source matters from which scale on.`,
		Example: `  jitterfly attribute --noise azure-hc44 --ranks 256
  jitterfly attribute --noise alps --ranks 2^4..2^8 --format csv
  jitterfly attribute --noise azure-hc44 --ranks 64 --compute 100us --iterations 4 --cores 8 --spare 1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Errs = cmd.ErrOrStderr()
			if o.program != "" {
				var err error
				if o.calls, err = sweep.UseProgram(&o.input, o.program, o.Note); err != nil {
					return err
				}
			}
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	return cmd
}

// flags defines the flags and how the shell completes them.
func (o *attributeOptions) flags(cmd *cobra.Command) {
	f := command.Flags(cmd)
	command.Format(cmd, &o.format, "format of the costs", attributePrinters.Names())
	f.StringVarP(&o.out, "out", "o", "", "`directory` of the trials and of the answer, which report and "+
		"figures read; by default the trials are kept in choose's cache")
	f.StringVar(&o.program, "program", "", "allreduces or barriers of a recorded program, those that take most "+
		"time: `directory` of the recording")
	o.AddFlags(f)
	f.DurationVar(&o.time, "time", time.Minute, "duration of the command, about; 0: unlimited")
	command.Share(f, &o.resolution, "resolution", 0.1,
		"half-width of the interval of each cost, by the whole cost")
	f.IntVar(&o.cores, "cores", 0, "cores of a node, for the remedy of spare cores")
	f.IntVar(&o.spare, "spare", 0, "cores among --cores that compute nothing and take the noise that can move")
	f.StringArrayVar(&o.shorten, "shorten", nil,
		"source of OS jitter with its lengths multiplied: `NAME=FACTOR`, as tick=0.5; "+
			"may be repeated")
	command.Study(cmd, &o.input)
	command.Complete(cmd, "program", command.AnyDirectory)
	command.Complete(cmd, "out", command.DirectoriesWith(datasets.PlanFile))
}

// check fails if one of the flags is wrong.
func (o *attributeOptions) check() error {
	switch {
	case o.time < 0:
		return fmt.Errorf("--time: %s is below 0", o.time)
	case !(o.resolution > 0 && o.resolution < 1):
		return fmt.Errorf("--resolution: %s is not between 0%% and 100%%", output.Level(o.resolution))
	case (o.cores == 0) != (o.spare == 0):
		return errors.New("--spare: it is for --cores; give both, as --cores 8 --spare 1")
	case o.cores < 0 || o.spare < 0 || o.cores > 0 && o.spare >= o.cores:
		return fmt.Errorf("--spare: of %d cores %d can not be spared; leave at least one", o.cores, o.spare)
	}
	return o.Check()
}

// factors returns by source what --shorten multiplies its lengths by. It fails if a name is not one
// of a source of OS jitter, or a factor is not between 0 and 1.
func (o *attributeOptions) factors(sources []study.Source) (map[int]float64, error) {
	factors := map[int]float64{}
	for _, text := range o.shorten {
		at := strings.LastIndex(text, "=")
		if at < 1 {
			return nil, fmt.Errorf("--shorten: %q lacks a factor; write NAME=FACTOR, as tick=0.5", text)
		}
		name := text[:at]
		factor, err := strconv.ParseFloat(text[at+1:], 64)
		if err != nil || !(factor > 0 && factor < 1) {
			return nil, fmt.Errorf("--shorten: the factor %q of %s is not between 0 and 1", text[at+1:], name)
		}
		var names []string
		for i, s := range sources {
			if s.Kind == study.JitterSource {
				names = append(names, s.Name)
				if s.Name == name {
					factors[i] = factor
				}
			}
		}
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--shorten: %w", output.Unknown(name, names))
		}
	}
	return factors, nil
}

// mostFields is the largest number of machines, each of which takes seconds.
const mostFields = 1000

func (o *attributeOptions) run(ctx context.Context, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := o.study()
	if err != nil {
		return err
	}
	estimate, err := sweep.CostOf(s, o.Workers)
	if err != nil {
		return err
	}
	o.Notes(s)
	begin := time.Now()
	decisions, dir, err := o.Decide(ctx, s, o.out, estimate.Workers, o.time/2)
	if err != nil {
		return err
	}
	decided := time.Now()
	answers, err := o.answers(ctx, s, decisions, estimate.Workers, begin)
	if err != nil {
		return err
	}
	o.Note("simulated sources and remedies in %s, and before that R and T",
		time.Since(decided).Round(time.Millisecond))
	if dir != nil {
		rows := slices.Concat(vector.Each(answers, (*answer).rows)...)
		if err := dir.WriteAttribution(rows); err != nil {
			return command.Failure(err)
		}
	}
	return command.Failure(attributePrinters[o.format](out, answers))
}

// study reads the study, and what its times are compared by. It fails if its sources cannot be attributed,
// as in the maximum of all trials.
func (o *attributeOptions) study() (*study.Study, error) {
	s, err := study.Read(o.input, min(50*mostFields, sweep.MaxConfigs()))
	if err != nil {
		return nil, err
	}
	if s.Len() > mostFields {
		return nil, fmt.Errorf("%d machines are too many at once; at most %d", s.Len(), mostFields)
	}
	p, ok := s.Objective.Quantile()
	if o.objective.P = p; !ok {
		return nil, fmt.Errorf("--objective: the cost of a source in the %s of all trials "+
			"is not defined; write mean or a quantile, as p99", s.Objective.Name)
	}
	for i := range s.Len() {
		if _, err := o.factors(s.SourcesOf(s.First(i))); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// answers analyzes all machines, in the time that is left since it began.
func (o *attributeOptions) answers(ctx context.Context, s *study.Study, decisions []montecarlo.Decision,
	workers int, begin time.Time,
) ([]*answer, error) {
	var answers []*answer
	for i := range s.Len() {
		a := &answer{attributeOptions: o, study: s, from: s.First(i), decision: decisions[i], workers: workers}
		if o.time > 0 { // what is left is divided among the machines that are left
			a.deadline = time.Now().Add((o.time - time.Since(begin)) / time.Duration(s.Len()-i))
		}
		err := a.find(ctx)
		if errors.Is(err, context.Canceled) {
			err = command.With(command.Stopped, fmt.Errorf("stopped by a signal, after %d of %d machines", i, s.Len()))
		}
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	return answers, nil
}
