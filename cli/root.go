// Package cli is the command line: one file per command. It alone knows all the
// other packages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
)

// Exit codes.
const (
	exitDone       = 0
	exitFailed     = 1
	exitInput      = 2
	exitIncomplete = 3
	exitStopped    = 75 // EX_TEMPFAIL: run the same again to go on
)

// A failure is an error that is not the input's. All other errors of a command
// are of its input.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// failed marks an error as one that other input would not have avoided.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{exitFailed, err}
}

// Main runs the program and returns its exit code. Results go to out; progress,
// and of an error one line, go to errs. An interrupt or another
// signal to stop does so cleanly, a second interrupt at once: a person sends that, and
// schedulers repeat the others.
func Main(args, environ []string, out, errs io.Writer) int {
	// Signals are caught up to the end, since schedulers send several, and one that comes after all is written must not
	// take the exit code away.
	ctx, _ := signal.NotifyContext(context.Background(), stopSignals...)
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	if !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		// Most of the memory is a study's configurations, which stay. Trials make
		// little garbage, so that it may as well be collected sooner.
		debug.SetGCPercent(50)
	}
	return run(ctx, args, environ, out, errs)
}

func run(ctx context.Context, args, environ []string, out, errs io.Writer) int {
	root := newRoot(environ, out, errs)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	_, _ = fmt.Fprintf(errs, "jitterfly: %s\n", strings.Join(strings.Fields(err.Error()), " "))
	var f failure
	if errors.As(err, &f) {
		return f.code
	}
	return exitInput
}
