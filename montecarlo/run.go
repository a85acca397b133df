package montecarlo

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Settings are the settings of what [Run] simulates.
type Settings struct {
	Seed      uint64
	Trials    Trials
	Objective Objective // by default the mean
	Tolerance float64   // of choices, relative
	Quantiles []float64 // the shares of the quantiles that summaries have
}

// Options do not change results, except Time.
type Options struct {
	Workers int // by default one for each processor
	// Skip reports which fields to leave out; nil leaves out none.
	Skip func(field int) bool
	// Resume returns the trials of a field's configurations that are known from an earlier run,
	// and need not be simulated again; nil returns none.
	Resume func(field int) []Kept
	// Checkpoint receives about each second, and when the run is cancelled, the trials of the
	// fields that are not decided; Resume takes them. It is not called while Done is, and must
	// not change what it receives. An error from it ends the run.
	Checkpoint func(open []Partial) error
	// Done receives each decision when it is made, about in the order of the fields, never two at
	// once. An error from it ends the run.
	Done func(field int, d Decision) error
	// Standing receives at most once a second how far the choice of a field is known, unless it is nil.
	// Workers call it.
	Standing func(field int, s Standing)
	// Progress counts the simulated messages, unless it is nil.
	Progress *atomic.Int64
	// Time is how long the run may take, if it is above 0. When it is over, trials that are not
	// complete are given up, and what is not decided is decided with what there is, for the reason
	// OutOfTime; a field without any trial is not decided. Fields share the time: where there are
	// several, one ends earlier if its next trials would take the others' share.
	Time time.Duration
	// Least is the number of trials of each field that are made whatever the time.
	Least int
}

// Partial has the trials so far of the configurations of a field.
type Partial struct {
	Field int
	Kept  []Kept
}

// Run simulates n fields, each of which field makes when its trials begin, with the settings of the
// study. Workers take chunks of trials from the first field that has some left, so that a single large
// configuration occupies all of them and small ones need not wait for each other.
//
// When the context is cancelled, Run returns its error as soon as the runners do, or after [grace]
// without fields that do not. Decisions not given to Done are lost, except the trials given to
// Checkpoint.
func Run(ctx context.Context, study *Settings, n int, field func(i int) Field, o Options) error {
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
	p := &pool{study: study, fields: n, field: field, Options: o, begin: time.Now(), timed: ctx}
	for i := range n {
		if !p.Skip(i) {
			p.undecided++
		}
	}
	p.changed = sync.NewCond(&p.mu)
	context.AfterFunc(ctx, p.end)
	if p.Time > 0 {
		timed, over := context.WithTimeout(ctx, p.Time)
		defer over()
		p.timed = timed
		context.AfterFunc(timed, p.changed.Broadcast)
	}
	for range min(p.Workers, mostWorkers) {
		p.workers.Go(func() {
			if err := p.work(ctx, new(worker)); err != nil {
				cancel(err)
			}
		})
	}
	if err := p.watch(ctx); err != nil {
		cancel(err)
	}
	return p.close(context.Cause(ctx))
}

// mostWorkers is how many workers there are at most, more than any machine has processors.
const mostWorkers = 1 << 12

// grace is how long a cancelled run waits for its runners, which end at a point that suits them.
const grace = time.Second

const checkpointInterval = time.Second

// watch returns when the workers have ended, or some time after the run was cancelled. Until
// then it gives out checkpoints. It fails if one does.
func (p *pool) watch(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		p.workers.Wait()
		close(ended)
	}()
	tick := time.NewTicker(checkpointInterval)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			select {
			case <-ended:
			case <-time.After(grace):
			}
			return nil
		case <-tick.C:
			if err := p.checkpoint(); err != nil {
				return err
			}
		}
	}
}

// checkpoint gives out the trials of the fields that are not decided.
func (p *pool) checkpoint() error {
	p.done.Lock()
	defer p.done.Unlock()
	if p.failed != nil {
		return nil
	}
	p.mu.Lock()
	open := p.partials()
	p.mu.Unlock()
	return p.Checkpoint(open)
}

func (p *pool) partials() []Partial {
	var open []Partial
	for _, c := range p.open {
		if c.decided {
			continue
		}
		var kept []Kept
		for _, j := range c.jobs {
			kept = append(kept, j.kept())
		}
		open = append(open, Partial{c.index, kept})
	}
	return open
}

