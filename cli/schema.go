package cli

import (
	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
)

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
			text, err := study.Schema()
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return command.Failure(err)
		},
	}
}
