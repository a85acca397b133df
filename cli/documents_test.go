package cli

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"jitterfly/internal/tests"
)

// The commands that the documents show run in a fresh directory, in order, with the files that they
// show, and print what they say, except what a line … stands for: without a cache, and without a
// limit of time, so that they print it on every machine. Commands whose output is not shown run
// after these with few trials, except those that [elsewhere] names.
func TestDocuments(t *testing.T) {
	root := tests.Must(filepath.Abs(".."))(t)
	var paths []string
	for _, pattern := range []string{"docs/*.md", "docs/model/*.md", "mpi/*.md", "README.md"} {
		found := tests.Must(filepath.Glob(filepath.Join(root, pattern)))(t)
		paths = append(paths, found...)
	}
	skipped := map[string]bool{}
	withCommands, inputs := 0, exampleSurroundings(t)
	long := map[string]bool{"README.md": true, "docs/applications.md": true,
		"docs/attribution.md": true, "docs/choosing-t.md": true, "docs/deploy.md": true, "docs/fleets.md": true,
		"docs/studies.md": true, "docs/topologies.md": true}
	for _, path := range paths {
		text := tests.Must(os.ReadFile(path))(t)
		silent := silentCommands(string(text), skipped)
		if !console.Match(text) && len(silent) == 0 {
			continue
		}
		withCommands++
		name, _ := filepath.Rel(root, path)
		t.Run(name, func(t *testing.T) {
			withoutCache(t)
			t.Chdir(t.TempDir())
			before := inputs.unpack(t, ".", "before/"+name)
			writeShown(t, text)
			if !long[name] || *tests.Update || tests.Whole() {
				got := runDocument(t, text)
				if *tests.Update {
					tests.NoError(t, os.WriteFile(path, got, 0o666))
				}
			}
			inputs.runSilent(t, append(strings.Split(before, "\n"), silent...))
		})
	}
	if withCommands < 5 {
		t.Errorf("only %d documents have commands", withCommands)
	}
	for command := range elsewhere {
		if !skipped[command] {
			t.Errorf("no document has %s", command)
		}
	}
}

// elsewhere are the commands that do not run here, by what they contain, and why.
var elsewhere = map[string]string{
	"jitterfly measure ":          "what it finds depends on the machine; TestExamples runs it",
	"research validate bench.csv": "its verdict depends on the noise of the machine",
	"cluster plan --assume paper": ".ci/slurm runs it, with a Slurm of three nodes",
}

// ours is a line of a shell that runs this program, and inline the text of code in a sentence that
// does, with a flag and its value, and without words that stand for others.
var (
	ours   = regexp.MustCompile(`^(\$ )?((srun|chrt) .*)?(go run \. |(\./)?jitterfly )`)
	inline = regexp.MustCompile("^`((?:go run \\. |jitterfly )?" +
		"(?:sweep|choose|attribute|figures|import|research goal) [^`]*--\\S+ [^`]*)`")
	stands = regexp.MustCompile(`…|\b[A-Z]{3,}\b`)
)

// silentCommands returns the commands of a document whose output it does not show, in their order,
// and notes which it skips because they run elsewhere.
func silentCommands(text string, skipped map[string]bool) (commands []string) {
	text = regexp.MustCompile(`\\\n *`).ReplaceAllString(text, "")
	blocks := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```|^    .*?$|`[^`]+`")
	for _, parts := range blocks.FindAllStringSubmatch(text, -1) {
		code := parts[2]
		switch language := parts[1]; {
		case strings.HasPrefix(parts[0], "    "):
			code, _, _ = strings.Cut(strings.TrimSpace(parts[0]), "   ")
		case !strings.HasPrefix(parts[0], "```"):
			if found := inline.FindStringSubmatch(strings.Join(strings.Fields(parts[0]), " ")); found != nil {
				code = "jitterfly " + strings.TrimPrefix(strings.TrimPrefix(found[1], "go run . "), "jitterfly ")
			}
		case !slices.Contains([]string{"", "sh", "bash", "text"}, language):
			continue
		}
		for line := range strings.Lines(code) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
			if !ours.MatchString(line) || stands.MatchString(line) {
				continue
			}
			runs := true
			for part := range elsewhere {
				if strings.Contains(line, part) {
					skipped[part], runs = true, false
				}
			}
			if runs {
				commands = append(commands, quick(line))
			}
		}
	}
	return commands
}

