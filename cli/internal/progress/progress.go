// Package progress shows how far a command is: as a bar on a terminal, and as a line now
// and then elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// LineEvery is the time between two lines without a terminal. Tests that wait for a line shorten it
// before they begin.
var LineEvery = 10 * time.Second

// Show shows the share that is done, from 0 to 1, and the message until stop is called.
func Show(w io.Writer, share func() float64, text func(elapsed time.Duration) string,
) (stop func()) {
	begin, every := time.Now(), LineEvery
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
