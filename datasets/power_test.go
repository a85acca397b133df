package datasets

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// A node is a file or a directory of the model of a disk.
type node struct {
	dir             bool
	written, synced []byte
}

// afterCut makes in root what may be on a disk that loses power after some changes. Of the
// changes of names that were not flushed it keeps those for which keep is true, in their order,
// and of content that was not flushed a part, as random says.
func afterCut(t *testing.T, log []change, root string, keep func() bool, random *rand.Rand) {
	t.Helper()
	certain := map[string]*node{}
	now := map[string]*node{}
	var pending []change
	apply := func(names map[string]*node, c change) {
		switch c.op {
		case "create", "mkdir", "link", "rename", "renameNew":
			names[c.path] = now[c.path]
			if strings.HasPrefix(c.op, "rename") {
				delete(names, c.old)
			}
		case "remove":
			delete(names, c.path)
		}
	}
	for _, c := range log {
		switch c.op {
		case "create":
			now[c.path] = &node{}
		case "mkdir":
			now[c.path] = &node{dir: true}
		case "link", "rename", "renameNew":
			now[c.path] = now[c.old]
		case "write":
			now[c.path].written = append(now[c.path].written, c.content...)
		case "sync":
			now[c.path].synced = append([]byte{}, now[c.path].written...)
		}
		c.content = nil
		switch c.op {
		case "write", "sync":
		case "syncDir":
			var rest []change
			for _, p := range pending {
				if filepath.Dir(p.path) == c.path {
					apply(certain, p)
				} else {
					rest = append(rest, p)
				}
			}
			pending = rest
		default:
			pending = append(pending, c)
		}
	}
	for _, p := range pending {
		if keep() {
			apply(certain, p)
		}
	}
	for name, n := range certain {
		if n == nil || n.dir {
			continue
		}
		content := append([]byte{}, n.synced...)
		if extra := n.written[len(n.synced):]; len(extra) > 0 {
			content = append(content, extra[:random.IntN(len(extra)+1)]...)
		}
		placeFile(t, certain, root, name, content)
	}
}

// placeFile writes a file of the model below root, if the directories above it are there.
func placeFile(t *testing.T, names map[string]*node, root, name string, content []byte) {
	t.Helper()
	for dir := filepath.Dir(name); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if n, ok := names[dir]; !ok || n == nil || !n.dir {
			return
		}
	}
	path := filepath.Join(root, name)
	tests.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	tests.NoError(t, os.WriteFile(path, content, 0o666))
}

// After a loss of power at any change, whatever of the changes had reached the disk, every record
// that was said to be written is there, and the study is finished with the same bytes.
func TestPowerCuts(t *testing.T) {
	want := undisturbed(t)
	place := t.TempDir()
	var log []change // of what would be on the disk: names and content that are flushed are for certain
	power := &hookedDisk{after: func(c change) {
		if c.op != "list" {
			log = append(log, c)
		}
	}}
	written := map[int]int{} // by configuration: the changes until it was written
	err := computeOn(power, filepath.Join(place, "results"), func(configs ...int) {
		for _, config := range configs {
			written[config] = len(log)
		}
	})
	tests.NoError(t, err)
	for i := range log { // paths are relative to the directory of the study's
		for _, name := range []*string{&log[i].path, &log[i].old} {
			if *name != "" {
				*name, _ = filepath.Rel(place, *name)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for cut := 0; cut <= len(log); cut += stride() {
		for name, keep := range map[string]func() bool{
			"none": func() bool { return false }, "all": func() bool { return true },
			"some": func() bool { return random.IntN(2) == 0 },
		} {
			root := t.TempDir()
			afterCut(t, log[:cut], root, keep, random)
			path := filepath.Join(root, "results")
			checkKept(t, path, cut, written)
			for range 2 {
				if err := computeOn(quickDisk{}, path, func(...int) {}); err != nil {
					t.Fatalf("after %d changes, %s of those not flushed: %v", cut, name, err)
				}
			}
			checkFinished(t, path, want)
		}
	}
	t.Logf("%d power cuts", 3*(len(log)+1))
}

// checkKept fails if the directory lacks a record that was written before a cut.
func checkKept(t *testing.T, path string, cut int, written map[int]int) {
	t.Helper()
	d, err := Open(path)
	if err == nil {
		_, err = d.Load(-1)
	}
	for config, changes := range written {
		if changes <= cut && (err != nil || !d.Has(config)) {
			t.Fatalf("after %d changes configuration %d is lost, which was there after %d (%v)",
				cut, config, changes, err)
		}
	}
}
