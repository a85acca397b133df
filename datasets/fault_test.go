package datasets

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"jitterfly/internal/tests"
)

// A change is one of names or of content, or a list of a directory.
type change struct {
	op        string // "create", "list", "link", "rename", "mkdir", "remove", "write", "sync", "syncDir"
	path, old string
	content   []byte
}

// A hookedDisk calls before, which may be nil, with each change. If that fails the change does, and a
// write has written half. It calls after, which may be nil, with each change that was made.
type hookedDisk struct {
	quickDisk
	before func(change) error
	after  func(change)
}

func (h *hookedDisk) do(c change, do func() error) error {
	if h.before != nil {
		if err := h.before(c); err != nil {
			return err
		}
	}
	err := do()
	if err == nil && h.after != nil {
		h.after(c)
	}
	return err
}

func (h *hookedDisk) create(path string) (file diskFile, err error) {
	err = h.do(change{op: "create", path: path}, func() error {
		f, err := h.quickDisk.create(path)
		file = &hookedFile{f, h, path}
		return err
	})
	return file, err
}

func (h *hookedDisk) list(path string) (entries []fs.DirEntry, err error) {
	err = h.do(change{op: "list", path: path}, func() error {
		entries, err = h.quickDisk.list(path)
		return err
	})
	return entries, err
}

func (h *hookedDisk) link(old, name string) error {
	return h.do(change{op: "link", path: name, old: old}, func() error { return h.quickDisk.link(old, name) })
}

func (h *hookedDisk) rename(old, name string) error {
	return h.do(change{op: "rename", path: name, old: old}, func() error {
		return h.quickDisk.rename(old, name)
	})
}

func (h *hookedDisk) mkdir(path string) error {
	return h.do(change{op: "mkdir", path: path}, func() error { return h.quickDisk.mkdir(path) })
}

func (h *hookedDisk) remove(path string) error {
	return h.do(change{op: "remove", path: path}, func() error { return h.quickDisk.remove(path) })
}

func (h *hookedDisk) syncDir(path string) error {
	return h.do(change{op: "syncDir", path: path}, func() error { return h.quickDisk.syncDir(path) })
}

type hookedFile struct {
	diskFile
	disk *hookedDisk
	path string
}

func (f *hookedFile) Write(b []byte) (n int, err error) {
	made := false
	err = f.disk.do(change{op: "write", path: f.path, content: append([]byte{}, b...)}, func() error {
		made = true
		n, err = f.diskFile.Write(b)
		return err
	})
	if !made {
		n, _ = f.diskFile.Write(b[:len(b)/2])
	}
	return n, err
}

func (f *hookedFile) Sync() error {
	return f.disk.do(change{op: "sync", path: f.path}, f.diskFile.Sync)
}

// A quickDisk does not flush, so that tests take less time.
type quickDisk struct{ osDisk }

func (q quickDisk) create(path string) (diskFile, error) {
	f, err := q.osDisk.create(path)
	return quickFile{f}, err
}

func (quickDisk) syncDir(string) error { return nil }

type quickFile struct{ diskFile }

func (quickFile) Sync() error { return nil }

// The study of these tests: its configurations, shards, and inputs.
const faultStudy, faultShards = 6, 2

func faultInputs() map[string][]byte {
	return map[string][]byte{"inputs/0123456789abcdef/noise-0/profile.yaml": []byte("profile: 1\n")}
}

// computeOn computes the whole study on a disk, or what a directory lacks of it, and returns the
// first error. recorded is called when records are known to be on the disk.
func computeOn(on disk, path string, recorded func(configs ...int)) error {
	inputs := faultInputs()
	plan := planOf(faultStudy, faultShards)
	plan.Inputs = Digests(inputs)
	d, err := begin(on, path, plan, inputs, Extension{})
	if err != nil {
		return err
	}
	for name := range inputs {
		if _, err := d.Input(name); err != nil {
			return err
		}
	}
	if d.Finished() {
		return d.Clean()
	}
	if _, err := d.Load(-1); err != nil {
		return err
	}
	if err := d.Writable(); err != nil {
		return err
	}
	c := d.Collect()
	for config := range faultStudy {
		if d.Has(config) {
			continue
		}
		c.Add(config, example(config))
		if config%2 == 1 {
			if err := c.Flush(true); err != nil {
				return err
			}
			recorded(config-1, config)
		}
	}
	if err := c.Flush(true); err != nil {
		return err
	}
	return d.Finish(axesOf)
}

// checkFinished fails if the directory is not that of the finished study, whole and clean.
func checkFinished(t *testing.T, path string, want map[string]string) {
	t.Helper()
	if diff := tests.Diff(want, tablesOf(t, path)); diff != "" {
		t.Fatal("the tables differ")
	}
	if damaged, err := Verify(path, true); err != nil || len(damaged) > 0 {
		t.Fatal(damaged, err)
	}
	checkTree(t, path, slices.Concat(finishedStudy, slices.Collect(maps.Keys(faultInputs()))))
}

// stride is the distance of faults that are tried: of all, or of some.
func stride() int { return tests.Part(1, 5) }

// undisturbed returns the tables of a study that nothing disturbed.
func undisturbed(t *testing.T) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	tests.NoError(t, computeOn(quickDisk{}, path, func(...int) {}))
	return tablesOf(t, path)
}

