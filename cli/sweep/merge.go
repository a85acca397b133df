package sweep

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"jitterfly/cli/internal/exit"
	"jitterfly/cli/study"
	"jitterfly/datasets"
)

// Merge writes the tables of a directory whose shards are complete, and prints the
// choices. If shards are missing it returns an error with the code [exit.Incomplete].
func (e *Execution) Merge(out io.Writer, show Printer, s *study.Study, dir *datasets.Dir) error {
	err := dir.Finish(func(i int) datasets.Axes { return AxesOf(s.Point(i)) })
	if incomplete := new(datasets.Incomplete); errors.As(err, incomplete) {
		return exit.With(exit.Incomplete, err)
	}
	if err != nil {
		return exit.Failure(err)
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
		return exit.Failure(err)
	}
	e.Note("%s", note)
	return exit.Failure(show(out, s, results))
}
