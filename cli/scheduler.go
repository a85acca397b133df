package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
	alone := slices.ContainsFunc(ranks, func(v variable) bool {
		return values[v.name] != "" && values[v.size] == "1"
	})
	switch {
	case len(inArray) > 0 && len(launched) > 0 && !alone:
		return 0, "", fmt.Errorf("environment: %s and %s both name shards; "+
			"start one process in each task, or give --shard", inArray[0].text, launched[0].text)
	case len(inArray) > 0:
		return agree(inArray)
	case alone:
		launched = nil
	}
	return agree(launched)
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

// agree returns the shard that all claims name, and the first of them. It fails if they differ or
// are absent.
func agree(found []claim) (shard int, name string, err error) {
	if len(found) == 0 {
		return 0, "", errors.New("--shard: none is given, " +
			"and no scheduler's environment names one")
	}
	for _, c := range found[1:] {
		if c.index != found[0].index {
			return 0, "", fmt.Errorf("environment: %s and %s name two shards, %d and %d; "+
				"give --shard", found[0].text, c.text, found[0].index, c.index)
		}
	}
	return found[0].index, found[0].text, nil
}
