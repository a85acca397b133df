package sweep

import (
	"bytes"
	"context"
	"github.com/spf13/cobra"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/internal/tests"
)

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
