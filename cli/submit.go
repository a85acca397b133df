package cli

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/sweep"
	"jitterfly/datasets"
	"jitterfly/internal/units"
	"jitterfly/internal/vector"
)

//go:embed jobs
var jobs embed.FS

// slurmDir is the subdirectory of the plan's directory for batch scripts and logs.
const slurmDir = "slurm"

type slurmOptions struct {
	environ   []string
	throttle  int
	time      string
	partition string
	cpus      int
	memory    string
	restarts  int
	notice    int
	dryRun    bool
	more      []string // for sbatch

	dir     string // absolute
	program string
	max     int // size of an array
	out     io.Writer
}

func slurmCommand(environ []string) *cobra.Command {
	o := slurmOptions{environ: environ}
	cmd := &cobra.Command{
		Use:   "slurm DIR [-- SBATCH-OPTION...]",
		Short: "Submit a job array to Slurm, and a job that merges after it",
		Long: `Slurm submits the shards that are missing as a job array (several, where there are more
than Slurm's MaxArraySize), and a job that merges when all their tasks have ended, however they
ended. The batch scripts and the logs are in DIR/slurm.

Before its time limit a task writes what is complete and is requeued, at most --max-restarts
times. A cancelled task writes what is complete too. If tasks fail, the merge says which shards
are missing; submit again to run those.`,
		Example: `  jitterfly cluster submit slurm results --time 1:00:00 --cpus 4 --throttle 50
  jitterfly cluster submit slurm results --partition short -- --account=physics --qos=low`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) > 1 && at != 1 {
				return fmt.Errorf("submit slurm: one directory is expected, not %q; "+
					"options for sbatch follow --", args[1])
			}
			o.more, o.out = args[1:], cmd.OutOrStdout()
			return o.run(args[0], cmd.ErrOrStderr())
		},
	}
	f := command.Flags(cmd)
	f.IntVar(&o.throttle, "throttle", 0, "maximum tasks that run at the same time; 0: unlimited")
	f.StringVar(&o.time, "time", "", "time limit of a task, as of sbatch")
	f.StringVar(&o.partition, "partition", "", "partition, as of sbatch")
	f.IntVar(&o.cpus, "cpus", 1, "processors of a task")
	f.StringVar(&o.memory, "mem", "", "memory of a task, as of sbatch")
	f.IntVar(&o.restarts, "max-restarts", 3, "maximum restarts of a task")
	f.IntVar(&o.notice, "notice", 120,
		"seconds before the time limit at which a task writes what it has and is requeued")
	f.BoolVar(&o.dryRun, "dry-run", false,
		"only the scripts, and what would be submitted")
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func (o *slurmOptions) check() error {
	switch {
	case o.throttle < 0:
		return fmt.Errorf("--throttle: %d is below 0", o.throttle)
	case o.cpus < 1:
		return fmt.Errorf("--cpus: %d is not at least 1", o.cpus)
	case o.restarts < 0:
		return fmt.Errorf("--max-restarts: %d is below 0", o.restarts)
	case o.notice < 1 || o.notice > 65535:
		return fmt.Errorf("--notice: %d is not 1 to 65535 s", o.notice)
	}
	if limit, ok := slurmSeconds(o.time); ok && limit <= o.notice {
		return fmt.Errorf("--time: %s is %d s, and --notice stops a task %d s before its end; "+
			"give a longer time, or a shorter --notice", o.time, limit, o.notice)
	}
	return nil
}

func (o *slurmOptions) run(path string, errs io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := openLoaded(path, errs)
	if err != nil {
		return err
	}
	missing := dir.Missing()
	if len(missing) == 0 {
		_, err := fmt.Fprintf(o.out, "%s: all shards are complete; nothing to submit, "+
			"jitterfly cluster merge %s writes or prints the tables\n", path, path)
		return command.Failure(err)
	}
	if o.dir, err = filepath.Abs(path); err != nil {
		return command.Failure(err)
	}
	if o.program, err = os.Executable(); err != nil {
		return command.Failure(err)
	}
	if err := o.writeScripts(); err != nil {
		return command.Failure(err)
	}
	if o.max, err = o.arraySize(); err != nil {
		return command.Failure(err)
	}
	return command.Failure(o.submit(missing))
}

func (o *slurmOptions) writeScripts() error {
	folder := filepath.Join(o.dir, slurmDir)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, name := range []string{"shard.sh", "merge.sh"} {
		script, _ := jobs.ReadFile("jobs/" + name) // it is embedded
		if err := datasets.WriteFile(filepath.Join(folder, name), script); err != nil {
			return err
		}
	}
	return nil
}

