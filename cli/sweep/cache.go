package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"jitterfly/cli/internal/command"
	"jitterfly/cli/internal/output"
	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/montecarlo"
)

// The cache of choose has a directory of trials for each build of the program and study, by a digest
// of all that the trials depend on: trials of another build are not used, as its code may simulate
// something else. Directories not used for maxCacheAge are removed, and the least recently used ones
// until all together have at most maxCacheSize bytes.
const (
	maxCacheAge  = 30 * 24 * time.Hour
	maxCacheSize = 1 << 30
)

// cachePath returns the directory of a study of choices in the user's cache, "" without a cache.
func cachePath(s *study.Study, choices string) string {
	root, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	build, err := datasets.Build()
	if err != nil {
		return ""
	}
	key := sha256.Sum256([]byte(build + "\n" + s.TrialsHash() + choices))
	return filepath.Join(root, "jitterfly", "choose", hex.EncodeToString(key[:8]))
}

// cacheTag is the file by which a directory is known to be one of the cache's, as other programs
// mark theirs (https://bford.info/cachedir): without it nothing is removed.
const (
	cacheTag     = "CACHEDIR.TAG"
	cacheTagText = "Signature: 8a477f597d28d172789f06886806bc55\n" +
		"# Trials of jitterfly choose, which removes them when they are old.\n"
)

// tagCache makes a directory of the cache, with its tag.
func tagCache(path string) error {
	if tagged(path) {
		return nil
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	return datasets.WriteFile(filepath.Join(path, cacheTag), []byte(cacheTagText))
}

// tagged reports whether a directory is one of the cache's, and not a link to one.
func tagged(path string) bool {
	tag := filepath.Join(path, cacheTag)
	for name, kind := range map[string]fs.FileMode{path: fs.ModeDir, tag: 0} {
		if info, err := os.Lstat(name); err != nil || info.Mode().Type() != kind {
			return false
		}
	}
	text, err := datasets.ReadFile(tag)
	return err == nil && string(text) == cacheTagText
}

// removeCached removes a directory of the cache: what this program has written there, and the
// directory if nothing else is in it. It fails if something is left to remove.
func removeCached(path string) error {
	if !tagged(path) {
		return fmt.Errorf("%s is not marked as one of the cache; remove it", path)
	}
	if err := datasets.Remove(path); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(path, cacheTag)); err != nil {
		return err
	}
	_ = os.Remove(path) // fails if files of others are there
	return nil
}

type cached struct {
	path string
	used time.Time // last
	size int64     // [bytes]
}

// inUse is for how long a directory of the cache stays after it was changed: its process may be
// alive.
const inUse = time.Hour

// cleanCache removes directories of the cache that are old, and others until the rest is small
// enough. Directories that cannot be removed stay.
func cleanCache(root string, now time.Time) {
	entries, _ := os.ReadDir(root)
	var all []cached
	for _, e := range entries {
		if path := filepath.Join(root, e.Name()); tagged(path) {
			all = append(all, measure(path))
		}
	}
	slices.SortFunc(all, func(a, b cached) int { return b.used.Compare(a.used) })
	total := int64(0)
	for _, c := range all {
		age := now.Sub(c.used)
		if total += c.size; age > inUse && (total > maxCacheSize || age > maxCacheAge) {
			_ = removeCached(c.path)
		}
	}
}

// measure finds the size of a directory of the cache, and when something in it was last changed or
// its plan last used.
func measure(path string) cached {
	c := cached{path: path}
	_ = filepath.WalkDir(path, func(_ string, file fs.DirEntry, err error) error {
		if err != nil {
			return nil // it went meanwhile
		}
		info, err := file.Info()
		if err != nil {
			return nil
		}
		if info.ModTime().After(c.used) {
			c.used = info.ModTime()
		}
		if info.Mode().IsRegular() {
			c.size += info.Size()
		}
		return nil
	})
	return c
}

// A store is where choose keeps the trials of its candidates: the directory that --out names, which
// gets tables as a sweep's, or one in the cache, which is made when trials have taken a while.
type store struct {
	*Execution
	path    string // "" if absent
	cache   bool
	study   *study.Study
	choices string        // what the trials are for
	dir     *datasets.Dir // nil until it is made
	// recorded are the IDs of candidates of earlier fields, by which each is in the tables once.
	recorded map[string]int
}

// choicesOver says in a plan what the trials are for.
func choicesOver(baseline string) string { return "a choose with --baseline " + baseline }

// newStore returns where the trials of choices are kept. It changes nothing yet.
func newStore(e *Execution, s *study.Study, choices, out string, noCache bool) *store {
	st := &store{Execution: e, path: out, study: s, choices: choices, recorded: map[string]int{}}
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
func (st *store) open() error {
	if st.path == "" || st.cache && !st.exists() {
		return nil
	}
	err := st.begin()
	if err == nil {
		err = st.Load(st.dir, All)
	}
	if err == nil && !st.cache && !st.dir.Finished() {
		err = command.Failure(st.dir.Writable())
	}
	if err == nil || !st.cache {
		return err
	}
	st.dir = nil
	output.Remark(st.Errs, "removing the trials of an earlier run, which cannot be used: %s", err)
	if err := removeCached(st.path); err != nil {
		st.notKept(err)
		st.path = ""
	}
	return nil
}

// notKept says why the trials are not in the cache.
func (st *store) notKept(err error) { output.Remark(st.Errs, "the trials are not kept: %s", err) }

func (st *store) begin() error {
	if st.cache {
		if err := tagCache(st.path); err != nil {
			return command.Failure(err)
		}
	}
	dir, err := begin(st.path, st.study, 1, datasets.Plan{Choices: st.choices}, datasets.Extension{
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
func (st *store) finish() error {
	if st.cache || st.dir == nil || st.dir.Finished() {
		return nil
	}
	if err := st.dir.Finish(func(i int) datasets.Axes { return AxesOf(st.study.Point(i)) }); err != nil {
		return command.Failure(err)
	}
	st.Note("%s", wrote(st.dir))
	return nil
}
