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
	key := sha256.Sum256([]byte(build + "\n" + study.TrialsHash(s.Values) + choices))
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

// choicesOver says in a plan what the trials are for.
func choicesOver(baseline string) string { return "a choose with --baseline " + baseline }

// saveChoices returns a saver of the trials of choices into the directory out, or if that is empty into one
// of the cache, unless noCache is set. It changes nothing yet.
func (e *Execution) saveChoices(s *study.Study, choices, out string, noCache bool) *saver {
	x := e.newSaver(s)
	x.choices, x.path = choices, out
	if out == "" && !noCache {
		x.path, x.cache = cachePath(s, choices), true
	}
	return x
}

// open opens the directory of choices, or makes the one of --out. A directory of the cache that cannot be
// used is removed, and the remark says why.
func (s *saver) open() error {
	if s.path == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.path, datasets.PlanFile)); s.cache && err != nil {
		return nil // there are no trials to continue from
	}
	err := s.begin()
	if err == nil {
		err = s.Load(s.dir, All)
	}
	if err == nil && !s.cache && !s.dir.Finished() {
		err = command.Failure(s.dir.Writable())
	}
	if err == nil || !s.cache {
		return err
	}
	s.dir = nil
	output.Remark(s.Errs, "removing the trials of an earlier run, which cannot be used: %s", err)
	if err := removeCached(s.path); err != nil {
		s.notKept(err)
	}
	return nil
}

// notKept says why trials are not in the cache, and saves no more.
func (s *saver) notKept(err error) {
	s.dir, s.path = nil, ""
	output.Remark(s.Errs, "the trials are not kept: %s", err)
}

// begin opens the directory of choices, or makes it.
func (s *saver) begin() error {
	if s.cache {
		if err := tagCache(s.path); err != nil {
			return command.Failure(err)
		}
	}
	dir, err := begin(s.path, s.study, 1, datasets.Plan{Choices: s.choices}, datasets.Extension{
		Allowed: func(old map[string][]string) bool {
			return study.TrialsHash(old) == study.TrialsHash(s.study.Values)
		},
	})
	if err == nil {
		err = command.Failure(dir.For(datasets.Version))
	}
	if err != nil {
		return err
	}
	s.into(dir)
	now := time.Now()
	_ = os.Chtimes(filepath.Join(s.path, datasets.PlanFile), now, now) // it is in use
	return nil
}

// create makes the directory in the cache, if it is not there.
func (s *saver) create() {
	if !s.cache || s.path == "" || s.dir != nil {
		return
	}
	cleanCache(filepath.Dir(s.path), time.Now())
	err := s.begin()
	if err == nil {
		err = s.dir.Writable()
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.dir, s.path = nil, ""
	case err != nil:
		s.notKept(err)
	}
}

// row returns the record of a candidate for the tables, with the T that is the best of its own;
// without rows if it has no trials, or if another field has the same candidate.
func (s *saver) row(config int, d *montecarlo.Decision, candidate int) (datasets.Record, error) {
	excluded := datasets.Record{State: datasets.Excluded}
	id := s.study.Point(config).ID
	if first, again := s.recorded[id]; d.Results[candidate].Trials == 0 || again && first != config {
		return excluded, nil
	}
	s.recorded[id] = config
	alone, err := montecarlo.Alone(s.study.Settings, s.study.Config(config), &d.Results[candidate])
	if err != nil {
		return excluded, fmt.Errorf("configuration %d: %w", config, err)
	}
	alone.Stop = d.Stop
	rec := s.recordOf(config, &alone)
	rec.State = datasets.AtBound
	return rec, nil
}

// finish writes the tables of --out, unless they are there.
func (s *saver) finish() error {
	if s.cache || s.dir == nil || s.dir.Finished() {
		return nil
	}
	if err := s.dir.Finish(func(i int) datasets.Axes { return AxesOf(s.study.Point(i)) }); err != nil {
		return command.Failure(err)
	}
	s.Note("%s", wrote(s.dir))
	return nil
}
