package cli

import "github.com/spf13/cobra"

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
