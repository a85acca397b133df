package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jitterfly/internal/tests"
)

// A faultyDisk fails at one change or list, the one of number at, and succeeds at all others. A
// write that fails has written half.
type faultyDisk struct {
	quickDisk
	at, count int
}

func (f *faultyDisk) fails(op, path string) error {
	f.count++
	if f.count-1 == f.at {
		return &fs.PathError{Op: op, Path: path, Err: syscall.EIO}
	}
	return nil
}

func (f *faultyDisk) create(path string) (diskFile, error) {
	if err := f.fails("open", path); err != nil {
		return nil, err
	}
	file, err := f.quickDisk.create(path)
	return &faultyFile{file, f, path}, err
}

func (f *faultyDisk) list(path string) ([]fs.DirEntry, error) {
	if err := f.fails("readdirent", path); err != nil {
		return nil, err
	}
	return f.quickDisk.list(path)
}

func (f *faultyDisk) link(old, name string) error {
	return errors.Join(f.fails("link", name), f.unlessFailed(func() error {
		return f.quickDisk.link(old, name)
	}))
}

func (f *faultyDisk) rename(old, name string) error {
	return errors.Join(f.fails("rename", name), f.unlessFailed(func() error {
		return f.quickDisk.rename(old, name)
	}))
}

func (f *faultyDisk) renameNew(old, name string) error {
	return errors.Join(f.fails("rename", name), f.unlessFailed(func() error {
		return f.quickDisk.renameNew(old, name)
	}))
}

func (f *faultyDisk) mkdir(path string) error {
	return errors.Join(f.fails("mkdir", path), f.unlessFailed(func() error {
		return f.quickDisk.mkdir(path)
	}))
}

func (f *faultyDisk) remove(path string) error {
	return errors.Join(f.fails("unlink", path), f.unlessFailed(func() error {
		return f.quickDisk.remove(path)
	}))
}

func (f *faultyDisk) syncDir(path string) error {
	return errors.Join(f.fails("fsync", path), f.unlessFailed(func() error {
		return f.quickDisk.syncDir(path)
	}))
}

// unlessFailed does something, unless the change before it was the one that fails.
func (f *faultyDisk) unlessFailed(do func() error) error {
	if f.count-1 == f.at {
		return nil
	}
	return do()
}

type faultyFile struct {
	diskFile
	disk *faultyDisk
	path string
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.disk.fails("write", f.path); err != nil {
		n, _ := f.diskFile.Write(b[:len(b)/2])
		return n, err
	}
	return f.diskFile.Write(b)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.fails("fsync", f.path); err != nil {
		return err
	}
	return f.diskFile.Sync()
}

// A quickDisk does not flush, so that tests take less time.
type quickDisk struct{ osDisk }

func (q quickDisk) create(path string) (diskFile, error) {
	f, err := q.osDisk.create(path)
	return quickFile{f}, err
}

func (quickDisk) syncDir(string) error { return nil }

type quickFile struct{ diskFile }

func (quickFile) Sync() error { return nil }

// The study of these tests: its configurations, shards, and inputs.
const faultStudy, faultShards = 6, 2

func faultInputs() map[string][]byte {
	return map[string][]byte{"inputs/0123456789abcdef/noise-0/profile.yaml": []byte("profile: 1\n")}
}

// computeOn computes the whole study on a disk, or what a directory lacks of it, and returns the
// first error. recorded is called when records are known to be on the disk.
func computeOn(on disk, path string, recorded func(configs ...int)) error {
	inputs := faultInputs()
	plan := planOf(faultStudy, faultShards)
	plan.Inputs = Digests(inputs)
	d, err := begin(on, path, plan, inputs, Extension{})
	if err != nil {
		return err
	}
	for name := range inputs {
		if _, err := d.Input(name); err != nil {
			return err
		}
	}
	if d.Finished() {
		return d.Clean()
	}
	if _, err := d.Load(-1); err != nil {
		return err
	}
	if err := d.Writable(); err != nil {
		return err
	}
	c := d.Collect()
	for config := range faultStudy {
		if d.Has(config) {
			continue
		}
		c.Add(config, example(config))
		if config%2 == 1 {
			if err := c.Flush(true); err != nil {
				return err
			}
			recorded(config-1, config)
		}
	}
	if err := c.Flush(true); err != nil {
		return err
	}
	return d.Finish(axesOf)
}

// checkFinished fails if the directory is not that of the finished study, whole and clean.
func checkFinished(t *testing.T, path string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, tablesOf(t, path)); diff != "" {
		t.Fatal("the tables differ")
	}
	if damaged, err := Verify(path, true); err != nil || len(damaged) > 0 {
		t.Fatal(damaged, err)
	}
	err := filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		if _, temporary := temporaryOf(filepath.Base(name)); temporary ||
			filepath.Base(name) == partsDir {
			return fmt.Errorf("%s is left behind", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stride is the distance of faults that are tried: of all, or of some.
func stride() int { return tests.Part(1, 5) }

// undisturbed returns the tables of a study that nothing disturbed.
func undisturbed(t *testing.T) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	tests.NoError(t, computeOn(quickDisk{}, path, func(...int) {}))
	return tablesOf(t, path)
}

// Each change of the file system, and each list of a directory, fails once, in turn: the error is
// reported unless nothing is left over, nothing wrong is published, and the same command then
// finishes the study.
func TestEveryFault(t *testing.T) {
	want := undisturbed(t)
	silent := 0
	for at := 0; ; at += stride() {
		path := filepath.Join(t.TempDir(), "results")
		faulty := &faultyDisk{at: at}
		err := computeOn(faulty, path, func(...int) {})
		if faulty.count <= at {
			t.Logf("%d changes, %d without an error when they fail", at, silent)
			if at < 50 {
				t.Errorf("the study makes only %d changes", at)
			}
			return
		}
		if err == nil { // as when a part that another replaces cannot be removed
			silent++
			checkFinished(t, path, want)
		}
		for range 2 { // the second time it is finished, and cleaned
			if err := computeOn(quickDisk{}, path, func(...int) {}); err != nil {
				t.Fatalf("change %d failed, and then: %v", at, err)
			}
		}
		checkFinished(t, path, want)
	}
}