// close ends a run with an error, nil if all is done. It gives out a last checkpoint if there is an
// error. The work of workers that have not ended is lost.
func (p *pool) close(err error) error {
	if err == nil {
		return nil
	}
	p.done.Lock()
	defer p.done.Unlock()
	if p.failed != nil { // there may be no room for a checkpoint either
		return err
	}
	p.failed = err
	for range 100 { // a worker may hold the lock while it makes a large model
		if p.mu.TryLock() {
			defer p.mu.Unlock()
			return errors.Join(err, p.Checkpoint(p.partials()))
		}
		time.Sleep(grace / 100)
	}
	return err
}

func (o *Options) fill() {
	o.Workers, o.Progress = cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), cmp.Or(o.Progress, new(atomic.Int64))
	if o.Skip == nil {
		o.Skip = func(int) bool { return false }
	}
	if o.Resume == nil {
		o.Resume = func(int) []Kept { return nil }
	}
	if o.Checkpoint == nil {
		o.Checkpoint = func([]Partial) error { return nil }
	}
	if o.Done == nil {
		o.Done = func(int, Decision) error { return nil }
	}
}

type pool struct {
	study  *Settings
	fields int
	field  func(i int) Field
	Options

	mu        sync.Mutex
	changed   *sync.Cond // there may be trials to take, or the run has ended
	ended     bool
	begin     time.Time
	timed     context.Context // done when the time is over
	undecided int             // fields
	opened    int             // fields opened or skipped so far
	open      []*fieldRun     // in the order of fields

	workers sync.WaitGroup

	done   sync.Mutex // held while Done runs
	failed error      // what ended the run, under done; Done is not called again
}

func (p *pool) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.changed.Broadcast()
}

func (p *pool) work(ctx context.Context, w *worker) error {
	for {
		c, chunk, err := p.take()
		if c == nil || err != nil {
			return err
		}
		analysed := chunk.jobs == nil // no trials of it are being simulated
		if !analysed {
			if analysed, err = p.simulate(ctx, w, c, chunk); err != nil {
				return err
			}
		}
		if analysed {
			if err := p.advance(c); err != nil {
				return err
			}
		}
	}
}

