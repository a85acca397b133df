package output

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// LineEvery is the least time between two lines without a terminal, which come the more rarely the
// longer a command takes. Tests that wait for a line shorten it before they begin.
var LineEvery = 10 * time.Second

// linesPer is how many lines there are in the time that a command has taken before, at least one in
// mostBetween.
const (
	linesPer    = 4
	mostBetween = 10 * time.Minute
)

// nextLine returns when the line after the one at an elapsed time comes at the earliest.
func nextLine(elapsed time.Duration) time.Duration {
	return elapsed + min(mostBetween, elapsed/linesPer)
}

// ShowProgress shows the share that is done, from 0 to 1, and the message until stop is called.
func ShowProgress(w io.Writer, share func() float64, text func(elapsed time.Duration) string,
) (stop func()) {
	begin, every, next := time.Now(), LineEvery, time.Duration(0)
	report := func() {
		elapsed := time.Since(begin)
		if elapsed < next {
			return
		}
		next = nextLine(elapsed)
		_, _ = fmt.Fprintf(w, "jitterfly: %s\n", text(elapsed))
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
