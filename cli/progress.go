package cli

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

// A progress counts what has been done of a study.
type progress struct {
	done       atomic.Int64 // results complete, those found complete included
	rankRounds atomic.Int64 // played
	total      int          // results
	what       string       // they are
	work       float64      // rank-rounds to play, as far as known
}

// lineEvery is how often progress is a line where it cannot be a bar.
const lineEvery = 10 * time.Second

// show reports progress until its result is called.
func (p *progress) show(w io.Writer) (stop func()) {
	return showProgress(w, p.share, func(elapsed time.Duration) string {
		return p.count() + ", " + p.speed(elapsed)
	})
}

// showProgress reports the share that is done, and the text, until its result is
// called: a bar on a terminal, a line now and then elsewhere.
func showProgress(w io.Writer, share func() float64, text func(elapsed time.Duration) string) (stop func()) {
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

func (p *progress) share() float64 {
	if p.work == 0 {
		return 1
	}
	return min(1, float64(p.rankRounds.Load())/p.work)
}

func (p *progress) count() string {
	return fmt.Sprintf("%d of %d %s", p.done.Load(), p.total, p.what)
}

// speed is the rate so far and the time left at it.
func (p *progress) speed(elapsed time.Duration) string {
	rate := float64(p.rankRounds.Load()) / elapsed.Seconds()
	if rate == 0 {
		return "starting"
	}
	left := time.Duration((p.work/rate)*float64(time.Second)) - elapsed
	return fmt.Sprintf("%.0f M rank-rounds/s, about %s left", rate/1e6, max(0, left).Round(time.Second))
}
