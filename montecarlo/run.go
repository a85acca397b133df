package montecarlo

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A Study is what [Run] works through.
type Study struct {
	Configs   []Config
	Seed      uint64
	Trials    Trials
	Tolerance float64 // of the choice of T, relative
}

// Options say how, which the results do not depend on.
type Options struct {
	Workers int // by default one for each processor
	// Skip says which configurations are not to be played, if any.
	Skip func(config int) bool
	// Done receives each result as it is there, about in the order of the
	// configurations, one at a time. An error from it ends the run.
	Done func(config int, r Result) error
	// Progress counts the rank-rounds played, if it is there.
	Progress *atomic.Int64
}

// Run plays the study's configurations. Workers take chunks of trials from the
// first configuration that has some left, so that a single large configuration
// occupies all of them and small ones need not wait for each other.
//
// When the context is cancelled, Run returns its error as soon as the rounds
// being played are over; results not given to Done are lost.
func Run(ctx context.Context, study *Study, o Options) error {
	if err := study.Trials.check(); err != nil {
		return err
	}
	o.fill()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ranks := 0
	for i := range study.Configs {
		ranks = max(ranks, study.Configs[i].Problem.Ranks)
	}
	p := &pool{study: study, Options: o}
	p.changed = sync.NewCond(&p.mu)
	context.AfterFunc(ctx, p.end)
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			if err := p.work(ctx, newPlayer(ranks)); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// fill sets what was left out.
func (o *Options) fill() {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Skip == nil {
		o.Skip = func(int) bool { return false }
	}
	if o.Done == nil {
		o.Done = func(int, Result) error { return nil }
	}
	if o.Progress == nil {
		o.Progress = new(atomic.Int64)
	}
}

// A pool hands out the trials of a study.
type pool struct {
	study *Study
	Options

	mu      sync.Mutex
	changed *sync.Cond // there may be trials to take, or none any more
	ended   bool
	opened  int    // configurations opened or skipped so far
	jobs    []*job // open, in the order of configurations

	done   sync.Mutex // held while Done runs
	failed error      // what Done returned, under done; it is not called again
}

func (p *pool) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.changed.Broadcast()
}

// work plays chunks until none are left.
func (p *pool) work(ctx context.Context, player *player) error {
	for {
		j, from, to, err := p.take()
		if j == nil || err != nil {
			return err
		}
		if err := player.play(ctx, j, from, to); err != nil {
			return err
		}
		p.Progress.Add(int64(float64(to-from) * j.work))
		if p.played(j, to-from) {
			if err := p.look(j); err != nil {
				return err
			}
		}
	}
}

// take waits for a chunk of trials of the first job that has some; there is no
// job when all is done or the run has ended.
func (p *pool) take() (j *job, from, to int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ended {
		for _, j := range p.jobs {
			if from, to := j.take(); from < to {
				return j, from, to, nil
			}
		}
		for p.opened < len(p.study.Configs) && p.Skip(p.opened) {
			p.opened++
		}
		if p.opened < len(p.study.Configs) {
			j, err := newJob(p.opened, &p.study.Configs[p.opened], p.study.Seed, p.study.Trials)
			if err != nil {
				return nil, 0, 0, err
			}
			p.opened++
			p.jobs = append(p.jobs, j)
			continue
		}
		if len(p.jobs) == 0 {
			return nil, 0, 0, nil
		}
		p.changed.Wait()
	}
	return nil, 0, 0, nil
}

// played notes trials as done and says whether they were the last before a
// look.
func (p *pool) played(j *job, trials int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	j.done += trials
	return j.done == j.look-quietTrial
}

// look decides whether the job is over, and extends or finishes it.
func (p *pool) look(j *job) error {
	columns := j.byT()
	stop, over := j.stop(columns, p.study.Trials)
	if over {
		p.done.Lock()
		if p.failed == nil {
			p.failed = p.Done(j.index, j.result(stop, columns, p.study.Trials, p.study.Tolerance))
		}
		err := p.failed
		p.done.Unlock()
		if err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if over {
		p.jobs = slices.DeleteFunc(p.jobs, func(other *job) bool { return other == j })
	} else {
		j.extend(p.study.Trials.next(j.look))
	}
	p.changed.Broadcast()
	return nil
}
