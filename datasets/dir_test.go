package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func identity(configurations int) Identity {
	return Identity{
		Version: "test", Study: "0123456789abcdef", Values: map[string][]string{"seed": {"1"}},
		Configurations: configurations, KeepTrials: true,
	}
}

// example is a record of three T and five trials.
func example(config int) Record {
	r := Record{
		Axes: Axes{ConfigID: fmt.Sprintf("%016x", config), Collective: "butterfly", Ranks: int64(config), Reception: "offload"},
		Pick: Pick{Star: 1, Speedup: 2},
	}
	for t := range 3 {
		r.Measures = append(r.Measures, Measures{Redundancy: int64(t), Trials: 5, StopReason: "fixed", Mean: float64(config)})
	}
	for i := range 15 {
		r.Completion = append(r.Completion, float64(config*100+i))
	}
	return r
}

func open(t *testing.T, path string, configurations int) *Dir {
	t.Helper()
	d, err := Open(path, identity(configurations))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// collect adds the configurations in the given order and flushes after those
// for which it is asked to.
func collect(t *testing.T, d *Dir, configs []int, flush func(i int) bool) {
	t.Helper()
	c := d.Collect()
	for i, config := range configs {
		c.Add(config, example(config))
		if flush(i) {
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
}

func tablesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, name := range []string{summaryFile, choiceFile, trialsFile} {
		b, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		content[name] = string(b)
	}
	return content
}

func never(int) bool { return false }

func count(n int) []int {
	configs := make([]int, n)
	for i := range configs {
		configs[i] = i
	}
	return configs
}

// However the records arrived and were divided into parts, also overlapping
// ones of two processes, the tables are the same to the byte.
func TestTablesDoNotDependOnParts(t *testing.T) {
	const n = 40
	dir := t.TempDir()
	d := open(t, dir, n)
	collect(t, d, count(n), never)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	want := tablesOf(t, dir)
	summaries, err := all[SummaryRow](d, summaryFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(summaries) != 3*n || summaries[3*7+2].Ranks != 7 || summaries[3*7+2].Redundancy != 2 {
		t.Errorf("%d rows, row of configuration 7 at T = 2: %+v", len(summaries), summaries[3*7+2])
	}
	trials, err := all[TrialRow](d, trialsFile)
	if err != nil {
		t.Fatal(err)
	}
	// Configuration 2, T = 1, trial 3 is at 3·3 + 1 of its completions.
	if got, want := trials[2*15+5+3], (TrialRow{fmt.Sprintf("%016x", 2), 1, 3, 210}); got != want {
		t.Errorf("trial %+v, want %+v", got, want)
	}

	random := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		dir := t.TempDir()
		d := open(t, dir, n)
		order := random.Perm(n)
		collect(t, d, order[:n/2], func(int) bool { return random.IntN(10) == 0 })
		d = open(t, dir, n) // as after an interruption
		missing := []int{}
		for i, complete := range d.Complete() {
			if !complete {
				missing = append(missing, i)
			}
		}
		if len(missing) != n-n/2 {
			t.Fatalf("%d configurations are missing, want %d", len(missing), n-n/2)
		}
		collect(t, d, append(missing, order[:10]...), func(int) bool { return random.IntN(10) == 0 })
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, tablesOf(t, dir)); diff != "" {
			t.Fatal("tables differ")
		}
		if _, err := os.Stat(filepath.Join(dir, partsDir)); err == nil {
			t.Error("parts are left")
		}
	}
}

func TestFinishRefusesWhatIsIncomplete(t *testing.T) {
	for _, missing := range []int{0, 5, 9} {
		dir := t.TempDir()
		d := open(t, dir, 10)
		configs := count(10)
		collect(t, d, append(configs[:missing:missing], configs[missing+1:]...), never)
		err := d.Finish()
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("configuration %d is missing", missing)) {
			t.Errorf("without configuration %d: %v", missing, err)
		}
		if _, err := os.Stat(filepath.Join(dir, summaryFile)); err == nil {
			t.Error("an incomplete table was published")
		}
		if leftovers, _ := filepath.Glob(filepath.Join(dir, "*"+temporarySuffix)); len(leftovers) > 0 {
			t.Errorf("left behind: %v", leftovers)
		}
	}
}

