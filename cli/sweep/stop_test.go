package sweep

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/internal/tests"
)

// A sweep of one configuration that takes hours gets on however often it is stopped.
func TestTrialsUnderWayAreKept(t *testing.T) {
	out := filepath.Join(t.TempDir(), "d")
	args := []string{"--ranks", "2^16", "--workers", "1", "--trials", "1000000", "--out", out, "--quiet"}
	run := func(limit time.Duration) int {
		ctx, cancel := context.WithTimeoutCause(t.Context(), limit, context.Canceled)
		defer cancel()
		stopped, stop := context.WithCancel(t.Context())
		context.AfterFunc(ctx, stop)
		defer stop()
		var printed bytes.Buffer
		err := execute(stopped, Command(nil), &printed, &printed, args...)
		if command.ExitCode(err) != command.Stopped {
			t.Fatalf("%v; printed %s", err, printed.Bytes())
		}
		dir := tests.Must(Open(out))(t)
		if passedOver, err := dir.Load(All); err != nil || len(passedOver) > 0 || dir.Has(0) {
			t.Fatal(passedOver, err)
		}
		return dir.KeptTrials(0)
	}
	// Trials are written while the configuration is simulated, not only when it is stopped.
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = execute(running, Command(nil), io.Discard, io.Discard, args...)
	}()
	for written := 0; written == 0; {
		select {
		case <-ended:
			t.Fatal("it has ended")
		case <-time.After(100 * time.Millisecond):
		}
		if dir, err := Open(out); err == nil {
			tests.Must(dir.Load(All))(t)
			written = dir.KeptTrials(0)
		}
	}
	stop()
	<-ended
	kept, limit := 0, 100*time.Millisecond
	for stops := 0; stops < 2; limit *= 2 {
		if now := run(limit); now > kept {
			kept = now
			stops++
		} else if now < kept {
			t.Fatalf("%d trials after %d", now, kept)
		}
	}
}
