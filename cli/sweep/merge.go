package sweep

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// Merge writes the tables of a directory whose shards are complete, and prints the
// choices. If shards are missing it returns an error with the code [command.Incomplete].
func (e *Execution) Merge(out io.Writer, show Printer, s *study.Study, dir *datasets.Dir) error {
	err := dir.Finish(func(i int) datasets.Axes { return AxesOf(s.Point(i)) })
	if _, missing := errors.AsType[datasets.Incomplete](err); missing {
		return command.With(command.Incomplete, err)
	}
	if err != nil {
		return command.Failure(err)
	}
	return e.Show(out, show, s, dir, wrote(dir))
}

// wrote returns a line that names the tables of a directory.
func wrote(dir *datasets.Dir) string {
	tables := []string{"summary.parquet", "choice.parquet"}
	if dir.Plan().KeepTrials {
		tables = append(tables, "trials.parquet")
	}
	for i, name := range tables {
		tables[i] = filepath.Join(dir.Path(), name)
	}
	return "wrote " + strings.Join(tables, ", ")
}

// Show notes something, and prints the choices of a finished directory.
func (e *Execution) Show(out io.Writer, show Printer, s *study.Study, dir *datasets.Dir,
	note string,
) error {
	results, err := datasets.OpenResults(dir.Path())
	if err == nil {
		err = results.Check()
	}
	if err != nil {
		return command.Failure(err)
	}
	e.Note("%s", note)
	return command.Failure(show(out, s, results))
}