// Each change of the file system, and each list of a directory, fails once, in turn: the error is
// reported unless nothing is left over, nothing wrong is published, and the same command then
// finishes the study.
func TestEveryFault(t *testing.T) {
	want := undisturbed(t)
	silent := 0
	for at := 0; ; at += stride() {
		path := filepath.Join(t.TempDir(), "results")
		count := 0
		faulty := &hookedDisk{before: func(c change) error {
			if count++; count-1 == at {
				return &fs.PathError{Op: c.op, Path: c.path, Err: syscall.EIO}
			}
			return nil
		}}
		err := computeOn(faulty, path, func(...int) {})
		if count <= at {
			t.Logf("%d changes, %d without an error when they fail", at, silent)
			if at < 50 {
				t.Errorf("the study makes only %d changes", at)
			}
			return
		}
		if err == nil { // as when a part that another replaces cannot be removed
			silent++
			checkFinished(t, path, want)
		}
		for range 2 { // the second time it is finished, and cleaned
			if err := computeOn(quickDisk{}, path, func(...int) {}); err != nil {
				t.Fatalf("change %d failed, and then: %v", at, err)
			}
		}
		checkFinished(t, path, want)
	}
}

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
		case "create", "mkdir", "link", "rename":
			names[c.path] = now[c.path]
			if c.op == "rename" {
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
		case "link", "rename":
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

var everyBit = flag.Bool("every-bit", false,
	"whether TestEveryBitOfAStudy turns every bit of every file, rather than some")

// studyWithInput plans a study of two configurations with an input, and computes those that are
// named.
func studyWithInput(t *testing.T, path string, computed ...int) *Dir {
	t.Helper()
	contents := map[string][]byte{"permutation.txt": []byte("1 0\n")}
	inputs := map[string][]byte{
		InputsFolder(contents) + "/permutation.txt": contents["permutation.txt"]}
	plan := planOf(2, 1)
	plan.KeepTrials = false // so that a key of run.json that is missing has its value
	plan.Inputs = Digests(inputs)
	d := tests.Must(Begin(path, plan, inputs, Extension{}))(t)
	tests.NoError(t, d.Writable())
	collect(t, d, computed, never)
	return d
}

// sound reports whether Verify finds nothing.
func sound(path string) bool {
	damaged, err := Verify(path, false)
	return err == nil && len(damaged) == 0
}

// A bit of any file of a directory that has turned is noticed.
func TestEveryBitOfAStudy(t *testing.T) {
	root := t.TempDir()
	finished, begun := filepath.Join(root, "finished"), filepath.Join(root, "begun")
	tests.NoError(t, studyWithInput(t, finished, 0, 1).Finish(axesOf))
	studyWithInput(t, begun, 0)
	files, bits := 0, 0
	for _, path := range []string{finished, begun} {
		if !sound(path) {
			t.Fatalf("%s is not sound", path)
		}
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			step := 11
			if *everyBit {
				step = 1
			} else if !tests.Whole() || filepath.Ext(name) == ".parquet" {
				step = 499
			}
			for bit := 0; bit < 8*len(content); bit += step {
				bits++
				if err := os.WriteFile(name, tests.Flipped(content, bit), 0o666); err != nil {
					return err
				}
				if sound(path) {
					t.Errorf("%s: bit %d of byte %d, %q, is not noticed", name, bit%8, bit/8,
						content[max(0, bit/8-10):min(len(content), bit/8+10)])
				}
			}
			return os.WriteFile(name, content, 0o666)
		})
		tests.NoError(t, err)
		if !sound(path) {
			t.Fatalf("%s is not sound again", path)
		}
	}
	if files < 7 {
		t.Errorf("there are only %d files", files)
	}
	t.Logf("%d bits of %d files", bits, files)
}

// What reads the same, or says that it is of another format, is a changed run.json or plan.json
// all the same.
func TestChangedDescriptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	tests.NoError(t, studyWithInput(t, path, 0, 1).Finish(axesOf))
	format := func(n int) string { return fmt.Sprintf(`"format": %d`, n) }
	for _, name := range []string{RunFile, PlanFile} {
		name = filepath.Join(path, name)
		content := tests.Must(os.ReadFile(name))(t)
		for _, change := range [][2]string{
			{format(Format), format(Format - 1)}, {format(Format), format(Format + 1)},
			{`"format": `, `"format":  `}, {`"format"`, `"Format"`}, {`"format"`, `"gormat"`},
			{`"keep_trials"`, `"keep_trialt"`}, {`"keep_trials": false`, `"keep_trials": true`},
			{"{\n", "{\n\n"}, {"{\n", "{\n  \"note\": 1,\n"}, {"\n}\n", "\n}"}, {"\n}\n", "\n}\n\n"},
			{`"digest"`, `"Digest"`}, {`"digest"`, `"digesu"`},
		} {
			changed := strings.Replace(string(content), change[0], change[1], 1)
			if changed == string(content) {
				t.Fatalf("%s has no %q", name, change[0])
			}
			tests.NoError(t, os.WriteFile(name, []byte(changed), 0o666))
			if sound(path) {
				t.Errorf("%s: %q instead of %q is not noticed", name, change[1], change[0])
			}
			if _, err := readResults(path); err == nil && filepath.Base(name) == RunFile {
				t.Errorf("%s: %q instead of %q is read", name, change[1], change[0])
			}
		}
		tests.NoError(t, os.WriteFile(name, content, 0o666))
	}
	if !sound(path) {
		t.Error("it is not sound again")
	}
}
