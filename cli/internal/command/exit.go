package command

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Exit codes. An error of a command without another code is an error of its input.
const (
	Done       = 0
	Failed     = 1 // another input would not have helped
	Input      = 2
	Incomplete = 3  // shards of a plan are missing
	Stopped    = 75 // EX_TEMPFAIL: the same command resumes
)

type failure struct {
	error
	code int
}

func (f failure) Unwrap() error { return f.error }

// With returns an error that ends the program with the code; nil if err is nil.
func With(code int, err error) error {
	if err == nil {
		return nil
	}
	return failure{err, code}
}

// Failure returns an error that other input would not have avoided, which ends the
// program with [Failed]; nil if err is nil.
func Failure(err error) error { return With(Failed, err) }

// ExitCode returns the exit code of a command that returned err: the code in err, or [Input] if
// err has no code.
func ExitCode(err error) int {
	if err == nil {
		return Done
	}
	if f, ok := errors.AsType[failure](err); ok {
		return f.code
	}
	return Input
}

// A Guard ends the program some time after a signal if the command does not end by itself, as
// one that reads, draws or computes something in one piece. Whatever a command writes appears
// whole or not at all, so that it may be ended anywhere.
type Guard struct {
	saving atomic.Int32 // commands that are writing what would be lost
	ended  atomic.Bool
}

type guardKey struct{}

// patience is how long after a signal a command may take.
const patience = 1500 * time.Millisecond

// Watch returns a context with the guard, which calls end [patience] after the context was
// cancelled, unless the command has ended by then, or is saving.
func (g *Guard) Watch(ctx context.Context, end func()) context.Context {
	context.AfterFunc(ctx, func() {
		time.Sleep(patience)
		for g.saving.Load() > 0 {
			time.Sleep(patience / 100)
		}
		if g.End() {
			end()
		}
	})
	return context.WithValue(ctx, guardKey{}, g)
}

// End says that the command has ended, and reports whether it is the first to say so.
func (g *Guard) End() bool { return !g.ended.Swap(true) }

// Saving keeps the guard of a context from ending the program until done is called: the command
// handles the signal itself, and saves what it has.
func Saving(ctx context.Context) (done func()) {
	g, ok := ctx.Value(guardKey{}).(*Guard)
	if !ok {
		return func() {}
	}
	g.saving.Add(1)
	return func() { g.saving.Add(-1) }
}
