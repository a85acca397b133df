package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// A store is where choose keeps the trials of its candidates: the directory that --out names, which
// gets tables as a sweep's, or one in the cache, which is made when trials have taken a while.
type store struct {
	path   string // "" if absent
	cache  bool
	study  *study.Study
	plan   datasets.Plan
	dir    *datasets.Dir // nil until it is made
	remark func(format string, args ...any)
	// recorded are the IDs of candidates of earlier fields, by which each is in the tables once.
	recorded map[string]int
}

// choicesOver says in a plan what the trials are for.
func choicesOver(baseline string) string { return "a choose with --baseline " + baseline }

// newStore returns where the trials of choices are kept. It changes nothing yet.
func newStore(e *Execution, s *study.Study, choices, out string, noCache bool) *store {
	st := &store{
		path: out, study: s, recorded: map[string]int{},
		remark: func(format string, args ...any) { output.Remark(e.Errs, format, args...) },
	}
	st.plan.Choices = choices
	if out == "" && !noCache {
		st.path, st.cache = cachePath(s, choices), true
	}
	return st
}

// exists reports whether there are trials to continue from.
func (st *store) exists() bool {
	_, err := os.Stat(filepath.Join(st.path, datasets.PlanFile))
	return st.path != "" && err == nil
}

// open opens the directory, or makes the one of --out. A directory of the cache that cannot be used
// is removed, and the remark says why.
func (st *store) open(e *Execution) error {
	if st.path == "" || st.cache && !st.exists() {
		return nil
	}
	err := st.begin()
	if err == nil {
		err = e.Load(st.dir, All)
	}
	if err == nil && !st.cache && !st.dir.Finished() {
		err = command.Failure(st.dir.Writable())
	}
	if err == nil || !st.cache {
		return err
	}
	st.dir = nil
	st.remark("removing the trials of an earlier run, which cannot be used: %s", err)
	if err := removeCached(st.path); err != nil {
		st.notKept(err)
		st.path = ""
	}
	return nil
}

// notKept says why the trials are not in the cache.
func (st *store) notKept(err error) { st.remark("the trials are not kept: %s", err) }

func (st *store) begin() error {
	if st.cache {
		if err := tagCache(st.path); err != nil {
			return command.Failure(err)
		}
	}
	dir, err := begin(st.path, st.study, 1, st.plan, datasets.Extension{
		Allowed: func(old map[string][]string) bool { return study.SameTrials(st.study.Values, old) },
	})
	if err == nil {
		err = command.Failure(dir.For(datasets.Version))
	}
	if err != nil {
		return err
	}
	st.dir = dir
	now := time.Now()
	_ = os.Chtimes(filepath.Join(st.path, datasets.PlanFile), now, now) // it is in use
	return nil
}

// create makes the directory in the cache. It returns nil if there is none, or if that fails.
func (st *store) create() *datasets.Dir {
	if !st.cache || st.path == "" {
		return nil
	}
	cleanCache(filepath.Dir(st.path), time.Now())
	err := st.begin()
	if err == nil {
		err = st.dir.Writable()
	}
	if err != nil {
		st.dir = nil
		if !errors.Is(err, fs.ErrPermission) {
			st.notKept(err)
		}
	}
	return st.dir
}

// row returns the record of a candidate for the tables, with the T that is the best of its own;
// without rows if it has no trials, or if another field has the same candidate.
func (st *store) row(s *saver, config int, d *montecarlo.Decision, candidate int,
) (datasets.Record, error) {
	excluded := datasets.Record{State: datasets.Excluded}
	id := st.study.Point(config).ID
	if first, again := st.recorded[id]; d.Results[candidate].Trials == 0 || again && first != config {
		return excluded, nil
	}
	st.recorded[id] = config
	c, err := st.study.Config(config)
	if err != nil {
		return excluded, err
	}
	alone, err := montecarlo.Alone(st.study.Settings, c, &d.Results[candidate])
	if err != nil {
		return excluded, fmt.Errorf("configuration %d: %w", config, err)
	}
	alone.Stop = d.Stop
	rec, err := s.recordOf(config, &alone)
	rec.State = datasets.AtBound
	return rec, err
}

// finish writes the tables of --out, unless they are there.
func (st *store) finish(e *Execution) error {
	if st.cache || st.dir == nil || st.dir.Finished() {
		return nil
	}
	if err := st.dir.Finish(func(i int) datasets.Axes { return AxesOf(st.study.Point(i)) }); err != nil {
		return command.Failure(err)
	}
	e.Note("%s", wrote(st.dir))
	return nil
}
