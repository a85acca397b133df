package montecarlo

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Study is what [Run] simulates.
type Study struct {
	Fields    []Field
	Seed      uint64
	Trials    Trials
	Objective Objective // by default the mean
	Tolerance float64   // of choices, relative
}

// Options are what the results do not depend on, but for Time.
type Options struct {
	Workers int // by default one for each processor
	// Skip reports which fields to leave out; nil leaves out none.
	Skip func(field int) bool
	// Resume returns the trials of a field's configurations that are known from an earlier run,
	// and need not be simulated again; nil returns none.
	Resume func(field int) []Kept
	// Interrupted receives what a run that is cancelled has of the fields that are not
	// decided; Resume takes it.
	Interrupted func(field int, kept []Kept)
	// Done receives each decision when it is made, about in the order of the
	// fields, one at a time. An error from it ends the run.
	Done func(field int, d Decision) error
	// Progress counts the simulated messages, unless it is nil.
	Progress *atomic.Int64
	// Time is about how long the run may take, if it is above 0. It is divided among the
	// fields, which end for the reason OutOfTime when their share is spent, but not before the
	// smallest number of trials.
	Time time.Duration
}

// Run simulates the study's fields. Workers take chunks of trials from the first
// field that has some left, so that a single large configuration occupies all of
// them and small ones need not wait for each other.
//
// When the context is cancelled, Run returns its error as soon as the runners do. Decisions not
// given to Done are lost, but for the trials given to Interrupted.
func Run(ctx context.Context, study *Study, o Options) error {
	if err := study.Trials.check(); err != nil {
		return err
	}
	o.fill()
	if study.Objective.of == nil {
		mean := *study
		mean.Objective = Objectives[0]
		study = &mean
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &pool{study: study, Options: o, begin: time.Now(), processors: runtime.GOMAXPROCS(0)}
	for i := range study.Fields {
		if !p.Skip(i) {
			p.undecided++
		}
	}
	p.changed = sync.NewCond(&p.mu)
	context.AfterFunc(ctx, p.end)
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			if err := p.work(ctx, &worker{share: p.share}); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	err := context.Cause(ctx)
	if err != nil {
		for _, c := range p.open {
			p.Interrupted(c.index, c.kept())
		}
	}
	return err
}

// fill sets the defaults.
func (o *Options) fill() {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Skip == nil {
		o.Skip = func(int) bool { return false }
	}
	if o.Resume == nil {
		o.Resume = func(int) []Kept { return nil }
	}
	if o.Interrupted == nil {
		o.Interrupted = func(int, []Kept) {}
	}
	if o.Done == nil {
		o.Done = func(int, Decision) error { return nil }
	}
	if o.Progress == nil {
		o.Progress = new(atomic.Int64)
	}
}

// A pool hands out the trials of a study.
type pool struct {
	study *Study
	Options

	processors int
	waiting    atomic.Int32 // workers without trials

	mu        sync.Mutex
	changed   *sync.Cond // there may be trials to take, or the run has ended
	ended     bool
	begin     time.Time
	undecided int        // fields
	opened    int        // fields opened or skipped so far
	open      []*contest // in the order of fields

	done   sync.Mutex // held while Done runs
	failed error      // what Done returned, under done; it is not called again
}

func (p *pool) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.changed.Broadcast()
}

// work simulates chunks until none are left.
func (p *pool) work(ctx context.Context, w *worker) error {
	for {
		c, j, from, to, err := p.take()
		if j == nil || err != nil {
			return err
		}
		begin := time.Now()
		if err := w.run(ctx, c, j, from, to); err != nil {
			return err
		}
		p.Progress.Add(int64(float64(to-from) * j.shape.Work))
		if p.simulated(c, j, from, to, time.Since(begin)) {
			if err := p.advance(c); err != nil {
				return err
			}
		}
	}
}

// take waits for a chunk of trials of the first field that has some. It returns no
// job when all is done or the run has ended.
func (p *pool) take() (c *contest, j *job, from, to int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ended {
		for _, c := range p.open {
			if j, from, to := c.take(); j != nil {
				return c, j, from, to, nil
			}
		}
		for p.opened < len(p.study.Fields) && p.Skip(p.opened) {
			p.opened++
		}
		if p.opened < len(p.study.Fields) {
			c, err := newContest(p.opened, p.study, p.Resume(p.opened))
			if err != nil {
				return nil, nil, 0, 0, err
			}
			p.opened++
			p.open = append(p.open, c)
			continue
		}
		if len(p.open) == 0 {
			return nil, nil, 0, 0, nil
		}
		p.waiting.Add(1)
		p.changed.Wait()
		p.waiting.Add(-1)
	}
	return nil, nil, 0, 0, nil
}

// share returns how many workers a trial may have: those that wait for trials are divided among
// the others. More than there are processors would wait for each other.
func (p *pool) share() int {
	busy := p.Workers - int(p.waiting.Load())
	return max(1, min(p.Workers, p.processors)/max(1, busy))
}

// simulated counts trials as done and reports whether they were the last before a
// look.
func (p *pool) simulated(c *contest, j *job, from, to int, took time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	j.end(from)
	c.pending -= to - from
	c.seconds += took.Seconds()
	return c.pending == 0
}

// advance looks at a field whose trials are all simulated, and extends or finishes it.
func (p *pool) advance(c *contest) error {
	var behind []*job
	for { // until there are trials that are not known from an earlier run
		behind = c.advance(func(work float64) float64 { return p.affordable(c, work) })
		if len(behind) == 0 {
			break
		}
		p.mu.Lock()
		c.extend(behind)
		waiting := c.pending > 0
		p.mu.Unlock()
		if waiting {
			p.changed.Broadcast()
			return nil
		}
	}
	p.done.Lock()
	if p.failed == nil {
		p.failed = p.Done(c.index, c.decision)
	}
	err := p.failed
	p.done.Unlock()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = slices.DeleteFunc(p.open, func(other *contest) bool { return other == c })
	p.undecided--
	p.changed.Broadcast()
	return nil
}

// affordable returns the share of a field's work [messages] that the time allows, if as much is
// kept for every other field that is not decided; at least 1 if it allows all.
func (p *pool) affordable(c *contest, work float64) float64 {
	if p.Time <= 0 {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	left := (p.Time - time.Since(p.begin)).Seconds() * float64(p.Workers) / float64(p.undecided)
	return max(0, left) / (c.seconds * work / c.spent)
}
