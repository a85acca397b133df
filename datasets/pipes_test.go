package datasets

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"jitterfly/internal/tests"
)

// pipe puts a named pipe in the place of a file, calls look, and puts the file back. Whenever look
// opens the pipe and waits, a writer lets it go on; it writes nothing.
func pipe(t *testing.T, name string, look func()) {
	t.Helper()
	saved := filepath.Join(t.TempDir(), "saved")
	tests.NoError(t, os.Rename(name, saved))
	if err := unix.Mkfifo(name, 0o666); err != nil {
		t.Skip(err)
	}
	released := make(chan struct{})
	var looked atomic.Bool
	go func() {
		defer close(released)
		for !looked.Load() {
			if w, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
				_ = w.Close()
			}
		}
	}()
	look()
	looked.Store(true)
	reader := tests.Must(os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0))(t) // lets the writer go
	<-released
	_ = reader.Close()
	tests.NoError(t, os.Rename(saved, name))
}

// A named pipe in the place of any file of a directory of results is an error, and nothing waits
// for who writes to it.
func TestPipesAreNoFiles(t *testing.T) {
	root := t.TempDir()
	finished, begun := filepath.Join(root, "finished"), filepath.Join(root, "begun")
	tests.NoError(t, studyWithInput(t, finished, 0, 1).Finish(axesOf))
	studyWithInput(t, begun, 0)
	const want = "it is not a regular file"
	for _, path := range []string{finished, begun} {
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			pipe(t, name, func() {
				damaged, err := Verify(path, true)
				if said := fmt.Sprint(damaged, err); !strings.Contains(said, want) {
					t.Errorf("%s: verify says %s", name, said)
				}
				file := filepath.Base(name)
				if path == finished && file != PlanFile && filepath.Ext(file) != ".txt" {
					tests.Fails(t, want, name)(readResults(path))
				}
			})
			return nil
		})
		tests.NoError(t, err)
	}
}

// A part that becomes a pipe after it was found is an error too.
func TestPipeInPlaceOfAPart(t *testing.T) {
	path := t.TempDir()
	collect(t, open(t, path, 2, 1), count(2), never)
	d := open(t, path, 2, 1)
	parts, err := filepath.Glob(filepath.Join(path, partsDir, "*"))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	pipe(t, parts[0], func() {
		tests.Fails(t, "not a regular")(d.Finish(axesOf))
	})
}
