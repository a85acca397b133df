package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
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

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "schema",
		Hidden: true,
		Short:  "Print the JSON Schema of study files",
		Long: `Schema prints the JSON Schema of study files. Editors complete and check files with it. A
YAML file names it in its first line, as init writes it:

  # yaml-language-server: $schema=study.schema.json`,
		Example: `  jitterfly schema > study.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(study.Schema())
			return command.Failure(err)
		},
	}
}

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
		ValidArgsFunction: command.First(1, command.AnyDirectory),
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
