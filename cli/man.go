package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"jitterfly/cli/internal/command"
	"jitterfly/datasets"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Hidden: true,
		Short:  "Write the manual pages",
		Long: `Man writes a page of the manual for each command into DIR, which it makes if it does not
exist: jitterfly.1, jitterfly-sweep.1 and so on. The program man finds pages in a directory
man1 of those that manpath prints. The same program writes the same pages.`,
		Example:           "  jitterfly man ~/.local/share/man/man1",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.First(command.AnyDirectory),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := datasets.MakeDir(args[0]); err != nil {
				return err
			}
			return command.Failure(writePages(cmd.Root(), args[0]))
		},
	}
}

// writePages writes the pages of a command and of those below it into the directory.
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
	header := doc.GenManHeader{
		Source: "jitterfly " + datasets.Version, Manual: "jitterfly", Date: &datasets.VersionDate,
	}
	if err := doc.GenMan(cmd, &header, &page); err != nil {
		return fmt.Errorf("%s: %w", cmd.CommandPath(), err)
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return datasets.WriteFile(filepath.Join(dir, name), page.Bytes())
}
