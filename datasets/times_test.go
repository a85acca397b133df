package datasets_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// Times read the same from CSV and from Parquet in the encodings of other writers, whatever the
// order of rows and columns.
func TestDecodeTimes(t *testing.T) {
	want := &datasets.Times{Ranks: 2, Iterations: 3, Seconds: []float64{1, 2, 3, 4, 5, 0}}
	type row struct {
		Note      string   `parquet:"note,dict"`
		Seconds   *float64 `parquet:"seconds,optional,dict,snappy"`
		Iteration int32    `parquet:"iteration"`
		Rank      *int64   `parquet:"rank,optional,zstd"`
	}
	var rows []row
	csv := "note, seconds, iteration, rank\n# measured\n"
	for i, seconds := range want.Seconds {
		rank := int64(i % 2)
		rows = append(rows, row{"x", &seconds, int32(i / 2), &rank})
	}
	slices.Reverse(rows)
	content := parquetOf(t, 1, rows)
	csv += "x,1,0,0\nx,2,0,1\nx,3,1,0\nx,4e0,1,1\nx,0,2,1\nx,5,2,0\n"
	for name, content := range map[string][]byte{"Parquet": content, "CSV": []byte(csv)} {
		got, err := datasets.DecodeTimes(content)
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := tests.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	for i := range content { // no panic
		_, _ = datasets.DecodeTimes(content[:i])
	}
}

// parquetOf returns a Parquet file of rows, n times.
func parquetOf[T any](t *testing.T, n int, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	for range n {
		tests.Must(w.Write(rows))(t)
	}
	tests.NoError(t, w.Close())
	return b.Bytes()
}

func TestTimesThatDoNotFit(t *testing.T) {
	for content, want := range map[string]string{
		"":                                          "there is no column rank",
		"rank,seconds\n":                            "there is no column iteration",
		"rank,iteration,seconds\n":                  "there are no times",
		"rank,iteration,seconds\n0,0,-1\n":          "row 1: -1 s is not a compute time",
		"rank,iteration,seconds\n0,0,NaN\n":         "row 1: NaN s is not a compute time",
		"rank,iteration,seconds\n-1,0,1\n":          "row 1: the rank is -1",
		"rank,iteration,seconds\n0,99999999999,1\n": "row 1: the iteration is 99999999999",
		"rank,iteration,seconds\n0,0,1\n0,0,1\n":    "rank 0 has two times in iteration 0",
		"rank,iteration,seconds\n0,0,1\n1,1,1\n": "rank 1 has no time in iteration 0, " +
			"of 2 ranks and 2 iterations",
		"rank,iteration,seconds\n0,zero,1\n": `row 1: ["0" "zero" "1"] are not a rank`,
		"rank,iteration,seconds\n0,1\n":      "wrong number of fields",
	} {
		tests.Fails(t, want, content)(datasets.DecodeTimes([]byte(content)))
	}
}

// A small file of very many rows is refused before they are read.
func TestTimesOfManyRows(t *testing.T) {
	type row struct {
		Rank      int64   `parquet:"rank,dict"`
		Iteration int64   `parquet:"iteration,dict"`
		Seconds   float64 `parquet:"seconds,dict"`
	}
	content := parquetOf(t, 1<<7+1, make([]row, 1<<16), parquet.MaxRowsPerRowGroup(1<<16))
	tests.Fails(t, "^there are 8454144 rows, and at most 8388608 are read$", len(content))(
		datasets.DecodeTimes(content))
}

// A page that would take much more memory than the file is refused before it is unpacked.
func TestTimesInALargePage(t *testing.T) {
	type row struct {
		Rank      int64   `parquet:"rank,zstd"`
		Iteration int64   `parquet:"iteration,zstd"`
		Seconds   float64 `parquet:"seconds,zstd"`
	}
	content := parquetOf(t, 1, make([]row, 2<<20+1), parquet.PageBufferSize(1<<25))
	tests.Fails(t, "^a page of ", len(content))(datasets.DecodeTimes(content))
}
