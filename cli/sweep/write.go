package sweep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// writeStudy writes the study file of an input, and the schema beside it.
func writeStudy(in study.Input, name string, errs io.Writer) error {
	if ext := strings.ToLower(filepath.Ext(name)); ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s: a study file in YAML ends in .yaml or .yml", name)
	}
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s exists; name another file", name)
	}
	s, err := study.Read(in, MaxConfigs())
	if err != nil {
		return err
	}
	text, err := s.Recorded.File()
	if err != nil {
		return command.Failure(err)
	}
	schema, err := study.Schema()
	if err != nil {
		return command.Failure(err)
	}
	beside := filepath.Join(filepath.Dir(name), study.SchemaFile)
	if err := datasets.WriteFile(beside, schema); err != nil {
		return command.Failure(err)
	}
	if err := datasets.WriteFile(name, text); err != nil {
		return command.Failure(err)
	}
	output.Remark(errs, "wrote %s and %s", name, beside)
	return nil
}
