package sweep

import (
	"time"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// A saver writes the trials and decisions of a study into a directory while it is simulated.
type saver struct {
	study *study.Study
	dir   *datasets.Dir // nil if nothing is saved
	store *store        // of choices; nil of a sweep
	asked bool          // whether the store was asked for a directory

	collector *datasets.Collector
	begin     time.Time
	flushed   time.Time
	sealed    time.Time
	took      time.Duration // the last flush
	// kept are how many trials of configurations that are not decided are collected, for
	// configurations that were under way at a checkpoint.
	kept map[int]int
}

// newSaver returns a saver of the configurations of a sweep, without a directory if dir is nil.
func newSaver(s *study.Study, dir *datasets.Dir) *saver {
	now := time.Now()
	saver := &saver{study: s, begin: now, flushed: now, sealed: now, kept: map[int]int{}}
	if dir != nil {
		saver.into(dir)
	}
	return saver
}

func (s *saver) into(dir *datasets.Dir) { s.dir, s.collector = dir, dir.Collect() }

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
	if since > flushInterval || since > firstFlush && time.Since(s.begin) < flushInterval ||
		s.collector.Size() > flushAbove {
		return s.flush(false)
	}
	return nil
}

// record returns the record of a candidate of a decision: of choices its trials, with its rows if they
// are not only in the cache.
func (s *saver) record(config int, d *montecarlo.Decision, candidate int) (datasets.Record, error) {
	if s.store == nil {
		return s.recordOf(config, d)
	}
	rec := datasets.Record{State: datasets.Interrupted}
	if !s.store.cache {
		var err error
		if rec, err = s.store.row(s, config, d, candidate); err != nil {
			return rec, err
		}
	}
	rec.Kept = s.keep(config, &d.Results[candidate].Kept)
	return rec, nil
}

// add collects a record. A study of choices that has finished, and now has more trials, is open
// again.
func (s *saver) add(config int, r datasets.Record) error {
	if s.dir.Finished() && s.dir.Plan().Choices != "" {
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
	if s.dir == nil && s.store != nil && !s.asked {
		s.asked = true
		if dir := s.store.create(); dir != nil {
			s.into(dir)
		}
	}
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
		begin.Sub(s.sealed) > max(flushInterval, begin.Sub(s.begin)/100)
	err := s.collector.Flush(seal)
	s.flushed = time.Now()
	s.took = s.flushed.Sub(begin)
	if seal {
		s.sealed = s.flushed
	}
	if err == nil || s.store == nil || !s.store.cache {
		return err
	}
	s.store.notKept(err) // a study does not fail because the cache cannot be written
	s.dir, s.asked = nil, true
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
	if s.store == nil {
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
