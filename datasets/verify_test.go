package datasets

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

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
