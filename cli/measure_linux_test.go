package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// An interrupt ends a measurement, and what was measured until then is written. A
// busy machine needs longer until a measurement begins.
func TestMeasureInterrupted(t *testing.T) {
	t.Parallel()
	for wait := 250 * time.Millisecond; ; wait *= 2 {
		path := filepath.Join(t.TempDir(), "early.parquet")
		var out, errs bytes.Buffer
		cmd := exec.Command("jitterfly", "measure", "--duration", "1000s", "--allow-busy",
			"--out", path)
		cmd.Stdout, cmd.Stderr = &out, &errs
		tests.NoError(t, cmd.Start())
		time.Sleep(wait)
		tests.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		code := cmd.ProcessState.ExitCode()
		early := strings.Contains(errs.String(), "stopped before anything was measured")
		begun := out.Len() > 0 || code != command.Stopped
		if wait < time.Minute && (code == -1 || early || !begun) {
			continue // -1: before the program caught signals
		}
		skipIfBusy(t, errs.String())
		if code != command.Stopped || !strings.HasPrefix(out.String(), "Noise of cores") {
			t.Fatalf("exit %d, want %d; it says\n%s%s", code, command.Stopped, out.String(), errs.String())
		}
		want := regexp.MustCompile(
			`(?m)^jitterfly: stopped by a signal; .*early.parquet has the .* until then$`)
		if !want.MatchString(errs.String()) {
			t.Errorf("it says\n%s", errs.String())
		}
		content := tests.Must(os.ReadFile(path))(t)
		if seen, err := datasets.DecodeTrace(content); err != nil || len(seen.Cores) == 0 {
			t.Errorf("%d cores, %v", len(seen.Cores), err)
		}
		return
	}
}
