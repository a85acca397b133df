package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"jitterfly/datasets"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Man writes a page of the manual for each command into DIR, which it makes if need be: jitterfly.1,
jitterfly-sweep.1 and so on. What man reads by itself is a directory man1 of those that manpath prints. The same
program writes the same pages.`,
		Example:           "  jitterfly man ~/.local/share/man/man1",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: first(anyDirectory),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("%s: %w", args[0], unnamed(err))
			}
			return failed(writePages(cmd.Root(), args[0]))
		},
	}
}

// writePages writes the pages of a command and of those below it.
func writePages(cmd *cobra.Command, dir string) error {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writePages(c, dir); err != nil {
			return err
		}
	}
	cmd.DisableAutoGenTag = true
	var page bytes.Buffer
	header := doc.GenManHeader{Source: "jitterfly " + Version, Manual: "jitterfly", Date: &versionDate}
	if err := doc.GenMan(cmd, &header, &page); err != nil {
		return fmt.Errorf("%s: %w", cmd.CommandPath(), err)
	}
	return datasets.WriteFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"), page.Bytes())
}
