package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// Published are the tables of a finished study, in whatever directory and from
// whatever program of this format they come.
type Published struct{ dir *Dir }

// OpenPublished finds the finished study in a directory, which it only reads.
func OpenPublished(path string) (*Published, error) {
	d, err := openFinished(path)
	if err != nil {
		return nil, err
	}
	return &Published{d}, nil
}

// Summary reads the table of all configurations and T.
func (p *Published) Summary() ([]SummaryRow, error) {
	return published[SummaryRow](p, summaryFile)
}

// Choices reads the table of choices.
func (p *Published) Choices() ([]ChoiceRow, error) {
	return published[ChoiceRow](p, choiceFile)
}

// HasTrials says whether the study kept its trials.
func (p *Published) HasTrials() bool { return p.dir.run.KeepTrials }

// Trials reads the trials of the configurations that pick holds for.
func (p *Published) Trials(pick func(configID string, redundancy int64) bool) ([]TrialRow, error) {
	var rows []TrialRow
	err := p.read(trialsFile, func(content []byte) error {
		if err := columnsOf[TrialRow](content); err != nil {
			return err
		}
		return readRows(content, func(row TrialRow) {
			if pick(row.ConfigID, row.Redundancy) {
				rows = append(rows, row)
			}
		})
	})
	return rows, err
}

func published[T any](p *Published, name string) ([]T, error) {
	var rows []T
	err := p.read(name, func(content []byte) error {
		if err := columnsOf[T](content); err != nil {
			return err
		}
		return readRows(content, func(row T) { rows = append(rows, row) })
	})
	return rows, err
}

// read gives the content of a table to each, if it is what was written. A file
// that only looks like a table is an error, whatever the library makes of it.
func (p *Published) read(name string, each func(content []byte) error) (err error) {
	path := filepath.Join(p.dir.path, name)
	content, err := os.ReadFile(path)
	if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
		return fmt.Errorf("%s: %w", path, pathErr.Err)
	}
	if err != nil {
		return err
	}
	if digest(content) != p.dir.run.Tables[name] {
		return fmt.Errorf("%s: it is not what was written when the study finished", path)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: damaged: %v", path, r)
		}
	}()
	if err := each(content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// columnsOf says how the file's columns differ from those of the row type. A
// reader would take a missing one for zeros.
func columnsOf[T any](content []byte) error {
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	want := parquet.SchemaOf(*new(T))
	for _, path := range want.Columns() {
		expected, _ := want.Lookup(path...)
		found, ok := f.Schema().Lookup(path...)
		if !ok || found.Node.Type().Kind() != expected.Node.Type().Kind() || found.Node.Optional() || found.Node.Repeated() {
			return fmt.Errorf("its column %s is missing or of another type", path[0])
		}
	}
	return nil
}
