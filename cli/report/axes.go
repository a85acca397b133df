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
	"jitterfly/internal/units"
)

// An axis is a column whose value differs between configurations.
type axis struct {
	Column string   `json:"column"`
	Title  string   `json:"title"`
	Help   string   `json:"help"`
	Labels []string `json:"labels"` // of its values, in order
	Ticks  []string `json:"ticks"`  // short labels

	index []int // index of each configuration's value
	order int   // index of the column
}

// axesOf returns the axes of the configurations: the columns that vary, without those that
// another one determines. Of two that determine each other it keeps the one whose key has
// several values in the study, and a name rather than the numbers it stands for.
func axesOf(r *datasets.Results) []axis {
	place := map[string]int{}
	for i, name := range datasets.Columns[datasets.ChoiceRow]() {
		place[name] = i
	}
	rows := make([][]any, len(r.Choices))
	for i, c := range r.Choices {
		rows[i] = datasets.Fields(c)
	}
	var varying []axis
	rank := map[string]int{}
	for order, key := range study.Axes {
		column := make([]any, len(rows))
		for i, row := range rows {
			column[i] = row[place[key.Column]]
		}
		a := newAxis(key, column)
		a.order = order
		if len(a.Labels) < 2 {
			continue
		}
		varying = append(varying, a)
		if len(r.Values[key.Path]) < 2 {
			rank[a.Column] += 2
		}
		if _, name := column[0].(string); !name {
			rank[a.Column]++
		}
	}
	slices.SortStableFunc(varying, func(a, b axis) int {
		return cmp.Compare(rank[a.Column], rank[b.Column])
	})
	axes := []axis{}
	for _, a := range varying {
		if !slices.ContainsFunc(axes, func(b axis) bool { return b.determines(a) }) {
			axes = append(axes, a)
		}
	}
	slices.SortFunc(axes, func(a, b axis) int { return cmp.Compare(a.order, b.order) })
	return axes
}

// determines reports whether the value of a determines that of b.
func (a axis) determines(b axis) bool {
	at := make([]int, len(a.Labels))
	for i, v := range a.index {
		if other := at[v]; other != 0 && other != b.index[i]+1 {
			return false
		}
		at[v] = b.index[i] + 1
	}
	return true
}

// newAxis returns the axis of a column's values. Numbers ascend, names are in the order of
// their first occurrence.
func newAxis(key study.Key, column []any) axis {
	a := axis{
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

// compare orders numbers; names are equal.
func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	}
	return 0
}

// label returns the text of a value of a column, with its unit.
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

// ticks returns the labels, or powers of two if all values are powers of two and some are large.
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

// superscript returns a number in superscript digits.
func superscript(n int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, digit := range strconv.Itoa(n) {
		b.WriteRune(raised[digit-'0'])
	}
	return b.String()
}
