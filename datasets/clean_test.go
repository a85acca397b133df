package datasets

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"jitterfly/internal/tests"
)

// tree returns the paths of all files and links below a directory, and of empty directories, in order.
func tree(t *testing.T, root string) (all []string) {
	t.Helper()
	tests.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(root, name)
		if !entry.IsDir() {
			all = append(all, inside)
		} else if files, _ := os.ReadDir(name); len(files) == 0 {
			all = append(all, inside+"/")
		}
		return err
	}))
	slices.Sort(all)
	return all
}

// checkTree fails if the files below a directory are others than wanted.
func checkTree(t *testing.T, root string, want []string) {
	t.Helper()
	want = slices.Sorted(slices.Values(want))
	if got := tree(t, root); !slices.Equal(got, want) {
		t.Errorf("%s has\n%q, want\n%q", root, got, want)
	}
}

// finishedStudy are the files of a finished study.
var finishedStudy = []string{PlanFile, RunFile, summaryFile, choiceFile, trialsFile}

// cleaned opens the directory of a finished study again, and cleans it.
func cleaned(t *testing.T, path string) {
	t.Helper()
	d, err := Open(path)
	if err == nil {
		err = d.Clean()
	}
	tests.NoError(t, err)
}

// place writes files below a directory.
func place(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		name = filepath.Join(root, filepath.FromSlash(name))
		tests.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		tests.NoError(t, os.WriteFile(name, []byte("content of "+filepath.Base(name)), 0o666))
	}
}

// Where the name of a directory of this package leads into another study's, that study stays.
func TestCleaningFollowsNoLinks(t *testing.T) {
	root := t.TempDir()
	path, other := filepath.Join(root, "results"), filepath.Join(root, "other")
	collect(t, open(t, other, 4, 1), count(2), never) // unfinished: it needs its parts
	probe := temporaryName("probe")
	place(t, other, partsDir+"/"+probe, "inputs/0123456789abcdef/noise-0/profile.yaml")
	want := tree(t, other)
	finishIn(t, path, 4)
	for _, name := range []string{partsDir, InputsDir} {
		if err := os.Symlink(filepath.Join("..", "other", name), filepath.Join(path, name)); err != nil {
			t.Skip(err)
		}
	}
	cleaned(t, path)
	checkTree(t, other, want)
	for _, name := range []string{partsDir, InputsDir} {
		if _, err := os.Readlink(filepath.Join(path, name)); err != nil {
			t.Error(err)
		}
	}

	// A link to an empty directory stays, and so does one among the inputs.
	empty := filepath.Join(root, "empty")
	tests.NoError(t, os.Mkdir(empty, 0o777))
	for _, name := range []string{partsDir, InputsDir} {
		tests.NoError(t, os.Remove(filepath.Join(path, name)))
	}
	tests.NoError(t, os.Symlink(empty, filepath.Join(path, partsDir)))
	tests.NoError(t, os.Mkdir(filepath.Join(path, InputsDir), 0o777))
	folder := filepath.Join(path, InputsDir, "0123456789abcdef")
	tests.NoError(t, os.Symlink(filepath.Join(other, InputsDir, "0123456789abcdef"), folder))
	cleaned(t, path)
	checkTree(t, other, want)
	for _, name := range []string{filepath.Join(path, partsDir), folder} {
		if _, err := os.Readlink(name); err != nil {
			t.Error(err)
		}
	}
}

// The inputs of another plan are removed where their folder has these and nothing else.
func TestCleaningOfInputs(t *testing.T) {
	dir := t.TempDir()
	finishIn(t, dir, 2)
	inputs := func(names ...string) (folder string) {
		contents := map[string][]byte{}
		for _, name := range names {
			contents[name] = []byte("content of " + path.Base(name))
		}
		return InputsFolder(contents)
	}
	whole := inputs("noise-0/profile.yaml", "permutation.txt")
	place(t, dir, whole+"/noise-0/profile.yaml", whole+"/permutation.txt",
		whole+"/"+temporaryName("permutation.txt"))
	stay := []string{
		// Whose files these are is not known.
		inputs("permutation.txt", "noise-0/profile.yaml", "compute-0/a.csv") + "/permutation.txt",
		inputs("noise-0/profile.yaml") + "/noise-0/profile.yaml",
		inputs("noise-0/profile.yaml") + "/noise-0/notes.txt",
		"inputs/0123456789abcdef/thesis.tex", "inputs/notes.tmp", "inputs/mine/notes",
	}
	place(t, dir, stay...)
	tests.NoError(t, os.Mkdir(filepath.Join(dir, "inputs/empty"), 0o777))
	cleaned(t, dir)
	checkTree(t, dir, append(append(stay, "inputs/empty/"), finishedStudy...))
}

// What a living process is writing stays, and is removed once the process has ended.
func TestCleaningBesideWriters(t *testing.T) {
	dir := t.TempDir()
	finishIn(t, dir, 2)
	want := tree(t, dir)
	living := tests.Must(create(osDisk{}, dir, RunFile))(t)
	cleaned(t, dir)
	if _, err := os.Stat(living.path); err != nil {
		t.Error(err)
	}
	tests.NoError(t, living.file.Close())
	cleaned(t, dir)
	checkTree(t, dir, want)
}

// A process whose inputs another one removes, which has finished its study meanwhile, is refused as
// any other that comes too late.
func TestInputsAreRemovedMeanwhile(t *testing.T) {
	other := planOf(4, 1)
	other.StudyHash = "fedcba9876543210"
	contents := map[string][]byte{"permutation.txt": []byte("1 0")}
	folder := InputsFolder(contents)
	inputs := map[string][]byte{folder + "/permutation.txt": contents["permutation.txt"]}
	other.Inputs = Digests(inputs)
	for _, name := range []string{"create", "link"} {
		path := filepath.Join(t.TempDir(), "results")
		disk := busyDisk(name, func() { finishIn(t, path, 4) })
		if _, err := begin(disk, path, other, inputs, Extension{}); !errors.Is(err, ErrOtherStudy) {
			t.Errorf("before it %s: %v", name, err)
		}
		cleaned(t, path)
		if _, err := os.Stat(filepath.Join(path, InputsDir)); err == nil {
			t.Errorf("before it %s: inputs of another study are left behind", name)
		}
	}
}
