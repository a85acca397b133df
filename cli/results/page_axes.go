package results

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/units"
)

// A pageAxis is a column whose value differs between configurations.
type pageAxis struct {
	Column string   `json:"column"`
	Title  string   `json:"title"`
	Help   string   `json:"help"`
	Labels []string `json:"labels"` // of its values, in order
	Ticks  []string `json:"ticks"`  // short labels

	index []int // of each configuration, the place of its value
}

// pageAxes returns the axes on which the configurations differ, without axes that others determine.
func pageAxes(r *datasets.Results) []pageAxis {
	of := make([]datasets.Column[datasets.ChoiceRow], len(study.Axes))
	for i, key := range study.Axes {
		of[i] = datasets.ColumnOf[datasets.ChoiceRow](key.Column)
	}
	value := func(row, axis int) any { return of[axis](&r.Choices[row]) }
	found := []pageAxis{}
	varying := datasets.Varying(len(r.Choices), study.Preferred(r.Values), value)
	for _, i := range slices.Sorted(slices.Values(varying)) {
		column := make([]any, len(r.Choices))
		for row := range column {
			column[row] = value(row, i)
		}
		found = append(found, newPageAxis(study.Axes[i], column))
	}
	return found
}

// newPageAxis returns the axis of a column's values. Numbers ascend, names are in the order of
// their first occurrence.
func newPageAxis(key *study.Key, column []any) pageAxis {
	a := pageAxis{
		Column: key.Column, Title: key.Label(), Help: key.Help,
		index: make([]int, len(column)),
	}
	var values []any
	seen := map[any]bool{}
	for _, v := range column {
		if !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, compareValues)
	at := map[any]int{}
	for i, v := range values {
		at[v] = i
		a.Labels = append(a.Labels, key.Format(v))
	}
	for i, v := range column {
		a.index[i] = at[v]
	}
	a.Ticks = ticks(values, a.Labels)
	return a
}

// compareValues orders numbers; names are equal.
func compareValues(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	}
	return 0
}

func ticks(values []any, labels []string) []string {
	short := make([]string, len(values))
	for i, v := range values {
		n, ok := v.(int64)
		if !ok || n < 1 || n&(n-1) != 0 || labels[i] != strconv.FormatInt(n, 10) {
			return labels
		}
		short[i] = units.PowerOfTwo(bits.TrailingZeros64(uint64(n)))
	}
	if slices.MaxFunc(values, compareValues).(int64) < 1000 {
		return labels
	}
	return short
}
