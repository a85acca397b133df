//go:build unix

package noise

import (
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
	tests.Fails(t, "it has no file with measurements")(importDirectory(dir, 0))
}
