package datasets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// finishedDir has three configurations of [example].
func finishedDir(t *testing.T) string {
	t.Helper()
	path, _ := finish(t, 3)
	return path
}

func TestPublishedTablesAreThoseWritten(t *testing.T) {
	p, err := OpenPublished(finishedDir(t))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := p.Summary()
	if err != nil {
		t.Fatal(err)
	}
	choices, err := p.Choices()
	if err != nil {
		t.Fatal(err)
	}
	var want []SummaryRow
	for config := range 3 {
		r := example(config)
		want = append(want, r.Summaries(axesOf(config))...)
		if diff := cmp.Diff(ChoiceRow{axesOf(config), r.Pick}, choices[config]); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Error(diff)
	}
	one := example(1)
	trials, err := p.Trials(func(id string, redundancy int64) bool { return id == axesOf(1).ConfigID && redundancy == 2 })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one.Trials(axesOf(1).ConfigID)[10:], trials); diff != "" || !p.HasTrials() {
		t.Error(diff)
	}
}

// change changes run.json.
func change(t *testing.T, path string, edit func(*run)) {
	t.Helper()
	name := filepath.Join(path, RunFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var r run
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	edit(&r)
	if text, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoFinishedStudyIsRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*run)
		want   string
	}{
		{"another program", func(r *run) { r.Program = "x" }, "not ours"},
		{"another format", func(r *run) { r.Format = 1 }, "format 1"},
	}
	for _, test := range tests {
		path := finishedDir(t)
		change(t, path, test.change)
		if _, err := OpenPublished(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// A hostile run.json can vouch for any file.
func TestVouchedForFilesThatAreNoTablesAreErrors(t *testing.T) {
	path := finishedDir(t)
	other, err := os.ReadFile(filepath.Join(path, trialsFile))
	if err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(filepath.Join(path, choiceFile))
	if err != nil {
		t.Fatal(err)
	}
	contents := [][]byte{nil, []byte("PAR1"), other, []byte("PAR1\xff\xff\xff\x7fPAR1")}
	for at := len(sound) / 7; at < len(sound); at += len(sound) / 7 {
		contents = append(contents, append(sound[:at:at], sound[at+1:]...))
	}
	for i, content := range contents {
		if err := os.WriteFile(filepath.Join(path, choiceFile), content, 0o666); err != nil {
			t.Fatal(err)
		}
		change(t, path, func(r *run) { r.Tables[choiceFile] = digest(content) })
		p, err := OpenPublished(path)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := p.Choices(); err == nil {
			t.Errorf("content %d is read as %d rows", i, len(rows))
		}
	}
}