func (o *slurmOptions) submit(missing units.Indexes) error {
	var jobs []string
	for len(missing) > 0 {
		n, offset := o.chunk(missing)
		job, err := o.sbatch(o.array(missing[:n], offset, jobs))
		if err != nil {
			return withJobs(err, jobs)
		}
		if _, err := fmt.Fprintf(o.out, "shards %s: job %s\n", missing[:n], job); err != nil {
			return err
		}
		jobs, missing = append(jobs, job), missing[n:]
	}
	job, err := o.sbatch(o.finaliser(jobs))
	if err != nil {
		return withJobs(err, jobs)
	}
	_, err = fmt.Fprintf(o.out, "merge after them: job %s, which writes %s\n",
		job, filepath.Join(o.dir, slurmDir, job+"-merge.log"))
	return err
}

// withJobs adds to an error which jobs were submitted before it.
func withJobs(err error, jobs []string) error {
	if len(jobs) == 0 {
		return err
	}
	return fmt.Errorf("%w; submitted before: scancel %s, or merge when they have ended",
		err, strings.Join(jobs, " "))
}

// chunk returns how many of the shards fit into one array, whose indexes begin at 0 and
// end below its maximum size, and the shard of index 0.
func (o *slurmOptions) chunk(missing units.Indexes) (n, offset int) {
	offset = missing[0] / o.max * o.max
	n, _ = slices.BinarySearch(missing, offset+o.max)
	return n, offset
}

// array returns the arguments of sbatch for some shards. With a throttle an array waits for
// the one before, so that both together stay below it.
func (o *slurmOptions) array(shards units.Indexes, offset int, before []string) []string {
	indexes := vector.Each(shards, func(shard int) int { return shard - offset })
	array := "--array=" + units.Indexes(indexes).String()
	if o.throttle > 0 {
		array += fmt.Sprintf("%%%d", o.throttle)
	}
	args := append(o.common("%A_%a.log"), array, "--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", o.notice), fmt.Sprintf("--cpus-per-task=%d", o.cpus))
	if o.throttle > 0 && len(before) > 0 {
		args = append(args, "--dependency=afterany:"+before[len(before)-1])
	}
	args = append(args, o.more...)
	return append(args, filepath.Join(o.dir, slurmDir, "shard.sh"), o.program, o.dir,
		fmt.Sprint(offset), fmt.Sprint(o.restarts))
}

// finaliser returns the arguments of sbatch for the job that merges. It waits for any end
// of the tasks: if it waited for success, one that failed would block it for ever.
func (o *slurmOptions) finaliser(jobs []string) []string {
	args := append(o.common("%j-merge.log"), "--dependency=afterany:"+strings.Join(jobs, ":"))
	args = append(args, o.more...)
	return append(args, filepath.Join(o.dir, slurmDir, "merge.sh"), o.program, o.dir)
}

// common returns the arguments of sbatch that all jobs have.
func (o *slurmOptions) common(log string) []string {
	folder := strings.ReplaceAll(filepath.Join(o.dir, slurmDir), "%", "%%")
	args := []string{"--parsable", "--job-name=jitterfly", "--open-mode=append",
		"--output=" + filepath.Join(folder, log)}
	for _, option := range [][2]string{
		{"--partition=", o.partition}, {"--time=", o.time}, {"--mem=", o.memory},
	} {
		if option[1] != "" {
			args = append(args, option[0]+option[1])
		}
	}
	return args
}

// sbatch submits a job and returns its number. With --dry-run it prints the command.
func (o *slurmOptions) sbatch(args []string) (job string, err error) {
	if o.dryRun {
		_, err := fmt.Fprintln(o.out, "sbatch", strings.Join(vector.Each(args, output.ShellWord), " "))
		return "JOB", err
	}
	out, err := o.command("sbatch", args...)
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // a cluster may follow
	if _, number := strconv.ParseUint(job, 10, 64); err == nil && number != nil {
		err = fmt.Errorf("sbatch: printed %.80q, not the number of a job", out)
	}
	return job, err
}

var maxArraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*([0-9]+)$`)

// usualArraySize is the default of Slurm's MaxArraySize.
const usualArraySize = 1001

// arraySize returns Slurm's MaxArraySize: the indexes of an array are below it.
func (o *slurmOptions) arraySize() (int, error) {
	config, err := o.command("scontrol", "show", "config")
	if o.dryRun && err != nil {
		return usualArraySize, nil
	}
	if err != nil {
		return 0, err
	}
	found := maxArraySize.FindStringSubmatch(config)
	if found == nil {
		return 0, errors.New("scontrol show config: has no MaxArraySize")
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 2 {
		return 0, fmt.Errorf("scontrol show config: MaxArraySize is %s: "+
			"this Slurm has no job arrays", found[1])
	}
	return n, nil
}

// command runs one of Slurm's commands and returns what it prints. The variables that
// Slurm sets for the job of this process are not passed on.
func (o *slurmOptions) command(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	for _, v := range o.environ {
		if !strings.HasPrefix(v, "SLURM_") || strings.HasPrefix(v, "SLURM_CONF=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: %w; run this where Slurm's commands are, or add --dry-run",
			name, exec.ErrNotFound)
	case err != nil:
		return "", fmt.Errorf("%s: %s (%w)", name, strings.Join(strings.Fields(errs.String()), " "), err)
	}
	return string(out), nil
}

// slurmSeconds returns the seconds of a time as sbatch takes it: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds. It returns
// false for no limit, 0, and for others, which sbatch may know.
func slurmSeconds(text string) (seconds int, ok bool) {
	days, rest, hasDays := strings.Cut(text, "-")
	units := map[int][]int{1: {60}, 2: {60, 1}, 3: {3600, 60, 1}}
	if hasDays {
		units = map[int][]int{1: {3600}, 2: {3600, 60}, 3: {3600, 60, 1}}
	} else {
		days, rest = "0", text
	}
	parts := append([]string{days}, strings.Split(rest, ":")...)
	of := append([]int{86400}, units[len(parts)-1]...)
	if len(of) != len(parts) {
		return 0, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1<<20 {
			return 0, false
		}
		seconds += n * of[i]
	}
	return seconds, seconds > 0
}

type kubernetesOptions struct {
	Image    string
	Claim    string
	SubPath  string
	CPUs     string
	Throttle int // the number of shards if it is unlimited
	Restarts int
	Shards   int
	dryRun   bool
}

func kubernetesCommand() *cobra.Command {
	o := kubernetesOptions{}
	cmd := &cobra.Command{
		Use:   "kubernetes DIR",
		Short: "Print an Indexed Job for Kubernetes",
		Long: `Kubernetes prints the manifest of an Indexed Job with an index for each shard of the plan.
The plan's directory must be on a volume that all pods can write to. Kubernetes restarts pods
that fail, at most --max-restarts times for each shard, and always pods whose node went away.
Shards that are complete end at once. When the job has ended, jitterfly cluster merge writes the
tables.`,
		Example: `  jitterfly cluster submit kubernetes results --image registry/jitterfly:0.1.0 ` +
			`--claim results --dry-run | kubectl create -f -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args[0], cmd.OutOrStdout())
		},
	}
	f := command.Flags(cmd)
	f.StringVar(&o.Image, "image", "", "container image that has jitterfly, of this version")
	f.StringVar(&o.Claim, "claim", "", "persistent volume claim that has the directory")
	f.StringVar(&o.SubPath, "sub-path", "", "the directory's path on that volume [its name]")
	f.StringVar(&o.CPUs, "cpus", "1", "processors of a pod")
	f.IntVar(&o.Throttle, "throttle", 0, "maximum pods that run at the same time; 0: unlimited")
	f.IntVar(&o.Restarts, "max-restarts", 3, "maximum failures of a shard, which then begins again")
	f.BoolVar(&o.dryRun, "dry-run", false, "only the manifest, printed")
	cmd.ValidArgsFunction = command.First(1, command.DirectoriesWith(datasets.PlanFile))
	return cmd
}

func (o *kubernetesOptions) run(path string, out io.Writer) error {
	switch {
	case !o.dryRun:
		return errors.New("submit kubernetes: only prints the manifest; " +
			"add --dry-run and pipe it to kubectl create -f -")
	case o.Image == "" || o.Claim == "":
		return errors.New("submit kubernetes: --image and --claim say where the program and " +
			"the directory are; give both")
	case o.Throttle < 0 || o.Restarts < 0:
		return errors.New("submit kubernetes: --throttle and --max-restarts cannot be below 0")
	}
	dir, err := sweep.Open(path)
	if err != nil {
		return err
	}
	o.Shards = len(dir.Plan().Shards)
	o.Throttle = cmp.Or(o.Throttle, o.Shards)
	if absolute, err := filepath.Abs(path); o.SubPath == "" && err == nil {
		o.SubPath = filepath.Base(absolute)
	}
	functions := template.FuncMap{"quote": func(text string) string {
		quoted, _ := json.Marshal(text) // JSON is YAML
		return string(quoted)
	}}
	manifest := template.Must(
		template.New("kubernetes.yaml").Funcs(functions).ParseFS(jobs, "jobs/kubernetes.yaml"),
	)
	return command.Failure(manifest.Execute(out, o))
}
