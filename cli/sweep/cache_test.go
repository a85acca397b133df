package sweep

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jitterfly/cli/internal/exit"
	"jitterfly/datasets"
)

// interrupted runs a choose that takes hours for a time, and returns the lines that it wrote.
func interrupted(t *testing.T, limit time.Duration) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(limit, cancel)
	var out, errs bytes.Buffer
	cmd := ChooseCommand(nil)
	cmd.SetArgs([]string{"--ranks", "2^16", "--latency", "100ns", "--os-duration", "10us",
		"--collective", "butterfly", "--time", "0", "--effort", "unlimited", "--trials-max", "1000000",
		"--until", "precision", "--precision", "1e-9", "--quiet"})
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(ctx); exit.Code(err) != exit.Stopped {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return errs.String()
}

// kept returns the one directory in the cache, and how many trials it has.
func kept(t *testing.T, cache string) (path string, trials int) {
	t.Helper()
	plans, err := filepath.Glob(filepath.Join(cache, "jitterfly", "choose", "*", datasets.PlanFile))
	if err != nil || len(plans) != 1 {
		t.Fatal(plans, err)
	}
	path = filepath.Dir(plans[0])
	dir, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if passedOver, err := dir.Load(All); err != nil || len(passedOver) > 0 {
		t.Fatal(passedOver, err)
	}
	for i := range dir.Plan().Configurations {
		trials += dir.KeptTrials(i)
	}
	return path, trials
}

// A choose that is stopped continues from its trials. A cache that cannot be used is one remark,
// and trials that start anew.
func TestStoppedChooseContinues(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for seconds")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	limit := 500 * time.Millisecond
	path, most := "", 0
	for stops := 0; stops < 2; limit *= 2 {
		interrupted(t, limit)
		var now int
		if path, now = kept(t, cache); now < most {
			t.Fatalf("%d trials after %d", now, most)
		} else if now > most {
			most = now
			stops++
		}
	}
	plan := filepath.Join(path, datasets.PlanFile)
	if err := os.WriteFile(plan, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	remark := interrupted(t, limit)
	if strings.Count(remark, "removing the trials of an earlier run, which cannot be used: ") != 1 {
		t.Errorf("a damaged cache: %q", remark)
	}
	if _, anew := kept(t, cache); anew == 0 {
		t.Error("after a damaged cache no trials are kept")
	}
	// A file where the directory of the cache should be.
	t.Setenv("XDG_CACHE_HOME", plan)
	if remark := interrupted(t, limit); strings.Count(remark, "the trials are not kept: ") != 1 {
		t.Errorf("no room for a cache: %q", remark)
	}
}

// Of the cache the directories that were used last stay, if they are not too old and not too large.
func TestCacheIsBounded(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for name, x := range map[string]struct {
		days int
		size int64
	}{"new": {0, 10}, "large": {1, maxCacheSize - 100}, "larger": {2, 200}, "old": {31, 1}} {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		plan := filepath.Join(dir, datasets.PlanFile)
		if err := os.WriteFile(plan, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(plan, x.size); err != nil {
			t.Fatal(err)
		}
		used := now.AddDate(0, 0, -x.days)
		if err := os.Chtimes(plan, used, used); err != nil {
			t.Fatal(err)
		}
	}
	cleanCache(root, now)
	left, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != "large" || filepath.Base(left[1]) != "new" {
		t.Errorf("%v are left, %v", left, err)
	}
}
