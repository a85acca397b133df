package report

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"jitterfly/cli/study"
	"jitterfly/datasets"
	"jitterfly/internal/columns"
	"jitterfly/internal/units"
)

// An axis is a column on which configurations differ.
type axis struct {
	Column string   `json:"column"`
	Title  string   `json:"title"`
	Help   string   `json:"help"`
	Labels []string `json:"labels"` // of its values, in order
	Ticks  []string `json:"ticks"`  // the same, short

	index []int // of each configuration, the place of its value
}

// axesOf returns the axes on which the configurations differ, without those that others
// determine.
func axesOf(r *datasets.Results) []axis {
	place := map[string]int{}
	for i, name := range datasets.Columns[datasets.ChoiceRow]() {
		place[name] = i
	}
	rows := make([][]any, len(r.Choices))
	for i, c := range r.Choices {
		rows[i] = datasets.Fields(c)
	}
	value := func(row, axis int) any { return rows[row][place[study.Axes[axis].Column]] }
	found := []axis{}
	varying := columns.Varying(len(rows), study.Preferred(r.Values), value)
	for _, i := range slices.Sorted(slices.Values(varying)) {
		column := make([]any, len(rows))
		for row := range rows {
			column[row] = value(row, i)
		}
		found = append(found, newAxis(study.Axes[i], column))
	}
	return found
}

// newAxis makes an axis of a column's values. Numbers ascend, names are in the
// order of their first appearance.
func newAxis(key study.Key, column []any) axis {
	a := axis{
		Column: key.Column, Title: strings.ReplaceAll(key.Flag, "-", " "), Help: key.Help,
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
	slices.SortStableFunc(values, compare)
	at := map[any]int{}
	for i, v := range values {
		at[v] = i
		a.Labels = append(a.Labels, label(key, v))
	}
	for i, v := range column {
		a.index[i] = at[v]
	}
	a.Ticks = ticks(values, a.Labels)
	return a
}

func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	}
	return 0
}

// label writes a value of a column as people write it.
func label(key study.Key, v any) string {
	switch v := v.(type) {
	case int64:
		if key.Dimension == units.Number {
			return strconv.FormatInt(v, 10)
		}
		return units.Format(key.Dimension, float64(v), 6)
	case float64:
		return units.Format(key.Dimension, v, 6)
	}
	return fmt.Sprint(v)
}

// ticks are the labels, or powers of two if the values are all that and some
// are long.
func ticks(values []any, labels []string) []string {
	short := make([]string, len(values))
	for i, v := range values {
		n, ok := v.(int64)
		if !ok || n < 1 || n&(n-1) != 0 || labels[i] != strconv.FormatInt(n, 10) {
			return labels
		}
		short[i] = "2" + superscript(bits.TrailingZeros64(uint64(n)))
	}
	if slices.MaxFunc(values, compare).(int64) < 1000 {
		return labels
	}
	return short
}

func superscript(n int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, digit := range strconv.Itoa(n) {
		b.WriteRune(raised[digit-'0'])
	}
	return b.String()
}
