package cli

import (
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"jitterfly/datasets"
)

// Version is the program's. It is in every result file.
const Version = "0.1.0"

// versionDate is the month of the version, for the manual.
var versionDate = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  jitterfly version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "jitterfly %s, result format %d, %s %s/%s\n",
				Version, datasets.Format, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return failed(err)
		},
	}
}
