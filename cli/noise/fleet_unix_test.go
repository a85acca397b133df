//go:build unix

package noise

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"

	"jitterfly/internal/tests"
)

// A pipe in a directory of measurements is left out: nothing may ever write to it.
func TestFleetLeavesPipesOut(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "node0.txt"), 0o600); err != nil {
		t.Skip(err)
	}
	o := importOptions{bytes: "8B", span: "0s", skip: -1}
	tests.Fails(t, "it has no file with measurements")(o.importFleet([]string{dir}, &bytes.Buffer{}, &bytes.Buffer{}))
}
