package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jitterfly/cli/internal/command"
	"jitterfly/internal/tests"
)

// A full disk ends a sweep with one line and loses nothing that was complete:
// when there is room again, the same command finishes it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := tmpfs(t, "size=96k")
	ballast := filepath.Join(disk, "ballast")
	tests.NoError(t, os.WriteFile(ballast, make([]byte, 80<<10), 0o666))
	sweep := func(out string) (int, string) {
		var stdout, stderr bytes.Buffer
		args := []string{"sweep", "--ranks", "2^1..2^6", "--trials", "100", "--keep-trials",
			"--quiet", "--out", out}
		code := run(context.Background(), args, nil, &stdout, &stderr)
		return code, stderr.String()
	}
	out := filepath.Join(disk, "results")
	code, stderr := sweep(out)
	if code != command.Failed || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stderr, "no space left on device") {
		t.Fatalf("on a full disk: exit %d, %q", code, stderr)
	}
	for _, table := range []string{"summary.parquet", "choice.parquet", "trials.parquet"} {
		if _, err := os.Stat(filepath.Join(out, table)); err == nil {
			t.Errorf("%s was published on a full disk", table)
		}
	}

	tests.NoError(t, os.Remove(ballast))
	tests.NoError(t, syscall.Mount("jitterfly-test", disk, "tmpfs", syscall.MS_REMOUNT, "size=4m"))
	if code, stderr := sweep(out); code != command.Done {
		t.Fatalf("with room again: exit %d, %q", code, stderr)
	}
	elsewhere := t.TempDir()
	if code, stderr := sweep(filepath.Join(elsewhere, "results")); code != command.Done {
		t.Fatalf("elsewhere: exit %d, %q", code, stderr)
	}
	for _, table := range []string{"summary.parquet", "choice.parquet", "trials.parquet"} {
		got := tests.Must(os.ReadFile(filepath.Join(out, table)))(t)
		want := tests.Must(os.ReadFile(filepath.Join(elsewhere, "results", table)))(t)
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from that of an undisturbed run", table)
		}
	}
}
