package command

import (
	"context"
	"sync/atomic"
	"time"
)

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
