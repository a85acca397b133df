package datasets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"jitterfly/internal/tests"
)

// rewrite writes run.json as it stands, with its digest.
func rewrite(d *Dir) error {
	d.run.Digest = d.run.sum()
	return os.WriteFile(filepath.Join(d.path, RunFile), jsonFile(d.run), 0o666)
}

// finish makes a finished directory of the example's records.
func finish(t *testing.T, n int) (path string, d *Dir) {
	t.Helper()
	path = t.TempDir()
	return path, finishIn(t, path, n)
}

// rowsOf returns all rows of a table.
func rowsOf[T any](t *testing.T, r *Results, name string) (rows []T) {
	t.Helper()
	c := tests.Must(openTable[T](r, name))(t)
	defer c.close()
	for {
		row := tests.Must(c.peek())(t)
		if row == nil {
			return rows
		}
		rows = append(rows, *row)
		c.skip()
	}
}

// readResults reads all choices of the finished study in a directory.
func readResults(path string) (*Results, error) {
	r, err := OpenResults(path)
	if err == nil {
		err = r.Read(func(*ChoiceRow) bool { return true })
	}
	return r, err
}

// The tables are read as they were written, with the metadata that format.md names.
func TestTablesAreThoseWritten(t *testing.T) {
	path, _ := finish(t, 3)
	r := tests.Must(readResults(path))(t)
	summary := rowsOf[SummaryRow](t, r, summaryFile)
	var want []SummaryRow
	for config := range 3 {
		record := example(config)
		want = append(want, record.Summaries(axesOf(config))...)
		if diff := tests.Diff(ChoiceRow{axesOf(config), record.Pick}, r.Choices[config]); diff != "" {
			t.Error(diff)
		}
		if diff := tests.Diff(record.Measures, r.Measures[config]); diff != "" {
			t.Error(diff)
		}
	}
	if diff := tests.Diff(want, summary); diff != "" || !r.KeepTrials {
		t.Error(diff)
	}
	for name, content := range tablesOf(t, path) {
		f := tests.Must(parquet.OpenFile(strings.NewReader(content), int64(len(content))))(t)
		got, _ := f.Lookup("jitterfly.columns")
		if !strings.Contains(got, `{"name":"config_id","meaning":"digest of`) {
			t.Errorf("%s: its columns are %q", name, got)
		}
		for key, want := range map[string]string{
			"jitterfly.version": "test", "jitterfly.format": "1",
			"jitterfly.study": "0123456789abcdef",
		} {
			if got, _ := f.Lookup(key); got != want {
				t.Errorf("%s: %s is %q, want %q", name, key, got, want)
			}
		}
	}
	calls := 0
	err := r.Trials(func(config, redundancy int, completions []float64) {
		calls++
		want := []float64{0, 3, 6, 9, 12}
		for i := range want {
			want[i] += float64(config*100 + redundancy)
		}
		if !slices.Equal(completions, want) {
			t.Errorf("configuration %d, T = %d: %v, want %v", config, redundancy, completions, want)
		}
	})
	if err != nil || calls != 9 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// A hostile run.json can vouch for any file.
func TestVouchedForFilesThatAreNoTablesAreErrors(t *testing.T) {
	path, d := finish(t, 3)
	other := tests.Must(os.ReadFile(filepath.Join(path, trialsFile)))(t)
	sound := tests.Must(os.ReadFile(filepath.Join(path, choiceFile)))(t)
	contents := [][]byte{nil, []byte("PAR1"), other, []byte("PAR1\xff\xff\xff\x7fPAR1")}
	for at := len(sound) / 7; at < len(sound); at += len(sound) / 7 {
		contents = append(contents, append(sound[:at:at], sound[at+1:]...))
	}
	for i, content := range contents {
		tests.NoError(t, os.WriteFile(filepath.Join(path, choiceFile), content, 0o666))
		d.run.Tables[choiceFile] = digest(content)
		tests.NoError(t, rewrite(d))
		if r, err := readResults(path); err == nil {
			t.Errorf("content %d is read as %d rows", i, len(r.Choices))
		}
	}
}

// What is not a finished directory, or not whole, is an error that says what.
func TestReadResultsErrors(t *testing.T) {
	change := func(f func(*Run)) func(*testing.T, string, *Dir) {
		return func(t *testing.T, _ string, d *Dir) {
			t.Helper()
			f(d.run)
			tests.NoError(t, rewrite(d))
		}
	}
	// forge replaces a table and its digest, so that only its content is wrong.
	forge := func(name, content string) func(*testing.T, string, *Dir) {
		return func(t *testing.T, path string, d *Dir) {
			t.Helper()
			if content == "" {
				other := tests.Must(os.ReadFile(filepath.Join(path, choiceFile)))(t)
				content = string(other)
			}
			tests.NoError(t, os.WriteFile(filepath.Join(path, name), []byte(content), 0o666))
			d.run.Tables[name] = digest([]byte(content))
			tests.NoError(t, rewrite(d))
		}
	}
	for want, spoil := range map[string]func(*testing.T, string, *Dir){
		"the study has not finished": func(t *testing.T, path string, _ *Dir) {
			t.Helper()
			tests.NoError(t, os.Remove(filepath.Join(path, RunFile)))
		},
		"damaged or not ours": change(func(r *Run) { r.Program = "another" }),
		"written in format 6": change(func(r *Run) { r.Format = 6 }),
		"run.json: damaged":   change(func(r *Run) { *r = Run{} }),
		"damaged since":       change(func(r *Run) { r.Tables = nil }),
		"choice.parquet: ":    forge(choiceFile, "PAR1 is not all PAR1"),
		"summary.parquet: written by another build of jitterfly, its column redundancy is missing": forge(
			summaryFile, ""),
		"cannot be read|damaged since ": forge(summaryFile,
			"PAR1\x15\x04\x19\x5c\x48\x0c\x00\x00\xff\xff\x08\x00\x00\x00PAR1"),
	} {
		path, d := finish(t, 2)
		spoil(t, path, d)
		_, err := readResults(path)
		if err == nil || !slices.ContainsFunc(strings.Split(want, "|"),
			func(w string) bool { return strings.Contains(err.Error(), w) }) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A choice outside of the summary, a summary that leaves a T out, or trials that
// are not those counted, are not believed.
func TestReadResultsThatDoNotFit(t *testing.T) {
	for name, change := range map[string]func(*Record){
		"T* below the summary":  func(r *Record) { r.Pick.Star = -1 },
		"T* above the summary":  func(r *Record) { r.Pick.Star = 3 },
		"the summary lacks a T": func(r *Record) { r.Measures[2].Redundancy = 3 },
	} {
		d := open(t, t.TempDir(), 1, 1)
		r := example(0)
		change(&r)
		c := d.Collect()
		c.Add(0, r)
		tests.NoError(t, c.Flush(true))
		tests.NoError(t, d.Finish(axesOf))
		tests.Fails(t, "does not fit", name)(readResults(d.path))
	}

	path, d := finish(t, 2)
	d.run.KeepTrials = true
	results := tests.Must(readResults(path))(t)
	results.Measures[1][2].Trials++
	tests.Fails(t, "fewer trials")(results.Trials(func(int, int, []float64) {}))
	results.Measures[0][0].Trials = 4
	tests.Fails(t, "does not fit")(results.Trials(func(int, int, []float64) {}))
	if text, err := json.Marshal(results.Values); err != nil || string(text) != `{"seed":["1"]}` {
		t.Errorf("values %s, %v", text, err)
	}
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	rows := []ProgramRow{
		{Directory: "a", Study: "1", Bytes: 8, Recorded: 4, Ranks: 16, Calls: 100, Collective: "butterfly",
			Sources: 2, Leaders: 1, Redundancy: 3, Iteration: 1e-3, Plain: 2e-3, Saved: 3e-4, SavedHalf: 4e-5,
			Run: 7},
		{Directory: "b", Study: "2", Warning: "trials"},
	}
	for range 2 { // the second replaces the first
		tests.NoError(t, WriteProgram(dir, "1.2", rows))
	}
	got, err := parquet.ReadFile[ProgramRow](filepath.Join(dir, ProgramFile))
	if err != nil || !slices.Equal(got, rows) {
		t.Fatalf("got %+v, %v, want %+v", got, err, rows)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the directory has %v", entries)
	}
	for _, read := range []func(string) error{
		func(dir string) error { _, err := OpenResults(dir); return err },
		func(dir string) error { _, err := Begin(dir, Plan{}, nil, Extension{}); return err },
	} {
		tests.Fails(t, "name one, as")(read(dir))
	}
	tests.NoError(t, os.WriteFile(filepath.Join(dir, PlanFile), nil, 0o666))
	if err := WriteProgram(dir, "1.2", rows); err == nil {
		t.Error("a directory with a study gets the choices for a program")
	}
}
