package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"jitterfly/internal/tests"
)

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
