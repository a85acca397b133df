package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"jitterfly/cli/internal/version"
	"jitterfly/cli/study"
	"jitterfly/datasets"
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
	build, err := version.Build()
	if err != nil {
		return ""
	}
	key := sha256.Sum256([]byte(build + "\n" + s.TrialsHash() + choices))
	return filepath.Join(root, "jitterfly", "choose", hex.EncodeToString(key[:8]))
}

type cached struct {
	path string
	used time.Time // last
	size int64     // [bytes]
}

// cleanCache removes directories of the cache that are old, and others until the rest is small
// enough. Directories that cannot be removed stay.
func cleanCache(root string, now time.Time) {
	entries, _ := os.ReadDir(root)
	var all []cached
	for _, e := range entries {
		c := cached{path: filepath.Join(root, e.Name())}
		if plan, err := os.Stat(filepath.Join(c.path, datasets.PlanFile)); err == nil {
			c.used = plan.ModTime()
		}
		_ = filepath.WalkDir(c.path, func(_ string, file fs.DirEntry, err error) error {
			if err == nil {
				if info, err := file.Info(); err == nil && info.Mode().IsRegular() {
					c.size += info.Size()
				}
			}
			return nil
		})
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b cached) int { return b.used.Compare(a.used) })
	total := int64(0)
	for _, c := range all {
		if total += c.size; total > maxCacheSize || now.Sub(c.used) > maxCacheAge {
			_ = os.RemoveAll(c.path)
		}
	}
}
