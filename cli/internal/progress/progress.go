// Package progress shows how far a command is: as a bar on a terminal, and as a line now
// and then elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// A Count counts what has been computed of a study.
type Count struct {
	Done     atomic.Int64 // complete results, those found complete included
	Messages atomic.Int64 // simulated so far
	Total    int          // results
	What     string       // the results are, in the plural
	Work     float64      // messages to simulate, as far as known
}

// lineEvery is the time between two lines where there is no terminal.
const lineEvery = 10 * time.Second

// Show shows the progress of the count until stop is called.
func (c *Count) Show(w io.Writer) (stop func()) {
	return Show(w, c.share, func(elapsed time.Duration) string {
		return fmt.Sprintf("%d of %d %s, %s", c.Done.Load(), c.Total, c.What, c.speed(elapsed))
	})
}

// Show shows the share that is done, from 0 to 1, and the text until stop is called.
func Show(w io.Writer, share func() float64, text func(elapsed time.Duration) string,
) (stop func()) {
	begin, every := time.Now(), lineEvery
	report := func() {
		_, _ = fmt.Fprintf(w, "jitterfly: %s\n", text(time.Since(begin)))
	}
	end := func() {}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		every = 100 * time.Millisecond
		bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
		bar := bars.AddBar(1<<20, mpb.BarRemoveOnComplete(),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				return " " + text(time.Since(begin))
			})))
		report = func() { bar.SetCurrent(int64(share() * (1<<20 - 1))) }
		end = func() {
			bar.Abort(true)
			bars.Wait()
		}
	}
	ticker := time.NewTicker(every)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				report()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-ended
		end()
	}
}

// share returns the share of the work that is done, from 0 to 1.
func (c *Count) share() float64 {
	if c.Work == 0 {
		return 1
	}
	return min(1, float64(c.Messages.Load())/c.Work)
}

// speed returns the rate so far and the time left at it.
func (c *Count) speed(elapsed time.Duration) string {
	rate := float64(c.Messages.Load()) / elapsed.Seconds()
	if rate == 0 {
		return "starting"
	}
	left := time.Duration((c.Work/rate)*float64(time.Second)) - elapsed
	return fmt.Sprintf("%.0f M messages/s, about %s left", rate/1e6, max(0, left).Round(time.Second))
}
