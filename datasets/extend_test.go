package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"jitterfly/internal/tests"
)

// Kept trials are those that were packed, and take the room of those that differ.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 5).Draw(t, "values of a trial")
		trials := rapid.IntRange(0, 50).Draw(t, "trials")
		var completion, lowerBound []float64
		differ := 0
		for range trials {
			late := float64(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "late"))
			for k := range width {
				completion = append(completion, float64(width-k)+late)
			}
			lowerBound = append(lowerBound, late)
			if late > 0 {
				differ++
			}
		}
		k := NewKept(completion, lowerBound)
		tests.NoError(t, k.check())
		gotCompletion, gotBound := k.Unpack()
		if !slices.Equal(completion, gotCompletion) || !slices.Equal(lowerBound, gotBound) {
			t.Fatalf("%v, %v became %v, %v", completion, lowerBound, gotCompletion, gotBound)
		}
		if differ < trials && len(k.Others) > differ {
			t.Fatalf("%d of %d trials are not common, want %d", len(k.Others), trials, differ)
		}
	})
	for _, k := range []Kept{
		{Trials: -1}, {Trials: 3}, {Trials: 2, Common: []float64{1, 2}, Others: []int64{1}},
		{Trials: 2, Common: []float64{1, 2}, Others: []int64{2}, Values: []float64{1, 2}},
		{Trials: 1 << 40, Common: []float64{1, 2}},
	} {
		if k.check() == nil {
			t.Errorf("%+v is not refused", k)
		}
	}
}

// moreTrials allows a plan of another study that has more trials; final are the configurations
// that end with 5 trials anyway.
func moreTrials(final ...int) Extension {
	return Extension{
		Allowed: func(old map[string][]string) bool { return old["seed"][0] == "1" },
		Final: func(_ map[string][]string, m Measures) bool {
			return slices.Contains(final, int(m.Mean))
		},
	}
}

// A finished study goes on with more trials: what is final is kept, of what is not its trials,
// and the tables become those of the new study. A process that ends at any moment loses nothing.
func TestMoreTrials(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, 4, 1)
	c := d.Collect()
	for config := range 4 {
		r := example(config)
		if config > 0 { // the configuration 0 is final
			r.State = AtBound
		}
		if config > 1 { // of the configuration 1 no trials are kept
			r.Kept = NewKept(r.Completion, []float64{1, 1, 1, 1, 1})
		}
		c.Add(config, r)
	}
	tests.NoError(t, errors.Join(c.Flush(true), d.Finish(axesOf)))
	if parts, err := os.ReadDir(d.partsPath()); err != nil || len(parts) != 1 {
		t.Fatalf("%d parts with trials are kept, %v", len(parts), err)
	}

	more := planOf(4, 1)
	more.StudyHash, more.Study = "fedcba9876543210", map[string][]string{"seed": {"1"}, "n": {"9"}}
	other := more
	other.KeepTrials = false
	if _, err := Begin(path, other, nil, moreTrials(0)); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("another study: %v", err)
	}
	oldRun := tests.Must(os.ReadFile(filepath.Join(path, RunFile)))(t)
	for _, step := range []string{"at once", "after the plan, with the old run"} {
		d = tests.Must(Begin(path, more, nil, moreTrials(0)))(t)
		if step != "at once" {
			tests.NoError(t, os.WriteFile(filepath.Join(path, RunFile), oldRun, 0o666))
			d = tests.Must(Begin(path, more, nil, Extension{}))(t)
		}
		if passedOver, err := d.Load(-1); err != nil || len(passedOver) > 0 || d.Finished() {
			t.Fatalf("%s: %v, %v, finished %t", step, err, passedOver, d.Finished())
		}
		for config, trials := range []int{0, 0, 5, 5} {
			kept, err := d.Kept(config)
			if err != nil || d.KeptTrials(config) != trials || int(kept.Trials) != trials ||
				d.Has(config) != (config == 0) {
				t.Errorf("%s, configuration %d: %+v, %v, complete %t", step, config, kept, err,
					d.Has(config))
			}
		}
	}

	// What is interrupted stays to be continued, until the record is complete.
	c = d.Collect()
	c.Add(1, Record{State: Interrupted, Kept: NewKept([]float64{3, 2, 1}, []float64{1})})
	for config := 2; config < 4; config++ {
		c.Add(config, example(config))
	}
	tests.NoError(t, c.Flush(true))
	if err := d.Finish(axesOf); !errors.As(err, new(Incomplete)) || d.KeptTrials(1) != 1 {
		t.Errorf("an interrupted configuration: %v, %d trials", err, d.KeptTrials(1))
	}
	c.Add(1, example(1))
	tests.NoError(t, errors.Join(c.Flush(true), d.Finish(axesOf)))
	fresh := t.TempDir()
	f := tests.Must(Begin(fresh, more, nil, Extension{}))(t)
	tests.NoError(t, f.Writable())
	collect(t, f, count(4), never)
	tests.NoError(t, f.Finish(axesOf))
	if diff := tests.Diff(tablesOf(t, fresh), tablesOf(t, path), cmpopts.EquateEmpty()); diff != "" {
		t.Error("the tables are not those of the study at once")
	}
	checkTree(t, path, finishedStudy)
	if _, err := readResults(path); err != nil {
		t.Error(err)
	}
}
