package datasets

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"jitterfly/internal/file"
)

// Verify checks every file of a directory of results against its digest: the plan, its inputs,
// the parts, and of a finished study the tables, their columns and their numbers of rows. It
// returns an error for each that is damaged, with what to do. If readData it reads every record
// and every row as well.
//
// It fails if there is no plan or it cannot be used, for then nothing says what there should be.
func Verify(path string, readData bool) (damaged []error, err error) {
	d, err := Open(path)
	if d == nil || d.plan == nil {
		return nil, err
	}
	if err != nil {
		damaged = append(damaged, err) // of run.json
	}
	for _, name := range slices.Sorted(maps.Keys(d.plan.Inputs)) {
		if _, err := d.Input(name); err != nil {
			damaged = append(damaged, err)
		}
	}
	parts, err := d.Load(-1)
	if err != nil {
		return damaged, err
	}
	damaged = append(damaged, parts...)
	if readData {
		damaged = append(damaged, d.verifyRecords()...)
	}
	if d.Finished() {
		damaged = append(damaged, d.verifyTables(readData)...)
	}
	return damaged, nil
}

// verifyRecords reads the records of all parts.
func (d *Dir) verifyRecords() (damaged []error) {
	parts := newPartReader(d.partsPath())
	defer parts.close()
	for _, e := range d.entries {
		if e.part == nil {
			continue
		}
		if _, err := parts.read(e); err != nil {
			damaged = append(damaged, err)
		}
	}
	return damaged
}

// verifyTables checks the tables of a finished study.
func (d *Dir) verifyTables(readData bool) (damaged []error) {
	tables := map[string]func(*parquet.File) error{
		summaryFile: checkSchema[SummaryRow],
		choiceFile: func(f *parquet.File) error {
			if n := int64(d.run.Configurations); f.NumRows() != n {
				return fmt.Errorf("it has %d rows for %d configurations", f.NumRows(), n)
			}
			return checkSchema[ChoiceRow](f)
		},
	}
	if d.plan.KeepTrials {
		tables[trialsFile] = checkSchema[TrialRow]
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		file := filepath.Join(d.path, name)
		if err := verifyTable(file, d.run.Tables[name], tables[name]); err != nil {
			damaged = append(damaged, fmt.Errorf(
				"%s: damaged since the study finished (%w); remove %s to compute it again", file,
				unnamed(err), d.path))
		}
	}
	if readData && len(damaged) == 0 {
		r, err := OpenResults(d.path)
		if err == nil {
			nothing := func(int, *ChoiceRow, []Measures, []float64) error { return nil }
			err = r.walk(d.plan.KeepTrials, nothing)
		}
		if err != nil {
			damaged = append(damaged, err)
		}
	}
	return damaged
}

// verifyTable checks the digest of a file, and then what it has as Parquet.
func verifyTable(path, digest string, check func(*parquet.File) error) error {
	f, err := file.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	table, err := openSound(f, digest)
	if err != nil {
		return err
	}
	return check(table)
}
