package sweep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// A choose that is stopped continues from its trials. A cache that cannot be used is one remark,
// and trials that start anew.
func TestStoppedChooseContinues(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	remark, plan := "", ""
	run := func(limit time.Duration) int {
		remark = interrupted(t, limit, ChooseCommand(nil), "--ranks", "2^16", "--latency", "100ns", "--os-duration",
			"10us", "--collective", "butterfly", "--workers", "1", "--time", "0", "--effort", "unlimited",
			"--trials-max", "1000000", "--until", "precision", "--precision", "1e-9", "--quiet")
		plans, err := filepath.Glob(filepath.Join(cache, "jitterfly", "choose", "*", datasets.PlanFile))
		if err != nil || len(plans) > 1 {
			t.Fatal(plans, err)
		}
		if len(plans) == 0 {
			return 0
		}
		plan = plans[0]
		return trialsIn(t, filepath.Dir(plan))
	}
	limit := growing(t, run)
	for anew := 0; anew == 0; limit *= 2 {
		if limit > time.Minute {
			t.Fatal("after a damaged cache no trials are kept")
		}
		tests.NoError(t, os.WriteFile(plan, []byte("{}"), 0o600))
		if anew = run(limit); anew > 0 &&
			strings.Count(remark, "removing the trials of an earlier run, which cannot be used: ") != 1 {
			t.Errorf("a damaged cache: %q", remark)
		}
	}
	// A file where the directory of the cache should be.
	t.Setenv("XDG_CACHE_HOME", plan)
	if run(limit); strings.Count(remark, "the trials are not kept: ") != 1 {
		t.Errorf("no room for a cache: %q", remark)
	}
}

// entry makes a directory of the cache with a plan of a size, unused for some days.
func entry(t *testing.T, path string, size int64, now time.Time, days int) {
	t.Helper()
	tests.NoError(t, tagCache(path))
	plan, used := filepath.Join(path, datasets.PlanFile), now.AddDate(0, 0, -days)
	tests.NoError(t, os.WriteFile(plan, nil, 0o600))
	tests.NoError(t, os.Truncate(plan, size))
	unused(t, used, plan, filepath.Join(path, cacheTag), path)
}

func unused(t *testing.T, since time.Time, paths ...string) {
	t.Helper()
	for _, path := range paths {
		tests.NoError(t, os.Chtimes(path, since, since))
	}
}

// names returns the names in a directory.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := tests.Must(os.ReadDir(dir))(t)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Of the cache the directories that were used last stay, if they are not too old and not too large,
// and all that a living process may be writing.
func TestCacheIsBounded(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	entry(t, filepath.Join(root, "new"), maxCacheSize, now, 0)
	entry(t, filepath.Join(root, "newer"), maxCacheSize, now, 0)
	cleanCache(root, now)
	if left := names(t, root); len(left) != 2 {
		t.Errorf("of those in use %v are left", left)
	}
	for _, name := range []string{"new", "newer"} {
		tests.NoError(t, os.RemoveAll(filepath.Join(root, name)))
	}
	entry(t, filepath.Join(root, "new"), 10, now, 0)
	entry(t, filepath.Join(root, "large"), maxCacheSize-1000, now, 1)
	entry(t, filepath.Join(root, "larger"), 2000, now, 2)
	entry(t, filepath.Join(root, "old"), 1, now, 31)
	cleanCache(root, now)
	if left := names(t, root); !slices.Equal(left, []string{"large", "new"}) {
		t.Errorf("%v are left", left)
	}
}

// Cleaning removes what the cache has written, and nothing else: neither other folders beside its
// directories, nor files in these, nor what links lead to.
func TestCacheRemovesOnlyItsOwn(t *testing.T) {
	scratch, now := t.TempDir(), time.Now()
	home := filepath.Join(scratch, "choose")
	old := filepath.Join(scratch, "0123456789abcdef")
	for _, dir := range []string{"thesis", "results", "elsewhere", "0123456789abcdef/parts/mine"} {
		tests.NoError(t, os.MkdirAll(filepath.Join(scratch, dir), 0o777))
	}
	// A directory of results that is not the cache's, and one of a cache elsewhere.
	write := func(name string) string {
		path := filepath.Join(scratch, name)
		tests.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
		return path
	}
	results := write("results/plan.json")
	entry(t, filepath.Join(scratch, "elsewhere"), 10, now, 40)
	entry(t, old, 10, now, 40)
	parts := filepath.Join(old, "parts")
	keep := []string{write("thesis/chapter.tex"), results, write("0123456789abcdef/notes.txt"),
		write("0123456789abcdef/parts/mine/x"), write("thesis/plan.json")}
	link := func(to, name string) {
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	link("../thesis", filepath.Join(old, "inputs"))
	unused(t, now.AddDate(0, 0, -40), append(keep, parts, filepath.Join(parts, "mine"), old,
		filepath.Dir(results), filepath.Join(scratch, "thesis"))...)
	cleanCache(scratch, now.AddDate(0, 0, 40))
	if _, err := os.Lstat(filepath.Join(scratch, "elsewhere")); err == nil {
		t.Error("a directory of the cache stays, though it is old")
	}
	tests.NoError(t, os.Mkdir(home, 0o777))
	entry(t, filepath.Join(scratch, "elsewhere"), 10, now, 40)
	link("../elsewhere", filepath.Join(home, "fedcba9876543210"))
	cleanCache(home, now.AddDate(0, 0, 40))
	for _, name := range append(keep, filepath.Join(scratch, "elsewhere", datasets.PlanFile)) {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("it removed what is not its own: %v", err)
		}
	}
	if _, err := os.Lstat(filepath.Join(old, datasets.PlanFile)); err == nil {
		t.Error("the plan of an old directory stays")
	}
}

// Choices that begin at the same time do not remove each other's directories.
func TestCacheIsShared(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := tests.Must(study.Read(study.Input{Name: "s.yaml", File: []byte("ranks: 8"), Choose: true}, 1e6))(t)
	var all sync.WaitGroup
	for process := range 4 {
		all.Go(func() {
			for i := range tests.Part(20, 5) {
				st := (&Execution{Errs: io.Discard}).saveChoices(s, fmt.Sprint(process, i), "", false)
				cleanCache(filepath.Dir(st.path), time.Now())
				if err := st.begin(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
