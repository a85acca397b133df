package results

import (
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
		key := study.Axes[i]
		a := pageAxis{Column: key.Column, Title: key.Label(), Help: key.Help}
		values, places := datasets.Distinct(len(r.Choices), func(row int) any { return value(row, i) })
		for _, v := range values {
			a.Labels = append(a.Labels, key.Format(v))
		}
		for row := range r.Choices {
			a.index = append(a.index, places[value(row, i)])
		}
		a.Ticks = ticks(values, a.Labels)
		found = append(found, a)
	}
	return found
}

// ticks returns short labels of values in ascending order: of powers of two, if any has four digits or more.
func ticks(values []any, labels []string) []string {
	short := make([]string, len(values))
	for i, v := range values {
		n, ok := v.(int64)
		if !ok || n < 1 || n&(n-1) != 0 || labels[i] != strconv.FormatInt(n, 10) {
			return labels
		}
		short[i] = units.PowerOfTwo(bits.TrailingZeros64(uint64(n)))
	}
	if values[len(values)-1].(int64) < 1000 {
		return labels
	}
	return short
}