// quick returns a command that takes little time: what names no directory for its results is a dry
// run, and choices have a second at most, after which they may be open.
func quick(line string) string {
	line = strings.NewReplacer("go run . ", "jitterfly ", "./jitterfly ", "jitterfly ", " --time 2m", "").
		Replace(strings.TrimPrefix(line, "$ "))
	for _, command := range []string{"jitterfly choose ", "jitterfly attribute "} {
		if strings.Contains(line, command) {
			line = strings.Replace(line, command, command+"--time "+tests.Part("1s ", "250ms "), 1) + " || [ $? = 75 ]"
		}
	}
	if strings.HasPrefix(line, "jitterfly sweep ") && !strings.Contains(line, "--out") &&
		!strings.Contains(line, "--write") {
		line += " --dry-run"
	}
	return line
}

// runSilent runs lines of a shell in the directory, for their exit codes alone.
func (in *surroundings) runSilent(t *testing.T, lines []string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("commands are for a shell")
	}
	dir := tests.Must(os.Getwd())(t)
	for _, line := range lines {
		if out, err := in.shell(t, bash, dir, line, "TIMED=1", "JITTERFLY_TRIALS=3"); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// writeShown writes the YAML files that a document shows with their names in a first comment.
func writeShown(t *testing.T, text []byte) {
	t.Helper()
	shown := regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n(.*?)```")
	for _, parts := range shown.FindAllSubmatch(text, -1) {
		tests.NoError(t, os.WriteFile(string(parts[1]), parts[2], 0o666))
	}
}

// console is a block with a command and what it prints.
var console = regexp.MustCompile("(?s)```console\n\\$ go run \\. (.*?)\n(.*?)```")

// runDocument runs the commands in the text's console blocks and returns the
// text with what they print.
func runDocument(t *testing.T, text []byte) []byte {
	ran := 0
	got := console.ReplaceAllFunc(text, func(block []byte) []byte {
		parts := console.FindSubmatch(block)
		command, want := string(parts[1]), string(parts[2])
		ran++
		printed := elided(trimRight(runUntimed(t, strings.Fields(command))), want)
		if printed != want && !*tests.Update {
			t.Errorf("%s prints\n%s\nand the document says\n%s", command, printed, want)
		}
		return []byte("```console\n$ go run . " + command + "\n" + printed + "```")
	})
	if all := bytes.Count(text, []byte("\n$ go run . ")); ran != all {
		t.Errorf("%d of %d commands ran: each has a block of its own", ran, all)
	}
	return got
}

// leftOut is a line that stands for lines that a document leaves out.
var leftOut = regexp.MustCompile("(?m)^…\n")

// elided returns printed without the lines that shown leaves out: a line "…" in shown stands for
// lines before the next line of shown, or before the end. If that line is missing, it returns
// printed.
func elided(printed, shown string) string {
	const dots = "…\n"
	parts := leftOut.Split(shown, -1)
	lines := slices.Collect(strings.Lines(printed))
	var kept []string
	for i, part := range parts {
		shown := slices.Collect(strings.Lines(part))
		begin := 0
		switch {
		case i > 0 && len(shown) == 0:
			begin = len(lines)
		case i > 0:
			begin = slices.Index(lines, shown[0])
		}
		if i == len(parts)-1 && begin >= 0 {
			kept = append(kept, lines[begin:]...)
			break
		}
		end := begin + len(shown)
		if begin < 0 || end > len(lines) {
			return printed
		}
		kept = append(append(kept, lines[begin:end]...), dots)
		lines = lines[end:]
	}
	return strings.Join(kept, "")
}

// Lines that a document leaves out may be any, and all others count.
func TestElided(t *testing.T) {
	const printed = "a\nb\nc\nd\ne\n"
	for shown, want := range map[string]string{
		printed:              printed,
		"…\n":                "…\n",
		"a\n…\n":             "a\n…\n",
		"x\n…\n":             "a\n…\n",
		"a\n…\nc\nx\n…\ne\n": "a\n…\nc\nd\n…\ne\n",
		"a\n…\ne\nf\n":       "a\n…\ne\n",
		"a\n…\nx\n":          printed,
		"a …\nb\n…\n":        "a\nb\n…\n",
	} {
		if got := elided(printed, shown); got != want {
			t.Errorf("%q, shown as %q, is %q, not %q", printed, shown, got, want)
		}
	}
}

// trimRight removes the spaces at the ends of lines, which a README does not
// keep.
func trimRight(text string) string {
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}

// The commands in docs/figures/commands.sh draw the pictures that the
// documents show: timelines, and if tests run whole also charts, which need studies.
func TestPictures(t *testing.T) {
	docs := tests.Must(filepath.Abs("../docs"))(t)
	commands := tests.Must(os.ReadFile(filepath.Join(docs, "figures", "commands.sh")))(t)
	fleets := tests.Must(os.ReadFile(filepath.Join(docs, "fleets.md")))(t)
	t.Chdir(t.TempDir())
	writeShown(t, fleets)
	tests.NoError(t, os.MkdirAll("docs/figures", 0o777))
	for line := range strings.Lines(string(commands)) {
		command, found := strings.CutPrefix(line, "go run . ")
		args := strings.Fields(command)
		if !found || !slices.Contains(args, "timeline") && !tests.Whole() && !*tests.Update {
			continue
		}
		runUntimed(t, args)
	}
	drawn := tests.Must(filepath.Glob("docs/figures/*.svg"))(t)
	if len(drawn) < 5 {
		t.Errorf("only %v are drawn", drawn)
	}
	for _, name := range drawn {
		got := tests.Must(os.ReadFile(name))(t)
		committed := filepath.Join(docs, "figures", filepath.Base(name))
		tests.Golden(t, committed, got)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
)

// What the documents and notebooks link to in this repository is there: files, and
// headings in them.
func TestLinks(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && slices.Contains([]string{".git", "testdata", "results", "dist"}, entry.Name()) {
			return filepath.SkipDir
		}
		if err != nil || !slices.Contains([]string{".md", ".ipynb"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range link.FindAllSubmatch(fenced.ReplaceAll(text, nil), -1) {
			if target := string(found[1]); !strings.Contains(target, "://") {
				checked++
				checkLink(t, path, target)
			}
		}
		return err
	})
	tests.NoError(t, err)
	if checked < 20 {
		t.Errorf("only %d links were found", checked)
	}
}

func checkLink(t *testing.T, path, target string) {
	file, anchor, _ := strings.Cut(target, "#")
	to := path
	if file != "" {
		to = filepath.Join(filepath.Dir(path), file)
	}
	text, err := os.ReadFile(to)
	if info, e := os.Stat(to); e == nil && info.IsDir() {
		err = nil
	}
	if err != nil {
		t.Errorf("%s links to %s: %v", path, target, err)
		return
	}
	if anchor != "" && !slices.Contains(anchors(text), anchor) {
		t.Errorf("%s links to %s: %s has no such heading", path, target, to)
	}
}

// anchors are those that GitHub gives to the headings of a document.
func anchors(text []byte) []string {
	var all []string
	for _, found := range heading.FindAllSubmatch(fenced.ReplaceAll(text, nil), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, string(found[1])))
	}
	return all
}

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
