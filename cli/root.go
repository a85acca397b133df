// Package cli is the command line. It builds the root command and runs it, and has the commands
// attribute, cluster and research validate, a file and its parts for each. Other commands are in
// packages by concern, which do not import this one:
//
//   - cli/sweep: sweep and choose, and the steps of computing a study
//   - cli/results: report, figures with timeline, compare, program, research goal
//   - cli/noise: measure, import, presets
//
// They share cli/study, which reads studies, and the packages in cli/internal.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
)

// smallHeap is the heap [bytes] that is not worth collecting. An array of that size, which is never touched
// and so takes no memory, is what the collector compares garbage with.
const smallHeap = 32 << 20

// Main runs the program and returns its exit code. Results go to out; progress and errors,
// one line each, go to errs. An interrupt or another signal to stop ends a command cleanly, or
// after [command.Guard]'s time wherever it is. A second interrupt ends it at once; others are ignored,
// since schedulers repeat them.
func Main(args, environ []string, out, errs io.Writer) int {
	// Signals are caught up to the end, so that one that comes after all is written does not
	// change the exit code.
	ctx, _ := signal.NotifyContext(context.Background(), stopSignals...)
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })
	if !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		// Most of the memory of a large study is its configurations, which stay, and trials make
		// little garbage: collecting it earlier costs little there. What is small is not collected.
		debug.SetGCPercent(50)
		defer runtime.KeepAlive(make([]byte, smallHeap))
	}
	guard := new(command.Guard)
	code := run(guard.Watch(ctx, func() {
		output.Remark(errs, "stopped by a signal")
		os.Exit(command.Stopped)
	}), args, environ, out, errs)
	if !guard.End() {
		select {} // the guard ends the program
	}
	return code
}

func run(ctx context.Context, args, environ []string, out, errs io.Writer) int {
	root := newRoot(environ, out, errs)
	root.SetArgs(args)
	err := command.Failure(checkMemory())
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		output.Remark(errs, "%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	return command.ExitCode(err)
}
