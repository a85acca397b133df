package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"jitterfly/internal/tests"
)

// Every command shows examples, one of them of itself, and each does what it says in
// a directory that has what it needs. Their studies have few trials unless they say otherwise,
// and attributions little effort.
func TestExamples(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("examples are for a shell with pipelines")
	}
	inputs := exampleSurroundings(t)
	for _, c := range commands(newRoot(nil, &bytes.Buffer{}, &bytes.Buffer{})) {
		if renamed[c.Name()] != "" && c.Hidden {
			continue
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		t.Run(name, func(t *testing.T) {
			if c.Name() == "measure" && runtime.GOOS != "linux" {
				t.Skip("measuring is for Linux")
			}
			if !strings.Contains(c.Example, c.CommandPath()) {
				t.Fatalf("its help has no example of %s", c.CommandPath())
			}
			t.Parallel()
			dir := t.TempDir()
			before := inputs.unpack(t, dir, "before/"+strings.TrimPrefix(name, "jitterfly-"))
			for _, line := range strings.Split(before+c.Example, "\n") {
				if out, err := inputs.shell(t, bash, dir, line); err != nil {
					t.Fatalf("%s: %v\n%s", strings.TrimSpace(line), err, out)
				}
			}
		})
	}
}

// surroundings are the files that examples find in their directory.
type surroundings struct {
	files    *txtar.Archive
	measured string // directory of what tools have measured
}

func exampleSurroundings(t *testing.T) *surroundings {
	t.Helper()
	files := tests.Must(txtar.ParseFile("testdata/examples.txtar"))(t)
	measured := tests.Must(filepath.Abs("../noise/measured/formats/testdata"))(t)
	return &surroundings{files, measured}
}

// shell runs a line of a shell in a directory with the inputs, where studies have few trials unless
// they say otherwise, and little effort. Further variables of the environment may be given.
func (in *surroundings) shell(t *testing.T, bash, dir, line string, environ ...string) ([]byte, error) {
	shell := exec.Command(bash, "-e", "-o", "pipefail", "-c", line)
	shell.Dir = dir
	shell.Env = append([]string{
		"HOME=" + dir, "MEASURED=" + in.measured, "DURATION=" + tests.Part("500ms", "50ms"),
		"JITTERFLY_TRIALS=" + tests.Part("30", "5"), "JITTERFLY_TRIALS_EFFORT=" + tests.Part("10^7", "10^5"),
		"PATH=" + filepath.Join(dir, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
	}, environ...)
	out, err := shell.CombinedOutput()
	skipIfBusy(t, string(out))
	return out, err
}

// skipIfBusy ends a test in which the program refuses to measure, as others take its processors.
func skipIfBusy(t interface{ Skip(args ...any) }, said string) {
	if strings.Contains(said, "which is no measurement") {
		t.Skip("other programs take the processors:", said)
	}
}

// commands are a command and all below it.
func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		all = append(all, commands(below)...)
	}
	return all
}

// unpack writes the files into the directory, those of bin as programs, and a recording. It returns
// the text of the file that is to run first, if there is one.
func (in *surroundings) unpack(t *testing.T, dir, first string) (text string) {
	t.Helper()
	tests.NoError(t, record(filepath.Join(dir, "recording"), 4, 20, 1e6, 1e5, -1, 0))
	for _, f := range in.files.Files {
		if f.Name == first {
			text = string(f.Data)
		}
		path := filepath.Join(dir, f.Name)
		mode := os.FileMode(0o666)
		if strings.HasPrefix(f.Name, "bin/") {
			mode = 0o777
		}
		tests.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		tests.NoError(t, os.WriteFile(path, f.Data, mode))
	}
	return text
}
