package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// An Execution says how the configurations of a directory are simulated, and where progress and
// notes are printed.
type Execution struct {
	Workers int
	Quiet   bool
	Errs    io.Writer
}

// AddFlags defines the flags that all commands have which simulate into a directory.
func (e *Execution) AddFlags(f *pflag.FlagSet) {
	f.IntVar(&e.Workers, "workers", runtime.GOMAXPROCS(0), "trials simulated at the same time")
	f.Lookup("workers").DefValue = "as many as processors" // on all machines, since the manual is
	f.BoolVar(&e.Quiet, "quiet", false, "no progress, no notes")
}

// Check returns an error if the number of workers is not positive.
func (e *Execution) Check() error {
	if e.Workers < 1 {
		return fmt.Errorf("--workers: %d is not at least 1", e.Workers)
	}
	return nil
}

// Note prints a line that is not a result, unless the user asked for quiet.
func (e *Execution) Note(format string, args ...any) {
	if !e.Quiet {
		output.Remark(e.Errs, format, args...)
	}
}

// Notes prints what was noted when a study was read.
func (e *Execution) Notes(s *study.Study) {
	for _, note := range s.Notes {
		e.Note("%s", note)
	}
}

// All stands for all shards in place of the number of one.
const All = -1

// Load finds what the directory has of a shard, or of [All]. It names parts that it
// cannot use, even with --quiet.
func (e *Execution) Load(dir *datasets.Dir, shard int) error {
	passedOver, err := dir.Load(shard)
	for _, reason := range passedOver {
		output.Remark(e.Errs, "%s", reason)
	}
	return command.Failure(err)
}

// Clean removes what interrupted processes have left in the directory of a finished study. It
// notes if that fails, which takes nothing from the results.
func (e *Execution) Clean(dir *datasets.Dir) {
	if err := dir.Clean(); err != nil {
		e.Note("cannot remove files of an interrupted process: %s", err)
	}
}

// Simulate simulates the configurations of a shard, or of [All], that the directory
// lacks. If ctx is cancelled it writes what is complete, and the trials so far of what is not,
// and returns an error with the code [command.Stopped].
func (e *Execution) Simulate(ctx context.Context, s *study.Study, workers int,
	dir *datasets.Dir, shard int,
) error {
	r := e.newSaver(s).into(dir).newRun("configurations")
	skip := make([]bool, s.Len())
	for i := range skip {
		mine := shard == All || dir.Owner(i) == shard
		skip[i] = !mine || dir.Has(i)
		switch {
		case mine && skip[i]:
			r.count.Total++
			r.count.Done.Add(1)
		case mine:
			r.count.Expect(r.expected(i))
		}
	}
	if r.count.Done.Load() == int64(r.count.Total) {
		return nil
	}
	if err := dir.Writable(); err != nil {
		return command.Failure(err)
	}
	if dir.Finished() {
		return nil // by another process
	}
	err := r.simulate(ctx, montecarlo.Options{
		Workers: workers, Skip: func(i int) bool { return skip[i] },
	})
	if errors.Is(err, context.Canceled) {
		return command.With(command.Stopped, fmt.Errorf(
			"stopped by a signal; %s has %d of %d configurations, run the same command to resume",
			dir.Path(), r.count.Done.Load(), r.count.Total))
	}
	if err != nil {
		return command.Failure(err)
	}
	e.Clean(dir) // if another process has finished the study meanwhile
	return nil
}

type run struct {
	*saver
	count output.Count
	had   map[int]float64 // messages of fields that need not be simulated again
}

// newRun returns a run that goes on from what is saved. The fields are what its progress says.
func (s *saver) newRun(what string) *run {
	r := &run{saver: s, had: map[int]float64{}}
	r.count.What = what
	for i := range s.study.Len() {
		for j := s.study.First(i); s.dir != nil && j < s.study.First(i+1); j++ {
			if n := s.dir.KeptTrials(j); n > 0 {
				r.had[i] += float64(n) * s.study.Configurations[j].Work
			}
		}
	}
	return r
}

// expected returns the messages that are left to simulate for a field.
func (r *run) expected(field int) output.Range {
	all := messagesOf(r.study, field)
	return output.Range{Least: max(0, all.Least-r.had[field]), Most: max(0, all.Most-r.had[field])}
}

