package sweep

import (
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"jitterfly/datasets"
	"jitterfly/internal/tests"
)

// Every column of the tables that is no axis has a value in some row of a few studies, and those of
// quantiles are named by them.
func TestEveryColumnIsComputed(t *testing.T) {
	missing := map[string]bool{}
	look := func(row any) {
		v := reflect.ValueOf(row)
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
			name = v.Type().Name() + "." + name
			field := v.Field(i)
			if none := field.IsZero() || field.CanFloat() && math.IsNaN(field.Float()); !none {
				missing[name] = false
			} else if _, seen := missing[name]; !seen {
				missing[name] = true
			}
		}
	}
	for _, flags := range []string{
		"--ranks 64 --latency 100ns --os-duration 100us --assume paper --trials 10000 --tolerance 1e-4",
		"--ranks 16 --os-duration 20us --compute 100us --iterations 20 --trials 30",
		"--collective a2a-bruck --ranks 16 --os-duration 20us --trials 3",
		"--topology torus:4x4 --engine packet --collective a2a-ring --bytes 64B --trials 3",
	} {
		out := filepath.Join(t.TempDir(), "d")
		args := append(strings.Fields(flags), "--quiet", "--out", out)
		tests.NoError(t, execute(t.Context(), Command(nil), io.Discard, io.Discard, args...))
		results := tests.Must(datasets.OpenResults(out))(t)
		tests.NoError(t, results.Each(func(_ int, c *datasets.ChoiceRow, measures []datasets.Measures) error {
			look(c.Pick)
			for _, m := range measures {
				look(m)
			}
			return nil
		}))
	}
	for name, m := range missing {
		if m {
			t.Errorf("%s has no value in any study", name)
		}
	}
	measures := reflect.TypeFor[datasets.Measures]()
	for i := range measures.NumField() {
		tag := measures.Field(i).Tag
		digits, quantile := strings.CutPrefix(strings.TrimSuffix(tag.Get("parquet"), "_s"), "p")
		percent, err := strconv.ParseFloat(digits, 64)
		if !quantile || err != nil {
			continue
		}
		want := strconv.FormatFloat(percent/math.Pow(10, float64(len(digits))), 'g', -1, 64)
		if got := tag.Get("quantile"); got != want {
			t.Errorf("%s is the quantile %q, want %s", tag.Get("parquet"), got, want)
		}
	}
}
