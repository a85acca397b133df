package datasets

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Every table of a finished study names the program, the format and the study.
func TestTablesHaveMetadata(t *testing.T) {
	dir, _ := finish(t, 3)
	for _, table := range []string{summaryFile, choiceFile, trialsFile} {
		file, err := os.Open(filepath.Join(dir, table))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(file, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"jitterfly.version", "jitterfly.format", "jitterfly.study"} {
			if v, ok := f.Lookup(key); !ok || v == "" {
				t.Errorf("%s has no metadata %s", table, key)
			}
		}
	}
}
