package sweep

import (
	"time"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// A saver writes what is simulated into a directory, while that goes on.
type saver struct {
	study     *study.Study
	dir       *datasets.Dir
	collector *datasets.Collector
	begin     time.Time
	flushed   time.Time
	sealed    time.Time
	took      time.Duration // the last flush
	// kept are how many trials of configurations that are not decided are collected, for those
	// that were under way at a checkpoint.
	kept map[int]int
}

func newSaver(s *study.Study, dir *datasets.Dir) *saver {
	now := time.Now()
	return &saver{study: s, dir: dir, collector: dir.Collect(), begin: now, flushed: now,
		sealed: now, kept: map[int]int{}}
}

// Parts are written each firstFlush in the first flushInterval, and then each flushInterval or when
// much has come, so that little is lost. They are sealed when they are large, or each hundredth
// of the time so far, so that they become neither many nor written many times.
const (
	firstFlush    = 100 * time.Millisecond
	flushInterval = time.Second
	flushAbove    = 32 << 20 // bytes
	sealAbove     = 4 << 20  // bytes
	// flushShare bounds the share of the time that is taken by writing, 1 in so many.
	flushShare = 20
)

// done collects the decision of a configuration.
func (s *saver) done(config int, d montecarlo.Decision) error {
	r, err := record(s.study, config, d, s.dir.Plan().KeepTrials)
	if err != nil {
		return err
	}
	s.collector.Add(config, r)
	delete(s.kept, config)
	since := time.Since(s.flushed)
	if since > flushInterval || since > firstFlush && time.Since(s.begin) < flushInterval ||
		s.collector.Size() > flushAbove {
		return s.flush(false)
	}
	return nil
}

// checkpoint collects the trials of configurations that are not decided, and writes what there is.
// Trials of a configuration that was not under way at the checkpoint before, about a second ago,
// are not worth their space.
func (s *saver) checkpoint(open []montecarlo.Partial) error {
	if time.Since(s.flushed) < flushShare*s.took {
		return nil
	}
	for _, p := range open {
		n, trials := len(p.Kept[0].LowerBound), p.Kept[0]
		kept, again := s.kept[p.Field]
		if !again && !costly(s.study, p.Field, n) {
			s.kept[p.Field] = 0
		} else if n > kept {
			s.kept[p.Field] = n
			s.collector.Add(p.Field, datasets.Record{State: datasets.Interrupted,
				Kept: datasets.NewKept(trials.Completion, trials.LowerBound)})
		}
	}
	return s.flush(false)
}

// flush writes what there is, and seals the parts if asked to or if it is time to.
func (s *saver) flush(seal bool) error {
	begin := time.Now()
	seal = seal || s.collector.Size() > sealAbove ||
		begin.Sub(s.sealed) > max(flushInterval, begin.Sub(s.begin)/100)
	err := s.collector.Flush(seal)
	s.flushed = time.Now()
	s.took = s.flushed.Sub(begin)
	if seal {
		s.sealed = s.flushed
	}
	return err
}

// keepAbove is the number of messages from which on the trials of a configuration are kept, to go
// on from. Fewer of a schedule take less than a second to simulate again, and as much space.
const keepAbove = 3e8

// costly reports whether n trials of a configuration have many messages.
func costly(s *study.Study, config, n int) bool {
	return float64(n)*s.Configurations[config].Work >= keepAbove
}

// keep packs the trials of a configuration that is decided, none if they are few.
func keep(s *study.Study, config int, trials montecarlo.Kept) datasets.Kept {
	if !costly(s, config, len(trials.LowerBound)) {
		return datasets.Kept{}
	}
	return datasets.NewKept(trials.Completion, trials.LowerBound)
}
