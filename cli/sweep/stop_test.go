package sweep

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/internal/tests"
	"jitterfly/montecarlo"
)

// A sweep of one configuration that takes hours gets on however often it is stopped.
func TestTrialsUnderWayAreKept(t *testing.T) {
	out := filepath.Join(t.TempDir(), "d")
	args := []string{"--ranks", "2^16", "--workers", "1", "--trials", "1000000", "--out", out, "--quiet"}
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
	growing(t, func(limit time.Duration) int {
		interrupted(t, limit, Command(nil), args...)
		return trialsIn(t, out)
	})
}

// interrupted runs a command that takes hours for a time, and returns the lines that it wrote.
func interrupted(t *testing.T, limit time.Duration, cmd *cobra.Command, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(limit, cancel)
	var out, errs bytes.Buffer
	err := execute(ctx, cmd, &out, &errs, args...)
	if command.ExitCode(err) != command.Stopped {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return errs.String()
}

// growing calls run with longer and longer limits until it has returned more than before twice. It fails
// if run returns less. The last limit is returned.
func growing(t *testing.T, run func(limit time.Duration) (trials int)) time.Duration {
	t.Helper()
	most, limit := 0, 100*time.Millisecond
	for stops := 0; stops < 2; limit *= 2 {
		now := run(limit)
		if now < most {
			t.Fatalf("%d trials after %d", now, most)
		} else if now > most {
			stops++
		}
		most = now
	}
	return limit
}

// trialsIn returns how many trials a directory has of configurations that are not decided.
func trialsIn(t *testing.T, path string) (trials int) {
	t.Helper()
	dir := tests.Must(Open(path))(t)
	if passedOver, err := dir.Load(All); err != nil || len(passedOver) > 0 || dir.Has(0) {
		t.Fatal(passedOver, err)
	}
	for i := range dir.Plan().Configurations {
		trials += dir.KeptTrials(i)
	}
	return trials
}

// Tests that wait for a line of progress need not wait as long as people want to.
func TestMain(m *testing.M) {
	output.LineEvery = 200 * time.Millisecond
	os.Exit(m.Run())
}

// execute runs a command, which does not print its error.
func execute(ctx context.Context, cmd *cobra.Command, out, errs io.Writer, args ...string) error {
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(ctx)
}

// A canceller cancels when a text is written to it.
type canceller struct {
	mu     sync.Mutex
	text   string
	cancel context.CancelFunc
}

func (c *canceller) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(string(b), c.text) {
		c.cancel()
	}
	return len(b), nil
}

// What was decided before a signal is printed: here one of two deployments, of which the other
// takes hours.
func TestDecisionsBeforeASignalArePrinted(t *testing.T) {
	for format, want := range map[string]string{"json": `"ranks": 64,`, "openmpi": ""} {
		t.Run(format, func(t *testing.T) {
			t.Parallel() // both wait
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out bytes.Buffer
			long := "--collective butterfly --effort unlimited --trials-max 1000 --tolerance 1e-9"
			if format == "openmpi" {
				long = "--trials 1000"
			}
			err := execute(ctx, ChooseCommand(nil), &out, &canceller{text: "1 of 2 choices", cancel: cancel},
				strings.Fields("--ranks 64,2^22 --latency 100ns --os-duration 10us --time 0 --no-cache --format "+
					format+" "+long)...)
			if tests.Fails(t, "after 1 of 2 choices", format)(err); command.ExitCode(err) != command.Stopped {
				t.Errorf("%s: %v", format, err)
			}
			if got := out.String(); want == "" && got != "" || !strings.Contains(got, want) ||
				strings.Contains(got, `"ranks": 4194304`) {
				t.Errorf("%s printed %q", format, got)
			}
		})
	}
}

// The trials of a configuration that is under way for longer than from one checkpoint to the next
// are written, however few messages it has: those of packets take long. They are not written at the
// first checkpoint, unless they are many.
func TestCheckpoints(t *testing.T) {
	in := study.Input{Name: "test.yaml",
		Set: []string{"ranks=4,2^20", "network.latency=1us", "noise.os.duration=10us"}}
	s := tests.Must(study.Read(in, MaxConfigs()))(t)
	dir := tests.Must(Begin(filepath.Join(t.TempDir(), "results"), s, 1, false))(t)
	tests.NoError(t, dir.Writable())
	saved := new(Execution).newSaver(s).into(dir)
	underWay := func(trials int) []montecarlo.Partial {
		kept := montecarlo.Kept{LowerBound: make([]float64, trials),
			Completion: make([]float64, 3*trials)}
		return []montecarlo.Partial{{Field: 1, Kept: []montecarlo.Kept{kept}}}
	}
	for i, step := range []struct{ trials, want int }{{0, 0}, {2, 2}, {2, 2}, {5, 5}} {
		saved.took = 0 // of a disk as fast as can be
		tests.NoError(t, saved.checkpoint(underWay(step.trials)))
		if got := dir.KeptTrials(1); got != step.want {
			t.Errorf("checkpoint %d has %d of %d trials, want %d", i, got, step.trials, step.want)
		}
	}
	saved = new(Execution).newSaver(s).into(dir)
	tests.NoError(t, saved.checkpoint(underWay(7)))
	if got := dir.KeptTrials(1); got != 5 {
		t.Errorf("%d trials are written at the first checkpoint", got)
	}
	saved = new(Execution).newSaver(s).into(dir)
	many := int(keepAbove/s.Configurations[1].Work) + 1
	tests.NoError(t, saved.checkpoint(underWay(many)))
	if got := dir.KeptTrials(1); got != many {
		t.Errorf("%d of %d trials are written at the first checkpoint", got, many)
	}
}
