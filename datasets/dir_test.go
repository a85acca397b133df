package datasets

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"jitterfly/internal/tests"
	"jitterfly/internal/units"
)

// planOf returns a plan whose configurations are dealt out to the shards in turn.
func planOf(configurations, shards int) Plan {
	p := Plan{
		Version: "test", StudyHash: "0123456789abcdef", Study: map[string][]string{"seed": {"1"}},
		Configurations: configurations, KeepTrials: true, Shards: make([]Shard, shards),
	}
	owned := make([]units.Indexes, shards)
	for i := range configurations {
		owned[i%shards] = append(owned[i%shards], i)
	}
	for i, x := range owned {
		p.Shards[i] = Shard{x.String(), float64(len(x))}
	}
	return p
}

func axesOf(config int) Axes {
	return Axes{ConfigID: fmt.Sprintf("%016x", config), Collective: "butterfly",
		Ranks: int64(config), Reception: "offload"}
}

// example is a record of three T and five trials.
func example(config int) Record {
	r := Record{Pick: Pick{Star: 1, Speedup: 2}}
	for t := range 3 {
		r.Measures = append(r.Measures, Measures{Redundancy: int64(t), Trials: 5,
			StopReason: "fixed", Mean: float64(config)})
	}
	for i := range 15 {
		r.Completion = append(r.Completion, float64(config*100+i))
	}
	return r
}

// open opens or begins a directory, and loads what it has.
func open(t *testing.T, path string, configurations, shards int) *Dir {
	t.Helper()
	d := tests.Must(Begin(path, planOf(configurations, shards), nil, Extension{}))(t)
	if passedOver, err := d.Load(-1); err != nil || len(passedOver) > 0 {
		t.Fatal(err, passedOver)
	}
	tests.NoError(t, d.Writable())
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
			tests.NoError(t, c.Flush(true))
		}
	}
	tests.NoError(t, c.Flush(true))
}

func tablesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, name := range []string{summaryFile, choiceFile, trialsFile} {
		b := tests.Must(os.ReadFile(filepath.Join(path, name)))(t)
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

// However the records arrived and were divided into shards and parts, also overlapping
// ones of two processes, the tables are the same to the byte.
func TestTablesDoNotDependOnParts(t *testing.T) {
	const n = 40
	dir := t.TempDir()
	d := open(t, dir, n, 1)
	collect(t, d, count(n), never)
	tests.NoError(t, d.Finish(axesOf))
	want := tablesOf(t, dir)

	random := rand.New(rand.NewPCG(1, 2))
	for _, shards := range []int{1, 3, n} {
		dir := t.TempDir()
		d := open(t, dir, n, shards)
		order := random.Perm(n)
		collect(t, d, order[:n/2], func(int) bool { return random.IntN(10) == 0 })
		d = open(t, dir, n, shards) // as after an interruption
		missing := []int{}
		for i := range n {
			if !d.Has(i) {
				missing = append(missing, i)
			}
		}
		if len(missing) != n-n/2 {
			t.Fatalf("%d configurations are missing, want %d", len(missing), n-n/2)
		}
		collect(t, d, append(missing, order[:10]...),
			func(int) bool { return random.IntN(10) == 0 })
		tests.NoError(t, d.Finish(axesOf))
		if diff := tests.Diff(want, tablesOf(t, dir)); diff != "" {
			t.Fatal("tables differ")
		}
		checkTree(t, dir, finishedStudy)
	}
}

// A process that loads one shard sees that one only.
func TestLoadOneShard(t *testing.T) {
	dir := t.TempDir()
	collect(t, open(t, dir, 10, 2), count(10), never)
	d := tests.Must(Open(dir))(t)
	tests.Must(d.Load(1))(t)
	if diff := tests.Diff([]Progress{{0, 5}, {5, 5}}, d.Progress()); diff != "" {
		t.Error(diff)
	}
}

func TestFinishRefusesWhatIsIncomplete(t *testing.T) {
	for _, missing := range []int{0, 5, 9} {
		dir := t.TempDir()
		d := open(t, dir, 10, 5)
		collect(t, d, slices.Delete(count(10), missing, missing+1), never)
		err := d.Finish(axesOf)
		want := Incomplete{dir, units.Indexes{missing % 5}, Progress{9, 10}}
		if got := new(Incomplete); !errors.As(err, got) || !cmp.Equal(*got, want) {
			t.Errorf("without configuration %d: %v", missing, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
			t.Errorf("beside the plan and the parts there are %v", left)
		}
	}
}

// Leftovers of a killed process are no parts, and go when the study finishes. What
// is not ours stays.
func TestTemporaryFilesAreIgnored(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, 2, 1)
	collect(t, d, count(2), never)
	const random = ".0123456789abcdef.tmp"
	part := partName(0, strings.Repeat("0", 64))
	probe := temporaryName("probe")
	theirs := []string{"notes.tmp", "notes" + random, summaryFile + random, temporaryName("notes"),
		partsDir + "/.nfs0001", partsDir + "/notes" + random, partsDir + "/" + part + random,
		partsDir + "/probe", partsDir + "/probe" + random, partsDir + "/probe-0123456789800fbf"}
	for _, name := range append([]string{partsDir + "/" + temporaryName(part), partsDir + "/" + probe,
		partsDir + "/" + temporaryName(probe), temporaryName(summaryFile), temporaryName(PlanFile)},
		theirs...) {
		tests.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666))
	}
	d = open(t, dir, 2, 1)
	tests.NoError(t, d.Finish(axesOf))
	checkTree(t, dir, append(theirs, finishedStudy...))
}

