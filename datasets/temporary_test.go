package datasets

import (
	"os"
	"path/filepath"
	"testing"

	"jitterfly/internal/tests"
)

// Only what this program made is a temporary name of it.
func TestTemporaryNames(t *testing.T) {
	for _, name := range []string{"a", "notes.tmp", temporaryName("a")} {
		if final, ok := temporaryOf(temporaryName(name)); !ok || final != name {
			t.Errorf("%s is temporarily %q, %t", name, final, ok)
		}
	}
	for _, name := range []string{"notes.tmp", "notes.0123456789ABCDEF.tmp", "notes.jitterfly-1.tmp", "",
		temporaryName(""), temporaryName("a") + "p"} {
		if final, ok := temporaryOf(name); ok {
			t.Errorf("%s is of %q", name, final)
		}
	}
}

// A file that is written removes what killed processes of this program have left in its
// directory: not what living ones are writing, and no file of others.
func TestLeftoversOfKilledProcesses(t *testing.T) {
	dir := t.TempDir()
	living := tests.Must(create(osDisk{}, dir, "report.html"))(t)
	for range 2 { // as if they were killed
		dead := tests.Must(create(osDisk{}, dir, "slowdown.svg"))(t)
		tests.NoError(t, dead.file.Close())
	}
	theirs := []string{"notes.tmp", "notes.0123456789abcdef.tmp", temporaryName("link"),
		temporaryName("folder"), "target"}
	for _, name := range []string{theirs[0], theirs[1], theirs[4]} {
		tests.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("theirs"), 0o666))
	}
	tests.NoError(t, os.Symlink("target", filepath.Join(dir, theirs[2])))
	tests.NoError(t, os.Mkdir(filepath.Join(dir, theirs[3]), 0o777))
	tests.NoError(t, WriteFile(filepath.Join(dir, "mine.yaml"), []byte("mine")))
	theirs[3] += "/"
	checkTree(t, dir, append(theirs, "mine.yaml", filepath.Base(living.path)))
	// What the living one writes appears.
	tests.Must(living.WriteString("page"))(t)
	tests.NoError(t, living.complete())
	if err := removeUnclaimed(living.path, os.Remove); err == nil {
		t.Error("a complete file is removed before it is published")
	}
	tests.NoError(t, living.publish("report.html"))
	living.abandon()
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || string(page) != "page" {
		t.Errorf("the report is %q, %v", page, err)
	}
}

// A process that is about to claim the file that it has created, and finds that another has
// removed it as a leftover, takes another name.
func TestClaimIsLate(t *testing.T) {
	dir := t.TempDir()
	f := tests.Must(os.Create(filepath.Join(dir, temporaryName("a"))))(t)
	defer func() { _ = f.Close() }()
	if err := removeUnclaimed(f.Name(), func(path string) error {
		if err := claim(f); err == nil {
			t.Error("claimed while another process removes it")
		}
		return os.Remove(path)
	}); err != nil {
		t.Fatal(err)
	}
	if err := claim(f); err == nil {
		t.Error("claimed after another process has removed it")
	}
	late := 2 // files are there already when they are created, as often as this
	disk := &hookedDisk{before: func(c change) error {
		if late--; c.op == "create" && late >= 0 {
			return os.ErrExist
		}
		return nil
	}}
	p, err := create(disk, dir, "b")
	if err != nil || late != -1 {
		t.Fatal(err, late)
	}
	p.abandon()
	late = 1000
	if _, err := create(disk, dir, "b"); err == nil {
		t.Error("created a file that always exists")
	}
}

// A file replaces neither a directory nor a device, nor a link to one.
func TestWriteFileReplacesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	device, folder := filepath.Join(dir, "device"), filepath.Join(dir, "folder")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Skip(err)
	}
	tests.NoError(t, os.Mkdir(folder, 0o777))
	for _, name := range []string{device, folder} {
		tests.Fails(t, "^"+name+": exists and is not a regular file$")(WriteFile(name, []byte("content")))
	}
	if target, err := os.Readlink(device); err != nil || target != os.DevNull {
		t.Errorf("the link leads to %q now: %v", target, err)
	}
	file := filepath.Join(dir, "file")
	for _, content := range []string{"first", "second"} {
		tests.NoError(t, WriteFile(file, []byte(content)))
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "second" {
		t.Errorf("%q, %v", got, err)
	}
}

// Only regular files are read, only as many bytes as are asked for, and no link out of a directory.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "name")
	tests.NoError(t, os.WriteFile(name, []byte("content"), 0o666))
	if got, err := ReadFile(name); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	for path, want := range map[string]string{
		dir:         dir + ": it is a directory",
		os.DevNull:  os.DevNull + ": it is not a regular file",
		name + "s":  name + "s: no such file",
		name + "/x": name + "/x: not a directory",
	} {
		tests.Fails(t, "^"+want)(ReadFile(path))
	}
	for limit, want := range map[int64]string{7: "", 6: "^it has more than 6 bytes, and is not read$"} {
		tests.Fails(t, want, limit)(ReadFileIn(dir, "name", limit))
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	tests.Fails(t, "escapes")(ReadFileIn(dir, "link", 1))
}
