// Package cluster has the commands that compute a study by shards on a cluster: plan divides it,
// submit hands the shards to a scheduler, run computes one, status shows what is there and checks
// all files, and merge writes the tables. It uses the steps of cli/sweep.
package cluster

import (
	"io"

	"github.com/spf13/cobra"

	"jitterfly/cli/sweep"
	"jitterfly/datasets"
)

// Commands returns the commands, which read the environment, in the order of their use.
func Commands(environ []string) []*cobra.Command {
	return []*cobra.Command{
		planCommand(environ), submitCommand(environ), runCommand(environ),
		statusCommand(), mergeCommand(),
	}
}

// openLoaded opens a directory that has a plan and finds what it has of all shards.
func openLoaded(path string, errs io.Writer) (*datasets.Dir, error) {
	dir, err := sweep.Open(path)
	if err != nil || dir.Finished() {
		return dir, err
	}
	return dir, (&sweep.Execution{Errs: errs}).Load(dir, sweep.All)
}