func TestDirectoriesBelongToOneStudy(t *testing.T) {
	change := func(f func(*Plan)) Plan {
		p := planOf(1, 1)
		f(&p)
		return p
	}
	otherStudy := change(func(p *Plan) { p.StudyHash = "fedcba9876543210" })
	otherVersion := change(func(p *Plan) { p.Version = "other" })
	withoutTrials := change(func(p *Plan) { p.KeepTrials = false })

	dir := t.TempDir()
	d := open(t, dir, 1, 1)
	begin := func(p Plan) (*Dir, error) { return Begin(dir, p, nil, Extension{}) }
	if _, err := begin(otherStudy); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("another study: %v", err)
	}
	if _, err := begin(otherVersion); err == nil {
		t.Error("an unfinished directory is opened by another version")
	}
	if _, err := begin(withoutTrials); err == nil {
		t.Error("an unfinished directory is opened without keeping trials")
	}
	collect(t, d, count(1), never)
	tests.NoError(t, d.Finish(axesOf))
	if _, err := begin(otherStudy); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("another study, finished: %v", err)
	}
	for _, p := range []Plan{otherVersion, withoutTrials} {
		if d, err := begin(p); err != nil || !d.Finished() {
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
	for name, want := range map[string]any{"config_id": "c", "ranks": int64(8), "latency_s": 1e-6,
		"t_star": int64(3)} {
		if got := fields[slices.Index(columns, name)]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// Two processes play the same study; the later one finds it finished, when it writes
// or when it finishes.
func TestFinishedByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	first, second, third := open(t, dir, 3, 1), open(t, dir, 3, 1), open(t, dir, 3, 1)
	collect(t, first, count(3), never)
	collect(t, second, count(3), never)
	tests.NoError(t, first.Finish(axesOf))
	want := tablesOf(t, dir)
	collect(t, third, count(3), never)
	for _, d := range []*Dir{second, third} {
		if err := d.Finish(axesOf); err != nil {
			t.Errorf("finishing what another process has finished: %v", err)
		}
		if !d.Finished() {
			t.Error("it is not finished")
		}
	}
	if r, err := readResults(dir); err != nil || len(r.Choices) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	if diff := tests.Diff(want, tablesOf(t, dir)); diff != "" {
		t.Error("the tables changed")
	}
	checkTree(t, dir, finishedStudy)
}

// Kept trials are those that were packed, and take the room of those that differ.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 5).Draw(t, "values of a trial")
		trials := rapid.IntRange(0, 50).Draw(t, "trials")
		var completion, lowerBound []float64
		differ := 0
		for range trials {
			late := float64(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "late"))
			for k := range width {
				completion = append(completion, float64(width-k)+late)
			}
			lowerBound = append(lowerBound, late)
			if late > 0 {
				differ++
			}
		}
		k := NewKept(completion, lowerBound)
		tests.NoError(t, k.check())
		gotCompletion, gotBound := k.Unpack()
		if !slices.Equal(completion, gotCompletion) || !slices.Equal(lowerBound, gotBound) {
			t.Fatalf("%v, %v became %v, %v", completion, lowerBound, gotCompletion, gotBound)
		}
		if differ < trials && len(k.Others) > differ {
			t.Fatalf("%d of %d trials are not common, want %d", len(k.Others), trials, differ)
		}
	})
	for _, k := range []Kept{
		{Trials: -1}, {Trials: 3}, {Trials: 2, Common: []float64{1, 2}, Others: []int64{1}},
		{Trials: 2, Common: []float64{1, 2}, Others: []int64{2}, Values: []float64{1, 2}},
		{Trials: 1 << 40, Common: []float64{1, 2}},
	} {
		if k.check() == nil {
			t.Errorf("%+v is not refused", k)
		}
	}
}