// Any truncation and any turned bit of a part is found.
func TestDamagedParts(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 4)
	collect(t, d, count(4), never)
	path := filepath.Join(dir, partsDir, d.parts[0].name)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(sound); at += 97 {
		turned := bytes.Clone(sound)
		turned[at] ^= 1 << (at % 8)
		for _, damaged := range [][]byte{turned, sound[:at]} {
			if err := os.WriteFile(path, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, identity(4)); err == nil || !strings.Contains(err.Error(), path+": damaged") {
				t.Fatalf("damage at %d of %d bytes: %v", at, len(sound), err)
			}
		}
	}
	if err := os.WriteFile(path, sound, 0o666); err != nil {
		t.Fatal(err)
	}
	open(t, dir, 4)
}

// Leftovers of a killed process are no parts, and go when the study finishes.
func TestTemporaryFilesAreIgnored(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 2)
	collect(t, d, count(2), never)
	const theirs = "notes.tmp"
	for _, name := range []string{filepath.Join(partsDir, "part-000000000-000001-0.parquet.1.tmp"), "summary.parquet.1.tmp", theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d = open(t, dir, 2)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	leftovers, _ := filepath.Glob(filepath.Join(dir, "*"+temporarySuffix))
	if want := []string{filepath.Join(dir, theirs)}; !cmp.Equal(leftovers, want) {
		t.Errorf("left behind: %v, want %v", leftovers, want)
	}
}

func TestDirectoriesBelongToOneStudy(t *testing.T) {
	change := func(f func(*Identity)) Identity {
		id := identity(1)
		f(&id)
		return id
	}
	otherStudy := change(func(id *Identity) { id.Study = "fedcba9876543210" })
	otherVersion := change(func(id *Identity) { id.Version = "other" })
	withoutTrials := change(func(id *Identity) { id.KeepTrials = false })

	dir := t.TempDir()
	d := open(t, dir, 1)
	if _, err := Open(dir, otherStudy); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("another study: %v", err)
	}
	if _, err := Open(dir, otherVersion); err == nil {
		t.Error("an unfinished directory is opened by another version")
	}
	if _, err := Open(dir, withoutTrials); err == nil {
		t.Error("an unfinished directory is opened without keeping trials")
	}
	collect(t, d, count(1), never)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, otherStudy); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("another study, finished: %v", err)
	}
	for _, id := range []Identity{otherVersion, withoutTrials} {
		if d, err := Open(dir, id); err != nil || !d.Finished() {
			t.Errorf("a finished directory cannot be read: %v", err)
		}
	}
}

// What is printed as CSV or JSON is the table's columns and values.
func TestFields(t *testing.T) {
	row := ChoiceRow{Axes: Axes{ConfigID: "c", Ranks: 8, Latency: 1e-6}, Pick: Pick{Star: 3}}
	columns, fields := Columns[ChoiceRow](), Fields(row)
	if len(columns) != len(fields) {
		t.Fatalf("%d columns and %d fields", len(columns), len(fields))
	}
	got := map[string]any{}
	for i, name := range columns {
		got[name] = fields[i]
	}
	for name, want := range map[string]any{"config_id": "c", "ranks": int64(8), "latency_s": 1e-6, "t_star": int64(3)} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// Two processes play the same study; the later one finds it finished.
func TestFinishedByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	first, second := open(t, dir, 3), open(t, dir, 3)
	collect(t, first, count(3), never)
	collect(t, second, count(3), never)
	if err := first.Finish(); err != nil {
		t.Fatal(err)
	}
	want := tablesOf(t, dir)
	if err := second.Finish(); err != nil {
		t.Errorf("finishing what another process has finished: %v", err)
	}
	if choices, err := second.Choices(); err != nil || len(choices) != 3 {
		t.Errorf("%d choices, %v", len(choices), err)
	}
	if diff := cmp.Diff(want, tablesOf(t, dir)); diff != "" {
		t.Error("the tables changed")
	}
	if _, err := os.Stat(filepath.Join(dir, partsDir)); err == nil {
		t.Error("parts are left")
	}
}
