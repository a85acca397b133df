package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"jitterfly/cli/internal/output"
)

// sbatch submits a job and returns its number. With --dry-run it prints the command.
func (o *slurmOptions) sbatch(args []string) (job string, err error) {
	if o.dryRun {
		quoted := make([]string, len(args))
		for i, arg := range args {
			quoted[i] = output.ShellWord(arg)
		}
		_, err := fmt.Fprintln(o.out, "sbatch", strings.Join(quoted, " "))
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
