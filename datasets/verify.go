package datasets

import (
	"fmt"
	"maps"
	"slices"
)

// Verify checks every file of a directory of results against its digest: the plan, its inputs,
// the parts, and of a finished study the tables, their columns and their numbers of rows. It
// returns an error for each that is damaged, with what to do. If readData it reads every record
// and every row as well.
//
// It fails if the plan is missing or unusable, since nothing else says what the directory should
// have.
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

func (d *Dir) verifyTables(readData bool) (damaged []error) {
	r, err := OpenResults(d.path)
	if err != nil {
		return []error{err}
	}
	rows := d.plan.Configurations
	if d.plan.Choices != "" {
		rows = r.Configurations // without candidates that have no rows
	}
	errs := []error{
		verifyTable[ChoiceRow](r, choiceFile, int64(rows)),
		verifyTable[SummaryRow](r, summaryFile, -1),
	}
	if d.plan.KeepTrials {
		errs = append(errs, verifyTable[TrialRow](r, trialsFile, -1))
	}
	if r.Tables[attributionFile] != "" {
		errs = append(errs, verifyTable[AttributionRow](r, attributionFile, -1))
	}
	damaged = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if readData && len(damaged) == 0 {
		nothing := func(int, *ChoiceRow, []Measures, []float64) error { return nil }
		if err := r.walk(d.plan.KeepTrials, nothing); err != nil {
			damaged = append(damaged, err)
		}
	}
	return damaged
}

// verifyTable checks the digest and the columns of a table, and its number of rows unless that is
// negative.
func verifyTable[T any](r *Results, name string, rows int64) error {
	c, err := openTable[T](r, name)
	if err != nil {
		return err
	}
	defer c.close()
	if n := c.reader.NumRows(); rows >= 0 && n != rows {
		return c.damaged(fmt.Errorf("it has %d rows for %d configurations", n, rows))
	}
	return nil
}
