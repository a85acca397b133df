package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
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
			_, err := io.WriteString(cmd.OutOrStdout(), versionLine())
			return command.Failure(err)
		},
	}
}

// versionLine returns what the command version prints, and the flag --version.
func versionLine() string {
	return fmt.Sprintf("jitterfly %s, result format %d, %s %s/%s\n",
		datasets.VersionString(), datasets.Format, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
