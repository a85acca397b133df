package datasets

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"jitterfly/internal/tests"
)

// Each column of each table is described, in its order, with the unit that its name has.
func TestColumnsAreDescribed(t *testing.T) {
	for table, columns := range map[string][]string{
		summaryFile: Columns[SummaryRow](), choiceFile: Columns[ChoiceRow](), trialsFile: Columns[TrialRow](),
		attributionFile: Columns[AttributionRow](), ProgramFile: Columns[ProgramRow](),
		"trace": Columns[traceRow](),
	} {
		var described []description
		tests.NoError(t, json.Unmarshal([]byte(describe(table, columns)), &described))
		for i, d := range described {
			if d.Name != columns[i] || d.Meaning == "" {
				t.Errorf("%s: %s is %+v; write its meaning in docs/format.md, and go generate ./cli/study", table,
					columns[i], d)
			}
			if seconds := strings.HasSuffix(d.Name, "_s"); seconds != (d.Unit == "s") {
				t.Errorf("%s: %s has the unit %q", table, d.Name, d.Unit)
			}
		}
	}
	// The same name in two tables is described by its own.
	if a, b := meanings()[summaryFile]["speedup"], meanings()[choiceFile]["speedup"]; a == b {
		t.Errorf("speed-up in both tables is %+v", a)
	}
}

// Each quantile of the summary is resolved from its least number of trials on.
func TestResolved(t *testing.T) {
	for p, least := range map[float64]int64{
		0: 10, 0.5: 20, 0.9: 100, 0.95: 200, 0.99: 1000, 0.999: 10000, 1 - 1e-6: 10000000,
	} {
		if !resolved(p, least) || resolved(p, least-1) {
			t.Errorf("the %g-quantile is not resolved from %d trials on", p, least)
		}
	}
	if resolved(1, 1<<50) {
		t.Error("a maximum is resolved")
	}
}

func TestVarying(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns []string // a letter for each row
		want    []int
	}{
		{"no rows", []string{"", ""}, nil},
		{"one row", []string{"a", "b"}, nil},
		{"a constant", []string{"aaaa", "abab"}, []int{1}},
		{"a product", []string{"aabb", "abab"}, []int{0, 1}},
		{"the same twice", []string{"abab", "cdcd"}, []int{0}},
		{"a part of one before", []string{"abcd", "aabb"}, []int{0}},
		{"more than one before", []string{"aabb", "abcc"}, []int{0, 1}},
		{"two that determine a third", []string{"aabb", "abab", "abca"}, []int{0, 1}},
		{"a third that they do not", []string{"aabbaabb", "abababab", "aaaabbbb"}, []int{0, 1, 2}},
	} {
		order := make([]int, len(c.columns))
		for i := range order {
			order[i] = i
		}
		value := func(row, column int) byte { return c.columns[column][row] }
		if got := Varying(len(c.columns[0]), order, value); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Numbers ascend, names stay as they come.
func TestDistinct(t *testing.T) {
	for _, c := range []struct{ rows, want []any }{
		{nil, nil},
		{[]any{int64(4), int64(16), int64(4), int64(2)}, []any{int64(2), int64(4), int64(16)}},
		{[]any{0.5, 1e-6, 0.5}, []any{1e-6, 0.5}},
		{[]any{"b", "a", "b"}, []any{"b", "a"}},
	} {
		values, places := Distinct(len(c.rows), func(row int) any { return c.rows[row] })
		if !slices.Equal(values, c.want) || len(places) != len(values) {
			t.Errorf("%v: %v at %v, want %v", c.rows, values, places, c.want)
		}
		for _, v := range c.rows {
			if values[places[v]] != v {
				t.Errorf("%v: %v is at %d of %v", c.rows, v, places[v], values)
			}
		}
	}
}
