package sweep

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

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/collectives"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

type chooseOptions struct {
	Execution
	input   study.Input
	forWhat string
	against string // baseline
	out     string // directory of the trials
	program string // directory of a recording
	noCache bool
	format  string
	dryRun  bool
	verbose bool
	time    time.Duration
	begin   time.Time // of the command
}

// effort is the default of the largest effort: about what --time allows on a few cores.
const effort = "10^11"

// fewest is the default of the smallest number of trials: what a choice needs is found out.
const fewest = "2"

// defaultsFor returns the defaults of the keys for an operation and a format.
func defaultsFor(operation string, d decider) map[string]string {
	all := maps.Clone(study.Candidates(operation))
	all["trials.effort"], all["trials.min"] = effort, fewest
	maps.Copy(all, d.candidates)
	return all
}

// ChooseCommand returns the command choose, which reads the environment.
func ChooseCommand(environ []string) *cobra.Command {
	o := chooseOptions{input: study.Input{Environ: environ, Choose: true}}
	cmd := &cobra.Command{
		Use:   "choose [STUDY]",
		Short: "Name the collective, R and T for a deployment",
		Long: `Choose compares allreduces (or all-to-alls, with --operation alltoall) with several
sources per exchange (R) and redundant exchanges (T) on one machine, and names the one with the
fewest messages that is within the tolerance of the best. It prints how far above the best the
choice may be, and how much faster it is than the best collective without redundancy (R = 1, T = 0).
Trials are added until the choice has the confidence asked for, or the time or effort is spent.

Flags or the study file STUDY describe the machine. If keys have several values, choose prints a
table of decisions, with equal neighbours merged.

The trials are kept in the directory of --out, which report, compare, figures and status read. Without
--out they are kept in a cache if they took more than a second. The same command, repeated or resumed
after a signal, uses them again.

With --format openmpi, openmpi-classic or mpich choose writes tuning rules for these libraries. They
select among the library's own algorithms, which have no redundancy. With --format csv or env it
selects among what jitterfly's MPI library can deploy, with redundancy, and writes rules or shell
variables for it. R = 1 and T = 0, with at most one leader, leave the call to the MPI library
underneath.

With --program choose does so for the allreduces and barriers of a recorded program, of each number
of bytes and size of communicator, after the computing that was recorded, and says what that saves
of the run.`,
		Example: `  jitterfly choose --ranks 4096 --latency 1us --os-duration 10us
  jitterfly choose --nodes 256 --bandwidth 12GB/s --noise azure-hc44
  jitterfly choose study.yaml --objective p99 --tolerance 0.05
  jitterfly choose --ranks 2^4..2^8 --bytes 8B,1KiB,64KiB --format csv
  jitterfly choose --operation alltoall --ranks 192 --ranks-per-node 8
  jitterfly choose --ranks 2^4..2^10 --format openmpi > rules.json
  jitterfly choose --ranks 1024 --latency 1us --format env > mpi.sh
  jitterfly choose --program recording --noise alps`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.begin = time.Now()
			if cmd.Flags().Changed("operation") {
				o.input.Operation = o.forWhat
			}
			o.Errs = cmd.ErrOrStderr()
			if o.program != "" {
				return o.runProgram(cmd.Context(), cmd.OutOrStdout())
			}
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	return cmd
}

// flags defines the flags and how the shell completes them.
func (o *chooseOptions) flags(cmd *cobra.Command) {
	f := command.Flags(cmd)
	command.Choice(cmd, &o.forWhat, "operation", study.Operations()[0], "operation", study.Operations())
	f.BoolVar(&o.input.Idempotent, "idempotent", false,
		"operation that may count contributions twice, as a maximum may and a sum may not")
	command.Format(cmd, &o.format, "format of the decisions", deciders.Names())
	f.StringVar(&o.against, "baseline", best, "what gains are over, with one source and without "+
		"redundancy: a `collective`, or best (of allreduces, the best of those compared)")
	f.StringVarP(&o.out, "out", "o", "", "`directory` of the trials, which report, compare and "+
		"figures read; by default they are kept in a cache")
	f.StringVar(&o.program, "program", "", "allreduces and barriers of a recorded program: `directory` of "+
		"the recording")
	f.BoolVar(&o.noCache, "no-cache", false, "no cache of trials")
	o.AddFlags(f)
	f.DurationVar(&o.time, "time", time.Minute,
		"maximum duration, after which the best answer so far is printed; 0: unlimited")
	f.BoolVar(&o.dryRun, "dry-run", false, "only the candidates and what they would cost")
	f.BoolVarP(&o.verbose, "verbose", "v", false,
		"with --dry-run: which executors would simulate them, too")
	o.input.Defaults = defaultsFor(study.Operations()[0], decider{})
	command.Study(cmd, &o.input)
	command.Complete(cmd, "out", command.DirectoriesWith(datasets.PlanFile))
	command.Complete(cmd, "program", command.AnyDirectory)
	command.Complete(cmd, "baseline", func(cmd *cobra.Command, args []string, written string,
	) ([]string, cobra.ShellCompDirective) {
		return command.OneOf(baselines(o.forWhat)...)(cmd, args, written)
	})
}

// mostCandidates is the largest number of configurations of all deployments, whose results and
// decisions stay in memory.
const mostCandidates = 200_000

func (o *chooseOptions) run(ctx context.Context, out io.Writer) error {
	decider, err := o.check()
	if err != nil {
		return err
	}
	s, estimate, err := o.study(decider)
	if err != nil {
		return err
	}
	o.Notes(s)
	if o.dryRun {
		printer, ok := estimatePrinters[o.format]
		if !ok { // of rules
			printer = estimatePrinters["table"]
		}
		return command.Failure(printer(out, estimated{s, estimate, o.verbose}))
	}
	decisions, err := o.decide(ctx, s, estimate.Workers)
	all := advices(s, decisions, max(o.time, time.Since(o.begin)).Seconds())
	if err == nil || decider.check == nil && len(all) > 0 {
		if err := decider.print(out, s, all); err != nil {
			return command.Failure(err)
		}
		if decider.candidates != nil { // rules do not say how certain they are
			for _, caution := range cautions(s, all) {
				output.Remark(o.Errs, "%s", caution)
			}
		}
	}
	return err
}

// cautions returns what speaks against deploying choices as they are.
func cautions(s *study.Study, all []advice) (cautions []string) {
	if s.ExampleNoise() {
		cautions = append(cautions, strings.TrimSpace(exampleNoise))
	}
	if others := othersOf(s); len(others) > 0 {
		cautions = append(cautions, fmt.Sprintf("%s has several values, and the rules of each are for it alone",
			others[0].Path))
	}
	if x := summaryOf(s, all); x.unsure > 0 {
		cautions = append(cautions, strings.Join(strings.Fields(strings.TrimPrefix(x.text(""), "\n? ")), " "))
	}
	return cautions
}

// study reads the study and estimates what it takes. It fails if the format cannot express it.
func (o *chooseOptions) study(d decider) (*study.Study, Estimate, error) {
	o.input.Defaults = defaultsFor(o.forWhat, d)
	o.input.Deployable = d.deployable && o.forWhat == string(collectives.Allreduce)
	if o.against != best {
		o.input.Baseline = o.against
	}
	s, err := study.Read(o.input, min(mostCandidates, MaxConfigs()))
	if err == nil && d.check != nil {
		err = d.check(s)
	}
	if err != nil {
		return nil, Estimate{}, err
	}
	estimate, err := CostOf(s, o.Workers)
	return s, estimate, err
}

// check returns the decider that --format names. It fails if one of the flags is wrong.
func (o *chooseOptions) check() (decider, error) {
	d := deciders[o.format]
	switch {
	case d.check != nil && o.forWhat != string(collectives.Allreduce):
		return d, fmt.Errorf("--format: %s has rules of %s only; leave --operation %s or --format out",
			o.format, collectives.Allreduce, o.forWhat)
	case !slices.Contains(baselines(o.forWhat), o.against):
		return d, fmt.Errorf("--baseline: %w", output.Unknown(o.against, baselines(o.forWhat)))
	case o.time < 0:
		return d, fmt.Errorf("--time: %s is below 0", o.time)
	case o.noCache && o.out != "":
		return d, errors.New("--no-cache: --out keeps the trials in a directory; leave one of them out")
	case o.verbose && !o.dryRun:
		return d, errors.New("--verbose: it is for --dry-run; give both or none")
	}
	return d, o.Check()
}

// best is the baseline that is the best plain candidate.
const best = "best"

func baselines(operation string) []string {
	return append([]string{best}, study.CollectivesOf(operation)...)
}

// decide simulates the fields of the study and returns the decision of each, as [saver.decide] does,
// in the time that is left. The trials are kept where the flags say.
func (o *chooseOptions) decide(
	ctx context.Context, s *study.Study, workers int,
) ([]montecarlo.Decision, error) {
	choices := choicesOver(o.against)
	if o.input.Deployable {
		choices += " of what the MPI library deploys"
	}
	if o.input.Idempotent {
		choices += " with --idempotent"
	}
	saved := o.saveChoices(s, choices, o.out, o.noCache)
	if err := saved.open(); err != nil {
		return nil, err
	}
	options := montecarlo.Options{Workers: workers}
	if slices.Contains(s.Recorded.Given, "trials.min") && !o.input.Flags.Changed("time") {
		options.Least = s.Trials.Min
	}
	if o.time > 0 {
		options.Time = max(1, o.time-time.Since(o.begin))
	}
	return saved.decide(ctx, options)
}

// decide simulates the fields of the study and returns the decision of each. If ctx is cancelled, or
// the time is over before a trial, undecided deployments have no results, and the error has the code
// [command.Stopped].
func (x *saver) decide(ctx context.Context, options montecarlo.Options) ([]montecarlo.Decision, error) {
	r, s := x.newRun("choices"), x.study
	r.count.Limit = options.Time
	for i := range s.Len() {
		r.count.Expect(r.expected(i))
	}
	decisions, decided := make([]montecarlo.Decision, s.Len()), 0
	options.Done = func(i int, d montecarlo.Decision) error {
		for j := range d.Results {
			d.Results[j].Kept = montecarlo.Kept{}
		}
		decisions[i] = d
		r.count.Standing.Store(nil)
		decided++
		return nil
	}
	options.Standing = func(field int, x montecarlo.Standing) {
		text := standing(advice{points: s.FieldPoints(field)}, x)
		r.count.Standing.Store(&text)
	}
	err := r.simulate(ctx, options)
	next := "run the same command to resume"
	if x.path == "" {
		next = "--out DIR keeps the trials"
	}
	switch {
	case errors.Is(err, context.Canceled):
		return decisions, command.With(command.Stopped, fmt.Errorf(
			"stopped by a signal, after %d of %d choices; %s", decided, s.Len(), next))
	case err != nil:
		return nil, command.Failure(err)
	case decided < s.Len():
		return decisions, command.With(command.Stopped, fmt.Errorf(
			"--time: it is over after %d of %d choices; write more, or %s", decided, s.Len(), next))
	}
	return decisions, x.finish()
}

// standing returns how far a choice is known, in words, given the points of its candidates.
func standing(a advice, x montecarlo.Standing) string {
	c := a.candidate(x.Star)
	known := "nothing known yet"
	if output.Bounds(x.Regret) {
		known = "within " + strings.TrimPrefix(output.Regret(x.Regret), "≤ ")
	}
	return fmt.Sprintf("%s R=%d T=%d: %s, %d of %d candidates left", c.variant(), c.Sources, c.Redundancy,
		known, x.Left, x.Compared)
}

// Decide chooses the collective, R and T of each field as choose does, from trials that an earlier
// choice of the same study has left in the directory out, or in the cache if out is empty, and as
// many more as are needed within the time, 0 for any. It returns the directory, nil of the cache.
func (e *Execution) Decide(ctx context.Context, s *study.Study, out string, workers int,
	time time.Duration,
) ([]montecarlo.Decision, *datasets.Dir, error) {
	saved := e.saveChoices(s, choicesOver(best), out, false)
	if err := saved.open(); err != nil {
		return nil, nil, err
	}
	decisions, err := saved.decide(ctx, montecarlo.Options{Workers: workers, Time: time})
	if out == "" {
		return decisions, nil, err
	}
	return decisions, saved.dir, err
}