// simulate simulates the fields with the options and saves their trials and decisions, which it
// hands to o.Done as well if that is not nil. It notes what it has simulated.
func (r *run) simulate(ctx context.Context, o montecarlo.Options) error {
	if !r.Quiet {
		stop := r.count.Show(r.Errs)
		defer stop()
	}
	defer command.Saving(ctx)()
	if r.study.Memory > muchMemory {
		defer halveGarbage()()
	}
	begin, done := time.Now(), o.Done
	o.Resume, o.Checkpoint, o.Progress = r.resume, r.checkpoint, &r.count.Messages
	o.Done = func(i int, d montecarlo.Decision) error {
		r.count.Finish(r.expected(i), max(0, d.Messages()-r.had[i]))
		err := r.done(i, d)
		if err == nil && done != nil {
			err = done(i, d)
		}
		return err
	}
	err := montecarlo.Run(ctx, &r.study.Settings, r.study.Len(), r.study.Field, o)
	if flushErr := r.flush(true); flushErr != nil {
		return fmt.Errorf(
			"%w; what was complete before is kept, run the same command to resume", flushErr)
	}
	if err == nil {
		r.Note("simulated up to %.3g messages in %s",
			float64(r.count.Messages.Load()), time.Since(begin).Round(time.Millisecond))
	}
	return err
}

// muchMemory is how many bytes a runner takes where less garbage is left: its vectors have no pointers,
// so that the collector passes over them.
const muchMemory = 256 << 20

// halveGarbage has garbage collected when it is half as much as before, until the function that it returns
// is called.
func halveGarbage() (end func()) {
	percent := debug.SetGCPercent(-1)
	if percent >= 0 { // else it is off
		debug.SetGCPercent(percent / 2)
	}
	return func() { debug.SetGCPercent(percent) }
}

// resume returns the trials that the directory has of the configurations of a field.
func (r *run) resume(field int) []montecarlo.Kept {
	var all []montecarlo.Kept
	for i := r.study.First(field); r.dir != nil && i < r.study.First(field+1); i++ {
		kept, err := r.dir.Kept(i)
		if err != nil {
			output.Remark(r.Errs, "%s", err)
		}
		completion, lowerBound := kept.Unpack()
		all = append(all, montecarlo.Kept{Completion: completion, LowerBound: lowerBound})
	}
	return all
}

// A saver writes the trials and decisions of a study into a directory while it is simulated.
type saver struct {
	*Execution
	study   *study.Study
	dir     *datasets.Dir // nil if nothing is saved, or nothing yet
	choices string        // what the trials of choices are for; "" of a sweep
	// path is the directory of choices, "" if they have none. One in the cache is made when trials have
	// taken a while; the one that --out names gets tables as a sweep's.
	path  string
	cache bool
	// recorded are the IDs of candidates of earlier fields, by which each is in the tables once.
	recorded map[string]int

	collector *datasets.Collector
	begun     time.Time
	flushed   time.Time
	sealed    time.Time
	took      time.Duration // the last flush
	// kept are how many trials of configurations that are not decided are collected, for
	// configurations that were under way at a checkpoint.
	kept map[int]int
}

// newSaver returns a saver without a directory.
func (e *Execution) newSaver(s *study.Study) *saver {
	now := time.Now()
	return &saver{Execution: e, study: s, begun: now, flushed: now, sealed: now,
		recorded: map[string]int{}, kept: map[int]int{}}
}

func (s *saver) into(dir *datasets.Dir) *saver {
	s.dir, s.collector = dir, dir.Collect()
	return s
}

// Parts are written each firstFlush in the first flushInterval, and then each flushInterval or when
// much has come, so that little is lost. They are sealed when they are large, or each hundredth
// of the time so far, so that they become neither many nor written many times.
const (
	firstFlush    = 100 * time.Millisecond
	flushInterval = time.Second
	flushAbove    = 32 << 20 // bytes
	sealAbove     = 4 << 20  // bytes
	// flushShare bounds the share of the time that writing takes, 1 in flushShare.
	flushShare = 20
)

