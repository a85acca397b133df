package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"jitterfly/internal/tests"
)

// busyDisk returns a disk on which another process acts before the first change of a kind, and on which
// changes of other kinds are not supported.
func busyDisk(op string, act func(), unsupported ...string) *hookedDisk {
	return &hookedDisk{before: func(c change) error {
		if once := act; c.op == op && act != nil {
			act = nil
			once()
		}
		if slices.Contains(unsupported, c.op) {
			return &os.LinkError{Op: c.op, Old: c.old, New: c.path, Err: errors.ErrUnsupported}
		}
		return nil
	}}
}

// A process that finds no plan, and then the parts of another that has planned meanwhile, goes on
// with that plan.
func TestStartedTogether(t *testing.T) {
	for name, first := range map[string]func(path string){
		"planned":  func(path string) { open(t, path, 4, 1) },
		"finished": func(path string) { finishIn(t, path, 4) },
	} {
		path := filepath.Join(t.TempDir(), "results")
		disk := busyDisk("mkdir", func() { first(path) })
		d, err := begin(disk, path, planOf(4, 2), nil, Extension{})
		if err != nil || len(d.Plan().Shards) != 1 {
			t.Errorf("%s by another process: %v", name, err)
		}
		other := planOf(4, 1)
		other.StudyHash = "fedcba9876543210"
		path = filepath.Join(t.TempDir(), "results")
		disk = busyDisk("mkdir", func() { first(path) })
		if _, err := begin(disk, path, other, nil, Extension{}); !errors.Is(err, ErrOtherStudy) {
			t.Errorf("another study was %s by another process: %v", name, err)
		}
	}
}

// finishIn computes the study of the directory.
func finishIn(t *testing.T, path string, configurations int) *Dir {
	t.Helper()
	d := open(t, path, configurations, 1)
	collect(t, d, count(configurations), never)
	tests.NoError(t, d.Finish(axesOf))
	return d
}

// What only a plan explains is refused where there is none.
func TestPartsWithoutPlan(t *testing.T) {
	path := t.TempDir()
	tests.NoError(t, os.Mkdir(filepath.Join(path, partsDir), 0o777))
	tests.Fails(t, "^"+path+": has parts but no plan.json, so its study is unknown; "+
		"name another directory with --out$")(Begin(path, planOf(1, 1), nil, Extension{}))
}

// Of two different studies that are planned at the same time one is refused, also where the file
// system has no hard links.
func TestTwoPlansWithoutLinks(t *testing.T) {
	path := t.TempDir()
	rename := osDisk{}.renameNew(filepath.Join(path, "a"), filepath.Join(path, "b"))
	if errors.Is(rename, errors.ErrUnsupported) {
		t.Skip("the system has no renames that do not replace")
	}
	disk := busyDisk("link", func() {
		if _, err := begin(busyDisk("", nil, "link"), path, planOf(6, 1), nil, Extension{}); err != nil {
			t.Error(err)
		}
	}, "link")
	other := planOf(6, 1)
	other.StudyHash = "fedcba9876543210"
	if _, err := begin(disk, path, other, nil, Extension{}); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("both have planned: %v", err)
	}
	checkTree(t, path, []string{PlanFile})
	d, err := Open(path)
	if err != nil || d.Plan().StudyHash != planOf(6, 1).StudyHash {
		t.Errorf("the plan of the first has gone: %v", err)
	}
}

// Where the file system has neither hard links nor renames that do not replace, a study can be
// planned.
func TestPlanOnPlainFileSystem(t *testing.T) {
	path := t.TempDir()
	disk := busyDisk("", nil, "link", "renameNew")
	if _, err := begin(disk, path, planOf(6, 1), nil, Extension{}); err != nil {
		t.Error(err)
	}
}
