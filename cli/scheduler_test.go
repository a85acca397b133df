package cli

import (
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// What a process is to compute is read from each scheduler's environment, and what
// contradicts itself is refused with the names of both.
func TestSchedulerIndex(t *testing.T) {
	for _, c := range []struct {
		environ string
		shard   int
		err     string
	}{
		{"", 0, "no scheduler's environment"},
		{"SLURM_ARRAY_TASK_ID=3", 3, ""},
		{"PBS_ARRAY_INDEX=0", 0, ""},
		{"SGE_TASK_ID=1", 0, ""},
		{"SGE_TASK_ID=undefined", 0, "no scheduler's environment"},
		{"SGE_TASK_ID=0", 0, "SGE_TASK_ID=0 is not an index from 1"},
		{"LSB_JOBINDEX=12", 11, ""},
		{"LSB_JOBINDEX=0", 0, "no scheduler's environment"},
		{"JOB_COMPLETION_INDEX=7", 7, ""},
		{"AWS_BATCH_JOB_ARRAY_INDEX=9", 9, ""},
		{"SLURM_ARRAY_TASK_ID=x", 0, "SLURM_ARRAY_TASK_ID=x is not an index from 0"},
		{"SLURM_ARRAY_TASK_ID=-1", 0, "SLURM_ARRAY_TASK_ID=-1"},
		{"SLURM_ARRAY_TASK_ID=99999999999999999999", 0, "is not an index"},
		{"SLURM_ARRAY_TASK_ID=3 SGE_TASK_ID=4", 3, ""},
		{"SLURM_ARRAY_TASK_ID=3 SGE_TASK_ID=3", 0,
			"SLURM_ARRAY_TASK_ID=3 and SGE_TASK_ID=3 name two shards, 3 and 2"},

		// a launch
		{"OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=2", 2, ""},
		{"OMPI_COMM_WORLD_RANK=2 PMIX_RANK=1", 0, "OMPI_COMM_WORLD_RANK=2 and PMIX_RANK=1 name two"},
		{"PMI_RANK=5 PMI_SIZE=6", 5, ""},
		{"SLURM_PROCID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4", 1, ""},
		{"SLURM_PROCID=0 SLURM_NTASKS=4", 0, "no scheduler's environment"}, // a batch script
		{"SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1", 0, "no scheduler's environment"},

		// a launch in a task
		{"SLURM_ARRAY_TASK_ID=3 SLURM_PROCID=0", 3, ""},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0",
			3, ""},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_PROCID=3 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4", 0,
			"SLURM_ARRAY_TASK_ID=3 and SLURM_PROCID=3 both name shards"},
		{"PBS_ARRAY_INDEX=3 PMI_RANK=1 PMI_SIZE=2", 0,
			"PBS_ARRAY_INDEX=3 and PMI_RANK=1 both name shards"},
	} {
		shard, _, err := schedulerIndex(strings.Fields(c.environ))
		if tests.Fails(t, c.err, c.environ)(err); c.err == "" && shard != c.shard {
			t.Errorf("%q: shard %d, want %d", c.environ, shard, c.shard)
		}
	}
}

// The forms are those of the manual of sbatch.
func TestSlurmSeconds(t *testing.T) {
	for text, want := range map[string]int{
		"2": 120, "2:30": 150, "1:00:00": 3600, "1-2": 93600, "1-2:03": 93780, "1-2:03:04": 93784,
		"0": 0, "": 0, "0:00": 0, "x": 0, "1:2:3:4": 0, "-5": 0, "1-": 0, "UNLIMITED": 0,
	} {
		if got, ok := slurmSeconds(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q is %d s, %v, want %d", text, got, ok, want)
		}
	}
}
