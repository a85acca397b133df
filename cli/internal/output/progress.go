package output

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
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
	done := make(chan struct{})
	var reports sync.WaitGroup
	reports.Go(func() {
		for tick := time.Tick(every); ; {
			select {
			case <-tick:
				report()
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		reports.Wait()
		end()
	}
}

// A Range is the minimum and maximum of simulated messages for a result.
type Range struct{ Least, Most float64 }

// A Count counts what has been computed of a study, and estimates how long the rest takes.
type Count struct {
	Done     atomic.Int64  // complete results, those found complete included
	Messages atomic.Int64  // simulated so far
	Total    int           // results
	Limit    time.Duration // of the time that all take beyond the least, if it is above 0
	What     string        // the results are, in the plural
	// Standing is what is known of a result that is not complete, in words, or nil.
	Standing atomic.Pointer[string]

	mu       sync.Mutex
	open     Range   // sums over the results that are not complete
	adaptive int     // results among them whose least and most differ
	complete float64 // messages simulated for the results that are
	recent   rate
}

// Expect adds a result to simulate.
func (c *Count) Expect(r Range) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Total++
	c.open.Least += r.Least
	c.open.Most += r.Most
	if r.Least < r.Most {
		c.adaptive++
	}
}

// Finish counts an expected result as complete, after the simulation of the given number of
// messages.
func (c *Count) Finish(r Range, messages float64) {
	c.Done.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.complete += messages
	c.open.Least -= r.Least
	c.open.Most -= r.Most
	if r.Least < r.Most {
		c.adaptive--
	}
}

// Show shows the progress of the count until stop is called.
func (c *Count) Show(w io.Writer) (stop func()) { return ShowProgress(w, c.share, c.text) }

// text returns the line of progress after the elapsed time.
func (c *Count) text(elapsed time.Duration) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := fmt.Sprintf("%d of %d %s", c.Done.Load(), c.Total, c.What)
	messages := float64(c.Messages.Load())
	c.recent.observe(elapsed.Seconds(), messages)
	perSecond := c.recent.perSecond()
	if standing := c.Standing.Load(); standing != nil {
		line += ", " + *standing
	} else if perSecond == 0 {
		return line + ", starting"
	}
	if perSecond == 0 {
		return line
	}
	line += fmt.Sprintf(", %.0f M messages/s", perSecond/1e6)
	left := c.left(c.open.Most, messages) / perSecond
	if c.Limit > 0 {
		left = min(left, max((c.Limit-elapsed).Seconds(), c.left(c.open.Least, messages)/perSecond))
	}
	if c.Limit > 0 && elapsed >= c.Limit {
		return line // of what must be simulated at least more may be left than is known
	}
	return line + timeLeft(elapsed.Seconds(), left, c.adaptive > 0)
}

// left returns how many messages are left to simulate, at least or at most, of as many for the results
// that are not complete. Only if no result is adaptive is the most the number that will be.
func (c *Count) left(open, messages float64) float64 {
	return max(0, open-max(0, messages-c.complete))
}

// share returns the share of the work that is done, from 0 to 1. What is left of adaptive
// results can be far less than the most, and then the share of the results is larger.
func (c *Count) share() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages, share := float64(c.Messages.Load()), 0.0
	if total := messages + c.left(c.open.Most, messages); total > 0 {
		share = messages / total
	}
	if c.adaptive > 0 {
		return max(share, float64(c.Done.Load())/float64(c.Total))
	}
	return share
}

const (
	// settling is how long a rate is measured [s] before a time left is estimated from it.
	settling = 1
	// A bound of the time left says something if it is at most usefulBound [s], or at most
	// usefulTimes as long as the time so far.
	usefulBound, usefulTimes = 60, 10
)

// timeLeft returns the words for a time left [s], which is an upper bound or about right; none
// if it is not known, or if the bound is far above the time so far.
func timeLeft(elapsed, left float64, bound bool) string {
	switch {
	case elapsed < settling || bound && left > max(usefulBound, usefulTimes*elapsed):
		return ""
	case bound:
		return fmt.Sprintf(", at most %s left", roundUp(left))
	}
	return fmt.Sprintf(", about %s left", roundUp(left))
}

// roundUp returns the text of a number of seconds, rounded up to whole seconds, minutes or hours:
// at least 1 of the unit, and up to 99 seconds or minutes.
func roundUp(seconds float64) string {
	switch s := math.Max(1, math.Ceil(seconds)); {
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s <= 99*60:
		return fmt.Sprintf("%.0f min", math.Ceil(s/60))
	default:
		return fmt.Sprintf("%.0f h", math.Ceil(s/3600))
	}
}

// A rate is an average of the messages simulated in a second, in which what is longer ago
// counts less: an interval that ended t seconds ago has the weight exp(-t/τ). τ grows with
// the time so far, so that long runs, whose trials can take long, have steadier averages.
type rate struct {
	at, count     float64 // time [s] and messages at the last increase
	span, counted float64 // weighted sums of seconds and messages
}

// τ is at least leastTau [s], and this part of the time so far.
const (
	leastTau = 2
	tauShare = 1. / 10
)

// observe adds what was simulated since the last call, if anything was: trials that take
// longer than the time between two calls are one interval each.
func (r *rate) observe(now, count float64) {
	if count <= r.count || now <= r.at {
		return
	}
	keep := math.Exp(-(now - r.at) / max(leastTau, tauShare*now))
	r.span = r.span*keep + now - r.at
	r.counted = r.counted*keep + count - r.count
	r.at, r.count = now, count
}

// perSecond returns the rate, 0 if nothing has been simulated.
func (r *rate) perSecond() float64 {
	if r.span == 0 {
		return 0
	}
	return r.counted / r.span
}
