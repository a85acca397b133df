package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jitterfly/cli/study"
	"jitterfly/montecarlo"
)

type chooseOptions struct {
	input   study.Input
	file    string
	forWhat string
	workers int
	format  string
	dryRun  bool
	quiet   bool
}

// chooseDefaults are a study's where it is chosen from: as many trials as it
// takes to be sure, but not more than some seconds' worth.
var chooseDefaults = map[string]string{
	"trials.min":    "100",
	"trials.max":    "300000",
	"trials.until":  "choice",
	"trials.effort": "10^10",
}

// defaultsFor are those of choosing for an operation, and for a format.
func defaultsFor(operation string, d decider) map[string]string {
	defaults := maps.Clone(chooseDefaults)
	maps.Copy(defaults, study.Candidates(operation))
	maps.Copy(defaults, d.candidates)
	return defaults
}

func chooseCommand(environ []string) *cobra.Command {
	o := chooseOptions{input: study.Input{Environ: environ, Profile: findProfile, Choose: true}}
	cmd := &cobra.Command{
		Use:   "choose",
		Short: "Name the collective, R and T for a deployment",
		Long: `Choose compares all allreduces (or all-to-alls, with --operation alltoall), with several sources per exchange (R) and redundant
exchanges (T), on the noise of a deployment. It recommends the one with the fewest messages
among those whose objective is within the tolerance of the best, and says how sure that is.
Trials are added until it is as sure as asked for, or the effort is spent.

A deployment is given by the flags of a study, or its file. Where keys have several values
there are as many deployments, and a table of decisions that merges equal neighbours.

  --format openmpi, openmpi-classic and mpich write rules that these libraries read. They
choose among the algorithms the libraries have, without redundancy: the rules carry no T.`,
		Example: `  jitterfly choose --ranks 4096 --latency 100ns --os-duration 10us
  jitterfly choose --ranks 1000 --bytes 64KiB --objective p99 --tolerance 0.05
  jitterfly choose --ranks 2^4..2^8 --bytes 8B,1KiB,64KiB --format csv
  jitterfly choose --operation alltoall --ranks 192 --ranks-per-node 8 --contention hol --bytes 1KiB,64KiB
  jitterfly choose --ranks 2^4..2^10 --bytes 8B,64KiB,1MiB --format openmpi > rules.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.input.Flags = cmd.Flags()
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.forWhat, "operation", study.Operations()[0], "what to choose a collective for: "+strings.Join(study.Operations(), ", "))
	f.StringVar(&o.file, "study", "", "study `file` that describes the deployments")
	f.BoolVar(&o.input.Idempotent, "idempotent", false, "the operation may count contributions twice, as a maximum may and a sum may not")
	f.StringVar(&o.format, "format", "table", "how to print decisions: "+strings.Join(deciderNames(), ", "))
	workersFlag(f, &o.workers)
	f.BoolVar(&o.dryRun, "dry-run", false, "print the candidates and what they would cost")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.StringArrayVar(&o.input.Set, "set", nil, "set any key of the study: `key=value`")
	study.Flags(f, defaultsFor(study.Operations()[0], decider{}))
	completeStudy(cmd)
	completeFlag(cmd, "operation", oneOf(study.Operations()...))
	completeFlag(cmd, "study", studyFiles())
	completeFlag(cmd, "format", oneOf(deciderNames()...))
	return cmd
}

func (o *chooseOptions) run(ctx context.Context, out, errs io.Writer) error {
	decider, ok := deciders[o.format]
	if !ok {
		return fmt.Errorf("--format: %q is not known; known are %s", o.format, strings.Join(deciderNames(), ", "))
	}
	if o.workers < 1 {
		return fmt.Errorf("--workers: %d is not at least 1", o.workers)
	}
	if !slices.Contains(study.Operations(), o.forWhat) {
		return fmt.Errorf("--operation: %q is not known; known are %s", o.forWhat, strings.Join(study.Operations(), ", "))
	}
	o.input.Name = "choose.yaml" // of nothing
	if o.file != "" {
		file, err := study.ReadFile(o.file)
		if err != nil {
			return err
		}
		o.input.Name, o.input.File = file.Name, file.File
	}
	o.input.Defaults = defaultsFor(o.forWhat, decider)
	memory := availableMemory()
	s, err := study.Read(o.input, memory/4/study.BytesPerConfig)
	if err != nil {
		return err
	}
	if decider.check != nil {
		if err := decider.check(s); err != nil {
			return err
		}
	}
	cost, err := estimate(s, o.workers, memory)
	if err != nil {
		return err
	}
	if o.dryRun {
		return failed(printPlan(out, s, cost, "table"))
	}
	if !o.quiet {
		for _, note := range s.Notes {
			_, _ = fmt.Fprintf(errs, "jitterfly: %s\n", note)
		}
	}
	decisions, err := o.decide(ctx, s, cost, errs)
	if err != nil {
		return err
	}
	return failed(decider.print(out, s, decisions))
}

// decide plays the study's fields.
func (o *chooseOptions) decide(ctx context.Context, s *study.Study, cost cost, errs io.Writer) ([]montecarlo.Decision, error) {
	progress := progress{total: len(s.Fields), what: "choices", work: s.Trials.Effort * float64(len(s.Fields))} // at most
	stop := func() {}
	if !o.quiet {
		stop = progress.show(errs)
	}
	begin := time.Now()
	decisions := make([]montecarlo.Decision, len(s.Fields))
	err := montecarlo.Run(ctx, &s.Study, montecarlo.Options{
		Workers: cost.workers,
		Done: func(i int, d montecarlo.Decision) error {
			for j := range d.Results {
				d.Results[j].Completion = nil
			}
			decisions[i] = d
			progress.done.Add(1)
			return nil
		},
		Progress: &progress.rankRounds,
	})
	stop()
	if errors.Is(err, context.Canceled) {
		return nil, failure{exitStopped, errors.New("stopped by a signal; nothing was decided")}
	}
	if err != nil {
		return nil, failed(err)
	}
	if !o.quiet {
		_, _ = fmt.Fprintf(errs, "jitterfly: played up to %.3g rank-rounds in %s\n", float64(progress.rankRounds.Load()), time.Since(begin).Round(time.Millisecond))
	}
	return decisions, nil
}
