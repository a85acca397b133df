package cli

import (
	"io"

	"github.com/spf13/cobra"

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