// simulate simulates a chunk of trials, and reports whether it was the last before an analysis. It gives them
// up when the time is over.
func (p *pool) simulate(ctx context.Context, w *worker, c *fieldRun, chunk chunk) (bool, error) {
	within, begin := ctx, time.Now()
	if max(0, chunk.from) >= c.least { // else these trials are made whatever the time
		within = p.timed
	}
	trial, at, err := w.simulate(within, c, chunk)
	late, took := err != nil && within != ctx && p.late(), time.Since(begin)
	if err != nil && !late {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.running -= chunk.work()
	for i, j := range chunk.jobs {
		j.end(chunk.from)
		c.pending -= chunk.to - chunk.from
		if late && (c.closing == nil || chunk.to > 0) { // else it is the trial without noise alone
			if i < at {
				j.lost = min(j.lost, max(trial+1, j.restored))
			} else {
				j.lost = min(j.lost, max(trial, j.restored))
			}
		}
	}
	if late {
		w.forget() // the trials are not complete
		c.curtail()
	} else {
		p.Progress.Add(int64(chunk.work()))
		c.cost.messages += chunk.cost()
		c.cost.seconds += took.Seconds()
	}
	c.analysing = c.pending == 0
	return c.analysing, nil
}

// take waits for a chunk of trials of the first field that has some. It returns a field without a
// job if that is to be analysed, and none when all is done or the run has ended.
func (p *pool) take() (*fieldRun, chunk, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ended {
		if c, chunk := p.takeOpen(0); c != nil {
			return c, chunk, nil
		}
		opened, err := p.openNext()
		if err != nil || !opened && len(p.open) == 0 {
			return nil, chunk{}, err
		}
		if opened {
			continue
		}
		if c, chunk := p.takeOpen(lastTurn); c != nil {
			return c, chunk, nil
		}
		p.changed.Wait()
	}
	return nil, chunk{}, nil
}

// late reports whether the time is over, in a run that is not cancelled.
func (p *pool) late() bool {
	return p.Time > 0 && errors.Is(p.timed.Err(), context.DeadlineExceeded)
}

// turnsOfTime is in how many turns a field takes its share of the time: fields that may not all be decided
// take turns, so that none has the time of another. A field whose choice has a bound waits for those that
// have none, or a wider one, by turnsPerOctave: how many turns apart a bound and its half are.
const (
	turnsOfTime    = 4
	turnsPerOctave = 2
	lastTurn       = turnsOfTime + 8*turnsPerOctave
)

// heaviest is how many times its share of the time one of several fields is planned to get, and is last
// after: some need less, and what is left is for those that are known worst.
const heaviest = 2

// turn returns which of its turns a field is in, at most lastTurn.
func (p *pool) turn(c *fieldRun) int {
	share := p.Time.Seconds() * float64(p.Workers) / float64(p.fields)
	switch {
	case p.Time <= 0:
		return 0
	case c.cost.seconds > heaviest*share:
		return lastTurn
	case c.bound < widest:
		return min(lastTurn-1, turnsOfTime+int(math.Ceil(turnsPerOctave*math.Log2(widest/c.bound))))
	}
	return int(min(turnsOfTime, turnsOfTime*c.cost.seconds/share))
}

// takeOpen does what take does among the open fields up to a turn, without waiting. It returns no field if
// none of them has trials to hand out or is to be analysed. A field needs no trials before its first analysis
// if an earlier run has left them.
func (p *pool) takeOpen(last int) (*fieldRun, chunk) {
	for turn := range last + 1 {
		if c, chunk := p.takeIn(turn); c != nil {
			return c, chunk
		}
	}
	return nil, chunk{}
}

// takeIn does what takeOpen does among the fields in a turn.
func (p *pool) takeIn(turn int) (*fieldRun, chunk) {
	for _, c := range p.open {
		if p.turn(c) != turn {
			continue
		}
		if !c.analysing && (c.pending == 0 || p.late() && c.trials >= c.least && c.curtail()) {
			c.analysing = true
			return c, chunk{}
		}
		if taken := c.take(p.Workers); taken.jobs != nil {
			return c, taken
		}
	}
	return nil, chunk{}
}

// openNext opens the next field, with trials of its first job. It reports whether there is one.
func (p *pool) openNext() (bool, error) {
	for p.opened < p.fields && p.Skip(p.opened) {
		p.opened++
	}
	if p.opened == p.fields {
		return false, nil
	}
	c, err := newFieldRun(p.opened, p.field(p.opened), p.study, p.Resume(p.opened))
	if err != nil {
		return false, err
	}
	c.report = p.Standing
	c.fits = func(work float64) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.fits(c, work)
	}
	if c.lock, c.least = &p.mu, p.study.Trials.Min; p.Time > 0 {
		c.least = min(c.least, p.Least)
	}
	c.extend(c.likely())
	p.opened++
	p.open = append(p.open, c)
	return true, nil
}

// advance analyses a field whose trials are all simulated, and extends or finishes it.
func (p *pool) advance(c *fieldRun) error {
	var behind []*job
	for { // until there are trials that are not known from an earlier run
		behind = c.advance(func(work float64) bool { return p.affordable(c, work) })
		if len(behind) == 0 {
			break
		}
		p.mu.Lock()
		c.extend(behind)
		waiting := c.pending > 0
		c.analysing = !waiting
		p.mu.Unlock()
		if waiting {
			p.changed.Broadcast()
			return nil
		}
	}
	p.done.Lock()
	if p.failed == nil && c.decision.Results != nil {
		p.failed = p.Done(c.index, c.decision)
		c.decided = true
	}
	err := p.failed
	p.done.Unlock()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = slices.DeleteFunc(p.open, func(other *fieldRun) bool { return other == c })
	p.undecided--
	p.changed.Broadcast()
	return nil
}

// affordable reports whether some work [messages] of a field takes no more than its share of the
// time. The last field has all, whatever it takes.
func (p *pool) affordable(c *fieldRun, work float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.undecided == 1 || p.fits(c, work)
}

// fits reports whether some work [messages] of a field takes no more than heaviest times its share of the
// time that is left, which it has with every other field that is not decided, and not known better.
func (p *pool) fits(c *fieldRun, work float64) bool {
	if p.Time <= 0 || c.cost.messages == 0 {
		return true
	}
	shares := p.undecided
	for _, other := range p.open {
		if p.turn(other) > p.turn(c) {
			shares--
		}
	}
	left := (p.Time - time.Since(p.begin)).Seconds() * float64(p.Workers) / max(1, float64(shares)/heaviest)
	return work*c.cost.seconds/c.cost.messages <= left
}
