package datasets

import (
	"os"
	"path/filepath"
	"testing"

	"jitterfly/internal/tests"
)

// Only regular files are read, and only as many bytes as are asked for.
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
	for limit, want := range map[int64]string{7: "", 6: "^it has 7 bytes, and at most 6 are read$"} {
		tests.Fails(t, want, limit)(ReadFileIn(dir, "name", limit))
	}
}

// A link out of a directory is not followed.
func TestReadFileIn(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	tests.NoError(t, os.WriteFile(outside, nil, 0o666))
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFileIn(dir, "link", 1); err == nil {
		t.Error("it is followed")
	}
}