// moreTrials allows a plan of another study that has more trials; final are the configurations
// that end with 5 trials anyway.
func moreTrials(final ...int) Extension {
	return Extension{
		Allowed: func(old map[string][]string) bool { return old["seed"][0] == "1" },
		Final: func(_ map[string][]string, m Measures) bool {
			return slices.Contains(final, int(m.Mean))
		},
	}
}

// A finished study goes on with more trials: what is final is kept, of what is not its trials,
// and the tables become those of the new study. A process that ends at any moment loses nothing.
func TestMoreTrials(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, 4, 1)
	c := d.Collect()
	for config := range 4 {
		r := example(config)
		if config > 0 { // the configuration 0 is final
			r.State = AtBound
		}
		if config > 1 { // of the configuration 1 no trials are kept
			r.Kept = NewKept(r.Completion, []float64{1, 1, 1, 1, 1})
		}
		c.Add(config, r)
	}
	tests.NoError(t, errors.Join(c.Flush(true), d.Finish(axesOf)))
	if parts, err := os.ReadDir(d.partsPath()); err != nil || len(parts) != 1 {
		t.Fatalf("%d parts with trials are kept, %v", len(parts), err)
	}

	more := planOf(4, 1)
	more.StudyHash, more.Study = "fedcba9876543210", map[string][]string{"seed": {"1"}, "n": {"9"}}
	other := more
	other.KeepTrials = false
	if _, err := Begin(path, other, nil, moreTrials(0)); !errors.Is(err, ErrOtherStudy) {
		t.Errorf("another study: %v", err)
	}
	oldRun := tests.Must(os.ReadFile(filepath.Join(path, RunFile)))(t)
	for _, step := range []string{"at once", "after the plan, with the old run"} {
		d = tests.Must(Begin(path, more, nil, moreTrials(0)))(t)
		if step != "at once" {
			tests.NoError(t, os.WriteFile(filepath.Join(path, RunFile), oldRun, 0o666))
			d = tests.Must(Begin(path, more, nil, Extension{}))(t)
		}
		if passedOver, err := d.Load(-1); err != nil || len(passedOver) > 0 || d.Finished() {
			t.Fatalf("%s: %v, %v, finished %t", step, err, passedOver, d.Finished())
		}
		for config, trials := range []int{0, 0, 5, 5} {
			kept, err := d.Kept(config)
			if err != nil || d.KeptTrials(config) != trials || int(kept.Trials) != trials ||
				d.Has(config) != (config == 0) {
				t.Errorf("%s, configuration %d: %+v, %v, complete %t", step, config, kept, err,
					d.Has(config))
			}
		}
	}

	// What is interrupted stays to be continued, until the record is complete.
	c = d.Collect()
	c.Add(1, Record{State: Interrupted, Kept: NewKept([]float64{3, 2, 1}, []float64{1})})
	for config := 2; config < 4; config++ {
		c.Add(config, example(config))
	}
	tests.NoError(t, c.Flush(true))
	if err := d.Finish(axesOf); !errors.As(err, new(Incomplete)) || d.KeptTrials(1) != 1 {
		t.Errorf("an interrupted configuration: %v, %d trials", err, d.KeptTrials(1))
	}
	c.Add(1, example(1))
	tests.NoError(t, errors.Join(c.Flush(true), d.Finish(axesOf)))
	fresh := t.TempDir()
	f := tests.Must(Begin(fresh, more, nil, Extension{}))(t)
	tests.NoError(t, f.Writable())
	collect(t, f, count(4), never)
	tests.NoError(t, f.Finish(axesOf))
	if diff := tests.Diff(tablesOf(t, fresh), tablesOf(t, path), cmpopts.EquateEmpty()); diff != "" {
		t.Error("the tables are not those of the study at once")
	}
	checkTree(t, path, finishedStudy)
	if _, err := readResults(path); err != nil {
		t.Error(err)
	}
}
