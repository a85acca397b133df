package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

// clusterCommand returns the command cluster, which reads the environment, with the commands that compute
// a study by shards below it in the order of their use.
func clusterCommand(environ []string) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "cluster",
		Short: "Compute a study in shards: plan, submit, run, status, merge",
		Long: `Cluster computes a study in shards, on a cluster or elsewhere. Plan divides the study, submit hands
the shards to a scheduler, run computes one, status shows what is there and checks every file, and merge
writes the tables.`,
		Example: "  jitterfly cluster plan study.yaml --shards 12",
	}, planCommand(environ), submitCommand(environ), runCommand(environ), statusCommand(), mergeCommand())
}

// openLoaded opens a directory that has a plan and finds what it has of all shards.
func openLoaded(path string, errs io.Writer) (*datasets.Dir, error) {
	dir, err := sweep.Open(path)
	if err != nil || dir.Finished() {
		return dir, err
	}
	return dir, (&sweep.Execution{Errs: errs}).Load(dir, sweep.All)
}

func submitCommand(environ []string) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "submit",
		Short: "Submit the shards of a plan to a cluster's scheduler",
		Long: `Submit passes the shards of a plan that are not complete to a scheduler, which runs,
restarts and limits them as it does with all jobs. It can be repeated: only what is missing is
submitted.`,
		Example: "  jitterfly cluster submit slurm results --time 1:00:00",
	}, slurmCommand(environ), kubernetesCommand())
}

type planOptions struct {
	sweep.Options
	shards int
}

