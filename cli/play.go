package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// A playing is how a directory's configurations are played and what is said of
// it.
type playing struct {
	workers int
	quiet   bool
	errs    io.Writer
}

// flags are those of all commands that play.
func (p *playing) flags(f *pflag.FlagSet) {
	workersFlag(f, &p.workers)
	f.BoolVar(&p.quiet, "quiet", false, "no progress")
}

// workersFlag defines --workers. What it says of the default is true of all machines,
// as the manual must be.
func workersFlag(f *pflag.FlagSet, workers *int) {
	f.IntVar(workers, "workers", runtime.GOMAXPROCS(0), "trials played at a time")
	f.Lookup("workers").DefValue = "as many as processors"
}

func (p *playing) check() error {
	if p.workers < 1 {
		return fmt.Errorf("--workers: %d is not at least 1", p.workers)
	}
	return nil
}

// note tells the person at the terminal something that is not a result.
func (p *playing) note(format string, args ...any) {
	if !p.quiet {
		_, _ = fmt.Fprintf(p.errs, "jitterfly: "+format+"\n", args...)
	}
}

// all is in the place of a shard's number where all are meant.
const all = -1

// load finds what the directory has of a shard, or of all. What it passes over it
// says even when it is to be quiet.
func (p *playing) load(dir *datasets.Dir, shard int) error {
	passedOver, err := dir.Load(shard)
	for _, e := range passedOver {
		_, _ = fmt.Fprintf(p.errs, "jitterfly: %s\n", e)
	}
	return failed(err)
}

// flushAbove is how many bytes of records wait at most to be written as a part.
const flushAbove = 32 << 20

// flushDue says whether it is time to write a part: soon at first and each second
// later, so that little is lost, and more rarely as a study goes on, so that parts do
// not become many.
func flushDue(sinceBegin, sinceFlush time.Duration) bool {
	return sinceFlush > max(100*time.Millisecond, min(sinceBegin/10, time.Second), sinceBegin/100)
}

// play plays what the directory does not have yet of a shard, or of all.
func (p *playing) play(ctx context.Context, s *study.Study, cost cost, dir *datasets.Dir, shard int) error {
	progress := progress{what: "configurations"}
	skip := progress.begin(s, dir, shard)
	if progress.done.Load() == int64(progress.total) {
		return nil
	}
	if err := dir.Writable(); err != nil {
		return failed(err)
	}
	if !p.quiet {
		stop := progress.show(p.errs)
		defer stop()
	}
	collector := dir.Collect()
	begin := time.Now()
	flushed := begin
	err := montecarlo.Run(ctx, &s.Study, montecarlo.Options{
		Workers: cost.workers,
		Skip:    func(i int) bool { return skip[i] },
		Done: func(i int, d montecarlo.Decision) error {
			collector.Add(i, record(s.Objective.Name, s.Points[i], d, dir.Plan().KeepTrials))
			progress.done.Add(1)
			if !flushDue(time.Since(begin), time.Since(flushed)) && collector.Size() < flushAbove {
				return nil
			}
			flushed = time.Now()
			return collector.Flush()
		},
		Progress: &progress.rankRounds,
	})
	if flushErr := collector.Flush(); flushErr != nil {
		return failed(fmt.Errorf("%w; what was complete before is kept, run the same command to go on", flushErr))
	}
	if errors.Is(err, context.Canceled) {
		return failure{exitStopped, fmt.Errorf("stopped by a signal; %s has %d of %d configurations, run the same command to go on",
			dir.Path(), progress.done.Load(), progress.total)}
	}
	if err != nil {
		return failed(err)
	}
	p.note("played up to %.3g rank-rounds in %s", float64(progress.rankRounds.Load()), time.Since(begin).Round(time.Millisecond))
	return nil
}

// begin counts what the directory has and lacks of a shard, or of all, and returns
// which configurations are not to be played.
func (p *progress) begin(s *study.Study, dir *datasets.Dir, shard int) (skip []bool) {
	skip = make([]bool, len(s.Configs))
	for i, cost := range costs(s) {
		mine := shard == all || dir.Owner(i) == shard
		skip[i] = !mine || dir.Has(i)
		switch {
		case !mine:
			continue
		case skip[i]:
			p.done.Add(1)
		default:
			p.work += cost
		}
		p.total++
	}
	return skip
}
