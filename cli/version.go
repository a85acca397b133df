package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/version"
	"jitterfly/datasets"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version, of a release also the commit that it was built from, the
format of results, the compiler and the platform.`,
		Example: "  jitterfly version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "jitterfly %s, result format %d, %s %s/%s\n",
				version.String(), datasets.Format, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return exit.Failure(err)
		},
	}
}
