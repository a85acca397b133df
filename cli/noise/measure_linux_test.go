package noise

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
	"jitterfly/noise/measured"
)

// A signal while results are written, which takes longer than the patience with a command that does
// not end, loses nothing: all is written and named.
func TestMeasureSavesAfterASignal(t *testing.T) {
	t.Parallel()
	allowed := tests.Must(measured.Allowed())(t)
	ctx, signal := context.WithCancel(t.Context())
	ended := make(chan struct{})
	guarded := new(command.Guard).Watch(ctx, func() { close(ended) })
	var errs strings.Builder
	o := measureOptions{Options: measured.Options{Cores: allowed[:1], Duration: 50e-3, AllowBusy: true},
		mode: "selfish", out: filepath.Join(t.TempDir(), "node.parquet")}
	slow := &onceWriter{func() {
		signal()
		select {
		case <-ended:
			t.Error("the program has ended before its results were written")
		case <-time.After(2 * time.Second):
		}
	}}
	if err := o.run(guarded, slow, &errs); errors.Is(err, measured.ErrSaturated) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(errs.String(), "wrote the detours to "+o.out) {
		t.Errorf("it says %s", errs.String())
	}
	content := tests.Must(datasets.ReadFile(o.out))(t)
	if _, err := datasets.DecodeTrace(content); err != nil {
		t.Error(err)
	}
	if _, err := datasets.ReadFile(o.profileFile()); err != nil {
		t.Error(err)
	}
}

// A onceWriter calls a function the first time that something is written to it.
type onceWriter struct {
	first func()
}

func (w *onceWriter) Write(text []byte) (int, error) {
	if w.first != nil {
		w.first()
		w.first = nil
	}
	return len(text), nil
}
