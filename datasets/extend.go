package datasets

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
)

// An Extension says how a study continues with more trials than a directory has.
type Extension struct {
	// Allowed reports whether a study with these values can be continued.
	Allowed func(old map[string][]string) bool
	// Final reports whether more trials would not change what a configuration of it has. It is nil
	// if they may change all.
	Final func(old map[string][]string, m Measures) bool
}

// extends reports whether the plan is the directory's plan with more trials.
func (d *Dir) extends(want Plan, e Extension) bool {
	return e.Allowed != nil && d.plan.StudyHash != want.StudyHash && d.plan.Format == Format &&
		d.plan.Version == want.Version && d.plan.KeepTrials == want.KeepTrials &&
		d.plan.Configurations == want.Configurations && d.plan.Choices == want.Choices &&
		maps.Equal(d.plan.Inputs, want.Inputs) && e.Allowed(d.plan.Study)
}

// extend replaces the plan of the directory by one with more trials. The tables of a finished
// study become parts again, so that only records that more trials could change are computed.
//
// The parts are written first, and belong to the old plan. So whenever the process ends, the
// directory is one of the old study or of the new.
func (d *Dir) extend(want Plan, e Extension) error {
	if d.Finished() && e.Final != nil {
		if err := d.recover(e); err != nil {
			return err
		}
	}
	plan := *d.plan
	plan.Study, plan.Written, plan.Given = want.Study, want.Written, want.Given
	plan.StudyHash = want.StudyHash
	plan.Continues = append(slices.Clone(plan.Continues), plan.Digest)
	plan.seal()
	err := writeContent(d.disk, filepath.Join(d.path, PlanFile), jsonFile(plan))
	if err != nil {
		return brief(err)
	}
	return d.Reopen() // the run is not of this plan, and would be passed over if it stayed
}

// Reopen makes a finished study one that has not finished, so that records can be added.
func (d *Dir) Reopen() error {
	d.run = nil
	for _, name := range []string{attributionFile, RunFile} { // the first is about fewer trials
		err := d.disk.remove(filepath.Join(d.path, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return brief(err)
		}
	}
	return nil
}

// recover writes the final records of a finished study as parts.
func (d *Dir) recover(e Extension) error {
	results, err := OpenResults(d.path)
	if err != nil {
		return err
	}
	if err := d.Writable(); err != nil {
		return err
	}
	collector := d.Collect()
	err = results.walk(results.KeepTrials, func(
		i int, c *ChoiceRow, measures []Measures, completions []float64,
	) error {
		if !e.Final(d.plan.Study, measures[0]) {
			return nil
		}
		r := Record{Pick: c.Pick, Measures: measures, Completion: make([]float64, len(completions))}
		trials := len(completions) / len(measures)
		for j, x := range completions {
			r.Completion[j%trials*len(measures)+j/trials] = x
		}
		if collector.Add(i, r); collector.Size() < recoverAbove {
			return nil
		}
		return collector.Flush(true)
	})
	if err != nil {
		return err
	}
	return collector.Flush(true)
}

// recoverAbove is the size [bytes] of the parts that records are recovered into.
const recoverAbove = 4 << 20