func planCommand(environ []string) *cobra.Command {
	o := planOptions{Options: sweep.Options{Input: sweep.DefaultInput(environ)}}
	cmd := &cobra.Command{
		Use:   "plan [STUDY]",
		Short: "Divide a study into shards for a cluster",
		Long: `Plan reads a study as sweep does and writes its configurations, divided into N shards, into
a directory. The shards have about the same estimated cost. The directory then needs
nothing from outside: files that the study refers to are copied into it.

"jitterfly cluster run DIR" computes a shard, on any machine that has the directory; "jitterfly cluster merge
DIR" writes the tables, the same bytes as a sweep on one machine writes.`,
		Example: `  jitterfly cluster plan study.yaml --shards 12 --out results
  jitterfly cluster submit slurm results --time 1:00:00`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Errs = cmd.ErrOrStderr()
			return o.run(cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	f.StringVarP(&o.Out, "out", "o", "results", "directory of the plan and the results")
	f.IntVar(&o.shards, "shards", 0, "number of shards to divide the study into")
	f.BoolVar(&o.KeepTrials, "keep-trials", false,
		"trials.parquet too: the completion time of every trial at every T")
	f.BoolVar(&o.Quiet, "quiet", false, "no output")
	f.BoolVar(&o.Input.Strict, "strict", false, study.StrictHelp)
	command.Study(cmd, &o.Input)
	command.Complete(cmd, "out", command.AnyDirectory)
	return cmd
}

// exampleShards is the number of shards that an error suggests.
const exampleShards = 8

func (o *planOptions) run(out io.Writer) error {
	s, err := study.Read(o.Input, sweep.MaxConfigs())
	if err != nil {
		return err
	}
	if o.shards == 0 {
		return fmt.Errorf("--shards: not given; write into how many shards to divide the %d configurations, as "+
			"--shards %d", len(s.Configurations), min(len(s.Configurations), exampleShards))
	}
	if o.shards < 1 || o.shards > len(s.Configurations) {
		return fmt.Errorf("--shards: write a number from 1 to %d, the number of configurations, "+
			"not %d", len(s.Configurations), o.shards)
	}
	o.Notes(s)
	dir, err := sweep.Begin(o.Out, s, o.shards, o.KeepTrials)
	if err != nil {
		return err
	}
	plan := dir.Plan()
	if len(plan.Shards) != o.shards {
		return command.Failure(fmt.Errorf("%s: planned with %d shards, which cannot be changed; "+
			"name another directory with --out", o.Out, len(plan.Shards)))
	}
	if o.Quiet {
		return nil
	}
	byCost := func(a, b datasets.Shard) int { return cmp.Compare(a.Cost, b.Cost) }
	_, err = fmt.Fprintf(out, "%s: %d configurations in %d shards of %.3g to %.3g "+
		"simulated messages\n", o.Out, plan.Configurations, len(plan.Shards),
		slices.MinFunc(plan.Shards, byCost).Cost, slices.MaxFunc(plan.Shards, byCost).Cost)
	return command.Failure(err)
}

type runOptions struct {
	sweep.Execution
	environ []string
	shard   int
	given   bool // the shard
}

func runCommand(environ []string) *cobra.Command {
	o := runOptions{environ: environ}
	cmd := &cobra.Command{
		Use:   "run DIR",
		Short: "Compute one shard of a plan",
		Long: `Run simulates the configurations of one shard that DIR lacks. It may be stopped, killed,
and run again, also while another process runs the same shard: what is complete is kept, and
results are the same.

Without --shard the scheduler gives the shard: by the index of a task in a job array (of Slurm, PBS,
Grid Engine, LSF, AWS Batch or a Kubernetes Indexed Job) or by the rank of a process (under
srun, Open MPI or another launcher with PMI or PMIx). Grid Engine and LSF count from 1, so that
their task 1 is shard 0. A rank counts only if it is one of several.`,
		Example: `  jitterfly cluster run results --shard 3
  srun -n 12 jitterfly cluster run results`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Errs, o.given = cmd.ErrOrStderr(), cmd.Flags().Changed("shard")
			return o.run(cmd.Context(), args[0])
		},
	}
	f := command.Flags(cmd)
	f.IntVar(&o.shard, "shard", 0, "number of the shard, from 0 [the scheduler's]")
	o.AddFlags(f)
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func (o *runOptions) run(ctx context.Context, path string) error {
	if err := o.Check(); err != nil {
		return err
	}
	dir, err := sweep.Open(path)
	if err != nil {
		return err
	}
	where := "--shard"
	if !o.given {
		if o.shard, where, err = schedulerIndex(o.environ); err != nil {
			return err
		}
	}
	if n := len(dir.Plan().Shards); o.shard < 0 || o.shard >= n {
		return fmt.Errorf("%s: shard %d is outside the plan: %s has shards 0 to %d",
			where, o.shard, path, n-1)
	}
	if dir.Finished() {
		o.Clean(dir)
		o.Note("%s: the study is finished; nothing to compute", path)
		return nil
	}
	dir, s, err := sweep.OpenPlanned(path)
	if err != nil {
		return err
	}
	estimate, err := sweep.CostOf(s, o.Workers)
	if err != nil {
		return err
	}
	if err := o.Load(dir, o.shard); err != nil {
		return err
	}
	if dir.Progress()[o.shard].Missing() == 0 {
		o.Note("%s: shard %d is complete; nothing to compute", path, o.shard)
		return nil
	}
	return o.Simulate(ctx, s, estimate.Workers, dir, o.shard)
}

func statusCommand() *cobra.Command {
	var missing, readData bool
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
			if missing {
				return printMissing(args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return status(args[0], readData, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&missing, "missing", false,
		"print only the shards that are not complete, as job arrays take them: 3,7-9")
	cmd.Flags().BoolVar(&readData, "read-data", false,
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

// status prints the progress of shards and the damaged files.
func status(path string, readData bool, out io.Writer) error {
	dir, err := openLoaded(path, io.Discard) // what cannot be used is among the damaged
	if errors.Is(err, datasets.ErrNoPlan) {
		return err
	}
	damaged, failed := datasets.Verify(path, readData)
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
	t := output.Columns("shard", "configurations", "of", "cost")
	for i, p := range shards {
		done += p.Done
		if p.Missing() > 0 {
			t.Append(i, p.Done, p.Total, fmt.Sprintf("%.3g", dir.Plan().Shards[i].Cost))
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

func mergeCommand() *cobra.Command {
	var o sweep.Options
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
			return merge(&o, args[0], cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	command.Format(cmd, &o.Format, "format of the choices", sweep.Printers.Names())
	f.BoolVar(&o.Quiet, "quiet", false, "no output but the choices and errors")
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func merge(o *sweep.Options, path string, out io.Writer) error {
	show := sweep.Printers[o.Format]
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

// A variable of the environment that may name the shard of a process.
type variable struct {
	name string
	base int    // value of the first index
	none string // value without an index
	with string // another variable, without which this one has another meaning
	size string // of a rank: the variable with the number of processes
}

// tasks are the variables with the index in a job array. A process has at most one.
var tasks = []variable{
	{name: "SLURM_ARRAY_TASK_ID"},
	{name: "PBS_ARRAY_INDEX"},
	{name: "SGE_TASK_ID", base: 1, none: "undefined"},
	{name: "LSB_JOBINDEX", base: 1, none: "0"},
	{name: "JOB_COMPLETION_INDEX"},
	{name: "AWS_BATCH_JOB_ARRAY_INDEX"},
}

// ranks are the variables with the rank in a launch, by the names of several interfaces.
var ranks = []variable{
	{name: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE"},
	{name: "PMIX_RANK"},
	{name: "PMI_RANK", size: "PMI_SIZE"},
	// A batch script has SLURM_PROCID too, but no step.
	{name: "SLURM_PROCID", with: "SLURM_STEP_ID", size: "SLURM_STEP_NUM_TASKS"},
}

// A claim is a variable that names a shard.
type claim struct {
	index int
	text  string // NAME=value
}

// schedulerIndex returns the shard that the scheduler's environment names, and the variable
// that does. It fails if none does, or if two name different shards.
//
// A rank that is the only one of its launch is ignored, so that a task of an array may start one
// process with srun. Several processes in one task are an error: each could mean the shard of the
// task or of its rank.
func schedulerIndex(environ []string) (shard int, name string, err error) {
	values := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	inArray, err := claims(tasks, values)
	if err != nil {
		return 0, "", err
	}
	launched, err := claims(ranks, values)
	if err != nil {
		return 0, "", err
	}
	alone := func(v variable) bool { return values[v.name] != "" && values[v.size] == "1" }
	if slices.ContainsFunc(ranks, alone) {
		launched = nil
	}
	if len(inArray) > 0 && len(launched) > 0 {
		return 0, "", fmt.Errorf("environment: %s and %s both name shards; "+
			"start one process in each task, or give --shard", inArray[0].text, launched[0].text)
	}
	found := slices.Concat(inArray, launched)
	if len(found) == 0 {
		return 0, "", errors.New("--shard: none is given, and no scheduler's environment names one")
	}
	for _, c := range found[1:] {
		if c.index != found[0].index {
			return 0, "", fmt.Errorf("environment: %s and %s name two shards, %d and %d; "+
				"give --shard", found[0].text, c.text, found[0].index, c.index)
		}
	}
	return found[0].index, found[0].text, nil
}

func claims(variables []variable, values map[string]string) ([]claim, error) {
	var found []claim
	for _, v := range variables {
		text := values[v.name]
		if text == "" || text == v.none || v.with != "" && values[v.with] == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil || int(n) < v.base {
			return nil, fmt.Errorf("environment: %s=%s is not an index from %d; give --shard",
				v.name, text, v.base)
		}
		found = append(found, claim{int(n) - v.base, v.name + "=" + text})
	}
	return found, nil
}
