package datasets

import (
	"os"
	"path/filepath"
	"testing"

	"jitterfly/internal/tests"
)

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