// done collects the records of a field that is decided.
func (s *saver) done(field int, d montecarlo.Decision) error {
	if s.dir == nil {
		return nil
	}
	for i := range d.Results {
		config := s.study.First(field) + i
		r, err := s.record(config, &d, i)
		if err != nil {
			return err
		}
		if !s.dir.Has(config) || r.Kept.Trials > int64(s.dir.KeptTrials(config)) {
			if err := s.add(config, r); err != nil {
				return err
			}
		}
		delete(s.kept, config)
	}
	since := time.Since(s.flushed)
	if since > flushInterval || since > firstFlush && time.Since(s.begun) < flushInterval ||
		s.collector.Size() > flushAbove {
		return s.flush(false)
	}
	return nil
}

// record returns the record of a candidate of a decision: of choices its trials, with its rows if they
// are not only in the cache.
func (s *saver) record(config int, d *montecarlo.Decision, candidate int) (datasets.Record, error) {
	if s.choices == "" {
		return s.recordOf(config, d), nil
	}
	rec := datasets.Record{State: datasets.Interrupted}
	if !s.cache {
		var err error
		if rec, err = s.row(config, d, candidate); err != nil {
			return rec, err
		}
	}
	rec.Kept = s.keep(config, &d.Results[candidate].Kept)
	return rec, nil
}

// add collects a record. A study of choices that has finished, and now has more trials, is open
// again.
func (s *saver) add(config int, r datasets.Record) error {
	if s.dir.Finished() && s.choices != "" {
		if err := s.dir.Reopen(); err != nil {
			return err
		}
	}
	s.collector.Add(config, r)
	return nil
}

// checkpoint collects the trials of configurations that are not decided, and writes what there is.
// Trials of a configuration that was not under way at the checkpoint before, about a second ago,
// are not worth their space.
func (s *saver) checkpoint(open []montecarlo.Partial) error {
	s.create()
	if s.dir == nil || time.Since(s.flushed) < flushShare*s.took {
		return nil
	}
	for _, p := range open {
		for i, trials := range p.Kept {
			config, n := s.study.First(p.Field)+i, len(trials.LowerBound)
			kept, again := s.kept[config]
			if !again && !s.worth(config, &trials) {
				s.kept[config] = 0
			} else if n > max(kept, s.dir.KeptTrials(config)) {
				s.kept[config] = n
				err := s.add(config, datasets.Record{State: datasets.Interrupted,
					Kept: datasets.NewKept(trials.Completion, trials.LowerBound)})
				if err != nil {
					return err
				}
			}
		}
	}
	return s.flush(false)
}

// flush writes what there is, and seals the parts if asked to or if it is time to.
func (s *saver) flush(seal bool) error {
	if s.dir == nil {
		return nil
	}
	begin := time.Now()
	seal = seal || s.collector.Size() > sealAbove ||
		begin.Sub(s.sealed) > max(flushInterval, begin.Sub(s.begun)/100)
	err := s.collector.Flush(seal)
	s.flushed = time.Now()
	s.took = s.flushed.Sub(begin)
	if seal {
		s.sealed = s.flushed
	}
	if err == nil || !s.cache {
		return err
	}
	s.notKept(err) // a study does not fail because the cache cannot be written
	return nil
}

// keepAbove is the number of messages from which on a sweep keeps the trials of a configuration, to go
// on from. Fewer of a schedule take less than a second to simulate again, and as much space.
const keepAbove = 3e8

// messagesPerNumber is how many simulated messages a number that choose keeps must stand for: fewer are
// simulated again as fast as it is read.
const messagesPerNumber = 64

// worth reports whether trials of a configuration are worth their space, however fast they were.
func (s *saver) worth(config int, trials *montecarlo.Kept) bool {
	messages := s.study.Configurations[config].Work * float64(len(trials.LowerBound))
	if s.choices == "" {
		return messages >= keepAbove
	}
	return messages >= messagesPerNumber*float64(len(trials.Completion)+len(trials.LowerBound))
}

// keep packs the trials of a configuration that is decided, none if they are not worth it.
func (s *saver) keep(config int, trials *montecarlo.Kept) datasets.Kept {
	if _, underWay := s.kept[config]; !underWay && !s.worth(config, trials) {
		return datasets.Kept{}
	}
	return datasets.NewKept(trials.Completion, trials.LowerBound)
}
