package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/complete"
	"jitterfly/cli/internal/cost"
	"jitterfly/cli/internal/exit"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/internal/profiles"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

func initCommand(environ []string) *cobra.Command {
	in := study.Input{Name: "init.yaml", Environ: environ, Profile: profiles.Find}
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Write a study file to begin with",
		Long: `Init writes a study file, in YAML, with the keys that flags give, or without flags the keys
that most studies set. Beside it goes ` + study.SchemaFile + `, which the file's first line names,
so that editors (VS Code with the YAML extension, and others with yaml-language-server) complete
keys, show their meaning, and mark mistakes. An existing study file is not replaced.`,
		Example: `  jitterfly init first.yaml
  jitterfly init machine.yaml --ranks 2^4..2^10 --latency 100ns,1us --noise alps`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Flags = cmd.Flags()
			return writeStudy(in, args[0], cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	complete.Study(cmd, &in)
	cmd.ValidArgsFunction = complete.First(complete.FilesOf("yaml", "yml"))
	return cmd
}

// writeStudy writes the study file of an input, and the schema beside it.
func writeStudy(in study.Input, name string, errs io.Writer) error {
	if ext := strings.ToLower(filepath.Ext(name)); ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s: a study file in YAML ends in .yaml or .yml", name)
	}
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s exists; name another file", name)
	}
	s, err := study.Read(in, cost.MaxConfigs())
	if err != nil {
		return err
	}
	text, err := s.Recorded.File()
	if err != nil {
		return exit.Failure(err)
	}
	schema, err := study.Schema()
	if err != nil {
		return exit.Failure(err)
	}
	beside := filepath.Join(filepath.Dir(name), study.SchemaFile)
	if err := datasets.WriteFile(beside, schema); err != nil {
		return exit.Failure(err)
	}
	if err := datasets.WriteFile(name, text); err != nil {
		return exit.Failure(err)
	}
	output.Remark(errs, "wrote %s and %s", name, beside)
	return nil
}
